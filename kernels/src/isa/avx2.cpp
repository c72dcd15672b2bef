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

static inline __m256i two_halves(const std::uint16_t* low, const std::uint16_t* high) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

// Sums times weights of target pixel `index` in the low half, of the fourth after it in the high
// one; four numbers of each are still to be added. The multiplication is signed, so sums go in less
// 32768.
static inline __m256i products(const std::uint16_t* sums, const Boxes& boxes, int index) {
    const __m256i sign = _mm256_set1_epi16(-32768);
    const std::uint16_t* low = sums + boxes.first[index];
    const std::uint16_t* high = sums + boxes.first[index + 4];
    const std::uint16_t* weights = boxes.weights + static_cast<std::ptrdiff_t>(index) * boxes.taps;
    __m256i total = _mm256_setzero_si256();
    for (int tap = 0; tap < boxes.taps; tap += 8) {
        const __m256i sum = _mm256_xor_si256(two_halves(low + tap, high + tap), sign);
        const __m256i weight = two_halves(weights + tap, weights + 4 * boxes.taps + tap);
        total = _mm256_add_epi32(total, _mm256_madd_epi16(sum, weight));
    }
    return total;
}

static void box_totals(const std::uint16_t* sums, const Boxes& boxes, int start, int count,
                       std::uint32_t* totals) {
    const __m256i less = _mm256_set1_epi32(32768 * boxes.box);
    for (int x = 0; x < count; x += 8) {
        const int index = start + x;
        const __m256i first =
            _mm256_hadd_epi32(products(sums, boxes, index), products(sums, boxes, index + 1));
        const __m256i second =
            _mm256_hadd_epi32(products(sums, boxes, index + 2), products(sums, boxes, index + 3));
        store(totals + x, _mm256_add_epi32(_mm256_hadd_epi32(first, second), less));
    }
}

#include "../blend.inc"
#include "../downscale.inc"
#include "../network/avx2.inc"
// Below the primitives, what is made of them.
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
    avx2_kernels::downscale_rgb,
    &avx2_kernels::network,
};

}  // namespace pullfx

#endif
