// The AVX-512 instructions that kernels/src/network/avx512.inc uses, in plain C++, so that its code
// can be tested on a CPU without them. Written after the instructions' definitions by Intel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

template <typename Number, int count>
struct Emulated {
    Number at[count];
};

using __m128i = Emulated<std::uint8_t, 16>;
using __m256i = Emulated<std::uint8_t, 32>;
using __m512i = Emulated<std::int32_t, 16>;
using __m512 = Emulated<float, 16>;

template <typename To, typename From>
inline To emulated_bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

template <typename To>
inline To emulated_load(const void* from) {
    To to;
    std::memcpy(&to, from, sizeof(to));
    return to;
}

template <typename Number, typename Operation>
inline Emulated<Number, 16> emulated_each(Operation operation) {
    Emulated<Number, 16> result;
    for (int lane = 0; lane < 16; ++lane) result.at[lane] = operation(lane);
    return result;
}

inline __m128i _mm_loadu_si128(const __m128i* from) { return emulated_load<__m128i>(from); }
inline __m256i _mm256_loadu_si256(const __m256i* from) { return emulated_load<__m256i>(from); }
inline __m512i _mm512_loadu_si512(const void* from) { return emulated_load<__m512i>(from); }
inline __m512 _mm512_loadu_ps(const void* from) { return emulated_load<__m512>(from); }
inline void _mm_storeu_si128(__m128i* to, __m128i value) { std::memcpy(to, &value, 16); }
inline void _mm512_storeu_si512(void* to, __m512i value) { std::memcpy(to, &value, 64); }
inline void _mm512_storeu_ps(void* to, __m512 value) { std::memcpy(to, &value, 64); }

inline __m512i _mm512_set1_epi32(int value) {
    return emulated_each<std::int32_t>([&](int) { return value; });
}
inline __m128i _mm_max_epu8(__m128i a, __m128i b) {
    return emulated_each<std::uint8_t>([&](int lane) { return std::max(a.at[lane], b.at[lane]); });
}
inline __m512 _mm512_set1_ps(float value) {
    return emulated_each<float>([&](int) { return value; });
}
template <typename... Bytes>
inline __m128i _mm_setr_epi8(Bytes... bytes) {
    static_assert(sizeof...(bytes) == 16, "sixteen bytes");
    return {{static_cast<std::uint8_t>(bytes)...}};
}
inline __m128i _mm_shuffle_epi8(__m128i from, __m128i places) {
    __m128i result;
    for (int lane = 0; lane < 16; ++lane) {
        const std::uint8_t place = places.at[lane];
        result.at[lane] = place & 0x80 ? std::uint8_t{0} : from.at[place & 15];
    }
    return result;
}
inline __m256i _mm256_castsi128_si256(__m128i low) {
    __m256i result{};
    std::memcpy(&result, &low, 16);
    return result;
}
inline __m256i _mm256_inserti128_si256(__m256i into, __m128i part, int half) {
    std::memcpy(into.at + 16 * half, &part, 16);
    return into;
}
inline __m512i _mm512_castsi256_si512(__m256i low) {
    __m512i result{};
    std::memcpy(&result, &low, 32);
    return result;
}
inline __m512i _mm512_inserti64x4(__m512i into, __m256i part, int half) {
    auto bytes = emulated_bits<Emulated<std::uint8_t, 64>>(into);
    std::memcpy(bytes.at + 32 * half, &part, 32);
    return emulated_bits<__m512i>(bytes);
}
template <typename... Words>
inline __m512i _mm512_setr_epi32(Words... words) {
    static_assert(sizeof...(words) == 16, "sixteen words");
    return {{words...}};
}
inline __m512i _mm512_permutexvar_epi32(__m512i places, __m512i from) {
    return emulated_each<std::int32_t>([&](int lane) { return from.at[places.at[lane] & 15]; });
}
enum Emulated_permutation {
    _MM_PERM_AAAA = 0x00,
    _MM_PERM_BBBB = 0x55,
    _MM_PERM_CCCC = 0xaa,
    _MM_PERM_DDDD = 0xff
};
// These two within each quarter.
inline __m512i _mm512_shuffle_epi32(__m512i from, Emulated_permutation order) {
    return emulated_each<std::int32_t>(
        [&](int lane) { return from.at[lane / 4 * 4 + (order >> (2 * (lane % 4)) & 3)]; });
}
inline __m512i _mm512_shuffle_epi8(__m512i from, __m512i places) {
    const auto bytes = emulated_bits<Emulated<std::uint8_t, 64>>(from);
    const auto where = emulated_bits<Emulated<std::uint8_t, 64>>(places);
    Emulated<std::uint8_t, 64> result;
    for (int lane = 0; lane < 64; ++lane) {
        const std::uint8_t place = where.at[lane];
        result.at[lane] = place & 0x80 ? std::uint8_t{0} : bytes.at[lane / 16 * 16 + place % 16];
    }
    return emulated_bits<__m512i>(result);
}
inline __m512i _mm512_broadcast_i32x4(__m128i part) {
    const auto four = emulated_bits<Emulated<std::int32_t, 4>>(part);
    return emulated_each<std::int32_t>([&](int lane) { return four.at[lane % 4]; });
}

inline __m512i _mm512_cvtepi16_epi32(__m256i words) {
    const auto from = emulated_bits<Emulated<std::int16_t, 16>>(words);
    return emulated_each<std::int32_t>([&](int lane) { return std::int32_t{from.at[lane]}; });
}
inline __m512i _mm512_cvtepu8_epi32(__m128i bytes) {
    return emulated_each<std::int32_t>([&](int lane) { return std::int32_t{bytes.at[lane]}; });
}
inline __m128i _mm512_cvtepi32_epi8(__m512i from) {
    __m128i result;
    for (int lane = 0; lane < 16; ++lane) {
        result.at[lane] = static_cast<std::uint8_t>(from.at[lane]);
    }
    return result;
}
inline __m512 _mm512_cvtepi32_ps(__m512i from) {
    return emulated_each<float>([&](int lane) { return static_cast<float>(from.at[lane]); });
}
inline __m512i _mm512_cvtps_epi32(__m512 from) {
    return emulated_each<std::int32_t>([&](int lane) {
        const float v = std::nearbyint(from.at[lane]);
        return v >= -2147483648.0f && v < 2147483648.0f ? static_cast<std::int32_t>(v) : INT32_MIN;
    });
}

inline __m512i _mm512_add_epi32(__m512i a, __m512i b) {
    return emulated_each<std::int32_t>([&](int lane) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(a.at[lane]) +
                                         static_cast<std::uint32_t>(b.at[lane]));
    });
}
inline __m512i _mm512_min_epi32(__m512i a, __m512i b) {
    return emulated_each<std::int32_t>(
        [&](int lane) { return a.at[lane] < b.at[lane] ? a.at[lane] : b.at[lane]; });
}
inline __m512i _mm512_max_epi32(__m512i a, __m512i b) {
    return emulated_each<std::int32_t>(
        [&](int lane) { return a.at[lane] > b.at[lane] ? a.at[lane] : b.at[lane]; });
}
inline __m512 _mm512_add_ps(__m512 a, __m512 b) {
    return emulated_each<float>([&](int lane) { return a.at[lane] + b.at[lane]; });
}
inline __m512 _mm512_sub_ps(__m512 a, __m512 b) {
    return emulated_each<float>([&](int lane) { return a.at[lane] - b.at[lane]; });
}
inline __m512 _mm512_mul_ps(__m512 a, __m512 b) {
    return emulated_each<float>([&](int lane) { return a.at[lane] * b.at[lane]; });
}
inline __m512 _mm512_min_ps(__m512 a, __m512 b) {
    return emulated_each<float>(
        [&](int lane) { return a.at[lane] < b.at[lane] ? a.at[lane] : b.at[lane]; });
}
inline __m512 _mm512_max_ps(__m512 a, __m512 b) {
    return emulated_each<float>(
        [&](int lane) { return a.at[lane] > b.at[lane] ? a.at[lane] : b.at[lane]; });
}

// Four products of a byte without sign and one with sign, added without saturation.
inline __m512i _mm512_dpbusd_epi32(__m512i sum, __m512i a, __m512i b) {
    const auto codes = emulated_bits<Emulated<std::uint8_t, 64>>(a);
    const auto weights = emulated_bits<Emulated<std::int8_t, 64>>(b);
    return emulated_each<std::int32_t>([&](int lane) {
        std::int32_t total = sum.at[lane];
        for (int part = 4 * lane; part < 4 * lane + 4; ++part) {
            total += codes.at[part] * weights.at[part];
        }
        return total;
    });
}
