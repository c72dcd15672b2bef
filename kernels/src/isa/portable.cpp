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

#include "../blend.inc"
#include "../colour/portable.inc"
#include "../filter/portable.inc"
#include "../network/portable.inc"
// Below the primitives, what is made of them.
#include "../filter/all.inc"
// Colours are averaged by the filters.
#include "../colour/all.inc"
#include "../network/all.inc"

static bool supported() { return true; }

}  // namespace portable_kernels

const Variant portable = {
    "portable",
    portable_kernels::supported,
    portable_kernels::blend,
    portable_kernels::blend_half,
    &portable_kernels::colour,
    &portable_kernels::filter,
    &portable_kernels::network,
};

}  // namespace pullfx
