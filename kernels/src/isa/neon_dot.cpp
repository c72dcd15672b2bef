// The kernels for 64-bit ARM with the dot products of NEON (ARMv8.2-A and later).
#include "../variant.hpp"

#if PULLFX_NEON_DOT

#include <arm_neon.h>

#include <cmath>
#include <cstring>

#include "../composite/enlargement.hpp"
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

#include "../colour/neon.inc"
#include "../filter/neon.inc"
#include "../network/neon.inc"
// Below the primitives, what is made of them.
#include "../filter/all.inc"
// Colours are averaged by the filters.
#include "../colour/all.inc"
#include "../network/all.inc"

namespace composite {
#include "../composite/neon.inc"
// Again in this order.
#include "../composite/all.inc"

// In the words of the composite.
namespace skin {
#include "../skin/all.inc"
}  // namespace skin
}  // namespace composite

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
    &neon_dot_kernels::colour,
    &neon_dot_kernels::composite::table,
    &neon_dot_kernels::filter,
    &neon_dot_kernels::network,
    &neon_dot_kernels::composite::skin::table,
};

}  // namespace pullfx

#endif
