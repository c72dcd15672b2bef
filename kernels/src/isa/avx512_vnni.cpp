// The network for x86-64 with AVX-512 and its dot products; the other kernels are those of AVX2,
// which memory keeps busy already.
#include "../variant.hpp"

#if PULLFX_AVX512

#if defined(PULLFX_EMULATE)
#include "../../../tests/native/avx512_emulated.hpp"
#else
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 on its own header (bug 105593)
#endif
#include <immintrin.h>
#endif

#include <cstring>

#include "../cpu.hpp"
#include "../loops.hpp"

// All headers stand above: what is inline in them is shared with code for every CPU.
#if defined(PULLFX_EMULATE)
// For every CPU.
#elif defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vnni")
#endif

namespace pullfx {
namespace avx512_vnni_kernels {

#include "../network/avx512.inc"
// Below the primitives, what is made of them.
#include "../network/all.inc"

}  // namespace avx512_vnni_kernels
}  // namespace pullfx

#if defined(PULLFX_EMULATE)
#elif defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace pullfx {

#if defined(PULLFX_EMULATE)
static bool supported() { return true; }
#else
constexpr auto supported = cpu_has_avx512_vnni;
#endif

const Variant avx512_vnni = {
    "avx512_vnni",  supported,   avx2.colour,
    avx2.composite, avx2.filter, &avx512_vnni_kernels::network,
    avx2.skin,
};

}  // namespace pullfx

#endif
