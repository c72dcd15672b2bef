// The kernels in what every machine of the target has.
#include <cstring>

#include "../loops.hpp"
#include "../variant.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector crosses a call: all that takes one is inlined
#endif

namespace pullfx {
namespace portable_kernels {

static void mix(const std::uint8_t* foreground, const std::uint8_t* background,
                const std::uint8_t* mask, int count, std::uint8_t* out) {
    PULLFX_INDEPENDENT
    for (int x = 0; x < count; ++x) {
        const std::uint16_t total = static_cast<std::uint16_t>(
            foreground[x] * mask[x] + background[x] * (255 - mask[x]) + 128);
        out[x] = static_cast<std::uint8_t>((total + (total >> 8)) >> 8);
    }
}

static void box_totals(const std::uint16_t* sums, const Boxes& boxes, int start, int count,
                       std::uint32_t* totals) {
    for (int x = 0; x < count; ++x) {
        const std::uint16_t* weights =
            boxes.weights + static_cast<std::ptrdiff_t>(start + x) * boxes.taps;
        const std::uint16_t* sum = sums + boxes.first[start + x];
        std::uint32_t total = 0;
        for (int tap = 0; tap < boxes.count[start + x]; ++tap) {
            total += std::uint32_t{sum[tap]} * weights[tap];
        }
        totals[x] = total;
    }
}

#include "../blend.inc"
#include "../downscale.inc"
#include "../network/portable.inc"
// Below the primitives, what is made of them.
#include "../network/all.inc"

static bool supported() { return true; }

}  // namespace portable_kernels

const Variant portable = {
    "portable",
    portable_kernels::supported,
    portable_kernels::blend,
    portable_kernels::blend_half,
    portable_kernels::downscale_rgb,
    &portable_kernels::network,
};

}  // namespace pullfx
