// The kernels for 64-bit ARM with the dot products of NEON (ARMv8.2-A and later).
#include "../variant.hpp"

#if PULLFX_NEON_DOT

#include <arm_neon.h>

#include <cstring>

#include "../cpu.hpp"
#include "../loops.hpp"

// All headers stand above: what is inline in them is shared with code for every CPU. MSVC has these
// instructions everywhere and leaves it to the program when to use them.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif

namespace pullfx {
namespace neon_dot_kernels {

// x / 255 to nearest is x plus its own 256th part, both rounded, over 256.
static inline uint8x8_t mixed(uint8x8_t foreground, uint8x8_t background, uint8x8_t mask) {
    const uint16x8_t total = vmlal_u8(vmull_u8(foreground, mask), background, vmvn_u8(mask));
    return vraddhn_u16(total, vrshrq_n_u16(total, 8));
}

static inline uint8x16_t mixed(uint8x16_t foreground, uint8x16_t background, uint8x16_t mask) {
    const uint16x8_t total =
        vmlal_high_u8(vmull_high_u8(foreground, mask), background, vmvnq_u8(mask));
    return vraddhn_high_u16(
        mixed(vget_low_u8(foreground), vget_low_u8(background), vget_low_u8(mask)), total,
        vrshrq_n_u16(total, 8));
}

static void mix(const std::uint8_t* foreground, const std::uint8_t* background,
                const std::uint8_t* mask, int count, std::uint8_t* out) {
    int x = 0;
    for (; x + 16 <= count; x += 16) {
        vst1q_u8(out + x,
                 mixed(vld1q_u8(foreground + x), vld1q_u8(background + x), vld1q_u8(mask + x)));
    }
    if (x < count) {
        std::uint8_t rest[3][16] = {};
        std::memcpy(rest[0], foreground + x, count - x);
        std::memcpy(rest[1], background + x, count - x);
        std::memcpy(rest[2], mask + x, count - x);
        vst1q_u8(rest[0], mixed(vld1q_u8(rest[0]), vld1q_u8(rest[1]), vld1q_u8(rest[2])));
        std::memcpy(out + x, rest[0], count - x);
    }
}

#include "../blend.inc"
#include "../colour/neon.inc"
#include "../filter/neon.inc"
#include "../network/neon.inc"
// Below the primitives, what is made of them.
#include "../filter/all.inc"
// Colours are averaged by the filters.
#include "../colour/all.inc"
#include "../network/all.inc"

}  // namespace neon_dot_kernels
}  // namespace pullfx

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif

namespace pullfx {

const Variant neon_dot = {
    "neon_dot",
    cpu_has_neon_dot,
    neon_dot_kernels::blend,
    neon_dot_kernels::blend_half,
    &neon_dot_kernels::colour,
    &neon_dot_kernels::filter,
    &neon_dot_kernels::network,
};

}  // namespace pullfx

#endif
