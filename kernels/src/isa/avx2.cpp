// The kernels for x86-64 with AVX2.
#include "../variant.hpp"

#if PULLFX_X86_64

#include <immintrin.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../composite/enlargement.hpp"
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

#include "avx2_memory.inc"
// With that, the primitives.
#include "../colour/avx2.inc"
#include "../filter/avx2.inc"
#include "../network/avx2.inc"
// Below the primitives, what is made of them.
#include "../filter/all.inc"
// Colours are averaged by the filters.
#include "../colour/all.inc"
#include "../network/all.inc"

namespace composite {
#include "../composite/avx2.inc"
// Again in this order.
#include "../composite/all.inc"

// In the words of the composite.
namespace skin {
#include "../skin/all.inc"
}  // namespace skin
}  // namespace composite

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
    &avx2_kernels::colour,
    &avx2_kernels::composite::table,
    &avx2_kernels::filter,
    &avx2_kernels::network,
    &avx2_kernels::composite::skin::table,
};

}  // namespace pullfx

#endif
