// The kernels in what every machine of the target has.
#include <cmath>
#include <cstring>
#include <type_traits>

#include "../loops.hpp"
#include "../variant.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector crosses a call: all that takes one is inlined
#endif

namespace pullfx {
namespace portable_kernels {

#include "../colour/portable.inc"
#include "../filter/portable.inc"
#include "../network/portable.inc"
// Below the primitives, what is made of them.
#include "../filter/all.inc"
// Colours are averaged by the filters.
#include "../colour/all.inc"
#include "../network/all.inc"

namespace composite {
#include "../composite/portable.inc"
// Again in this order.
#include "../composite/all.inc"

// In the words of the composite.
namespace skin {
#include "../skin/all.inc"
}  // namespace skin
}  // namespace composite

static bool supported() { return true; }

}  // namespace portable_kernels

const Variant portable = {
    "portable",
    portable_kernels::supported,
    &portable_kernels::colour,
    &portable_kernels::composite::table,
    &portable_kernels::filter,
    &portable_kernels::network,
    &portable_kernels::composite::skin::table,
};

}  // namespace pullfx
