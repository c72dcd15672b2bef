// The kernels for x86-64 with AVX2.
#include "../variant.hpp"

#if PULLFX_X86_64

#include <immintrin.h>

#include <cstring>

#include "../cpu.hpp"
#include "../loops.hpp"

// All headers stand above: what is inline in them is shared with code for every CPU. MSVC has no
// such regions; there CMake gives this file alone /arch:AVX2.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace pullfx {
namespace avx2_kernels {

static inline __m256i load(const void* bytes) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
}

static inline void store(void* bytes, __m256i value) {
    _mm256_storeu_si256(static_cast<__m256i*>(bytes), value);
}

// `pairs` of foreground and background, `weights` of mask - 128 and 127 - mask: the instruction
// wants those signed. What that takes away is 128 * (foreground + background).
static inline __m256i mixed(__m256i pairs, __m256i weights) {
    const __m256i ones = _mm256_set1_epi8(1);
    const __m256i taken = _mm256_slli_epi16(_mm256_maddubs_epi16(pairs, ones), 7);
    const __m256i total = _mm256_add_epi16(_mm256_maddubs_epi16(pairs, weights),
                                           _mm256_add_epi16(taken, _mm256_set1_epi16(128)));
    return _mm256_srli_epi16(_mm256_add_epi16(total, _mm256_srli_epi16(total, 8)), 8);
}

static inline __m256i mixed(__m256i foreground, __m256i background, __m256i mask) {
    const __m256i weight = _mm256_xor_si256(mask, _mm256_set1_epi8(-128));
    const __m256i rest = _mm256_xor_si256(weight, _mm256_set1_epi8(-1));
    return _mm256_packus_epi16(
        mixed(_mm256_unpacklo_epi8(foreground, background), _mm256_unpacklo_epi8(weight, rest)),
        mixed(_mm256_unpackhi_epi8(foreground, background), _mm256_unpackhi_epi8(weight, rest)));
}

static void mix(const std::uint8_t* foreground, const std::uint8_t* background,
                const std::uint8_t* mask, int count, std::uint8_t* out) {
    int x = 0;
    for (; x + 32 <= count; x += 32) {
        store(out + x, mixed(load(foreground + x), load(background + x), load(mask + x)));
    }
    if (x < count) {
        std::uint8_t rest[3][32] = {};
        std::memcpy(rest[0], foreground + x, count - x);
        std::memcpy(rest[1], background + x, count - x);
        std::memcpy(rest[2], mask + x, count - x);
        store(rest[0], mixed(load(rest[0]), load(rest[1]), load(rest[2])));
        std::memcpy(out + x, rest[0], count - x);
    }
}

#include "../blend.inc"
#include "../colour/avx2.inc"
#include "../filter/avx2.inc"
#include "../network/avx2.inc"
// Below the primitives, what is made of them.
#include "../filter/all.inc"
// Colours are averaged by the filters.
#include "../colour/all.inc"
#include "../network/all.inc"

}  // namespace avx2_kernels
}  // namespace pullfx

#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif

namespace pullfx {

const Variant avx2 = {
    "avx2",
    cpu_has_avx2,
    avx2_kernels::blend,
    avx2_kernels::blend_half,
    &avx2_kernels::colour,
    &avx2_kernels::filter,
    &avx2_kernels::network,
};

}  // namespace pullfx

#endif
