// The network for x86-64 with the dot products of AVX-512 in registers of AVX2, which laptops have
// since Alder Lake; the other kernels are those of AVX2.
#include "../variant.hpp"

#if PULLFX_AVX_VNNI

#include <immintrin.h>

#include <cstring>

#include "../cpu.hpp"
#include "../loops.hpp"

// All headers stand above: what is inline in them is shared with code for every CPU.
#if defined(PULLFX_EMULATE) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(PULLFX_EMULATE)
#pragma GCC push_options
#pragma GCC target("avx2")
#elif defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avxvnni"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avxvnni")
#endif

namespace pullfx {
namespace avx_vnni_kernels {

// Adds four products each of a byte without sign and one with sign.
#if defined(PULLFX_EMULATE)
#include "../../../tests/native/avx_vnni_emulated.inc"
#else
PULLFX_INLINE __m256i add_dots(__m256i sums, __m256i codes, __m256i weights) {
    return _mm256_dpbusd_avx_epi32(sums, codes, weights);
}
#endif

#include "avx2_memory.inc"
// With that, the primitives.
#include "../network/avx_vnni.inc"
// Below them, what is made of them.
#include "../network/all.inc"

}  // namespace avx_vnni_kernels
}  // namespace pullfx

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace pullfx {

#if defined(PULLFX_EMULATE)
constexpr auto supported = cpu_has_avx2;
#else
constexpr auto supported = cpu_has_avx_vnni;
#endif

const Variant avx_vnni = {
    "avx_vnni", supported, avx2.colour, avx2.composite, avx2.filter, &avx_vnni_kernels::network,
    avx2.skin,
};

}  // namespace pullfx

#endif
