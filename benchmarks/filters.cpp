// The mean of 3x3 bytes, rounded down, in the three ways that benchmarks/filters.py compares: sums
// divided through float32; by a multiplication and a shift; and so with the sums of rows kept in
// registers from row to row. With AVX2; all but the outermost pixels are written.
#include <immintrin.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int block = 16;

__m256i widened(const std::uint8_t* bytes) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

__m256i sum_of_three(const std::uint8_t* at) {
    return _mm256_add_epi16(_mm256_add_epi16(widened(at - 1), widened(at)), widened(at + 1));
}

void put(std::uint8_t* out, __m256i words) {
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(bytes));
}

__m256i divided_through_float(__m256i sums) {
    const __m256 ninth = _mm256_set1_ps(1.0f / 9.0f);
    const auto part = [&](__m128i eight) {
        const __m256 number = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(eight));
        return _mm256_cvttps_epi32(_mm256_mul_ps(number, ninth));
    };
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(part(_mm256_castsi256_si128(sums)),
                                                        part(_mm256_extracti128_si256(sums, 1))),
                                    0xd8);
}

__m256i divided_in_fixed_point(__m256i sums) {
    const __m256i factor = _mm256_set1_epi16(static_cast<std::int16_t>((1 << 19) / 9 + 1));
    return _mm256_srli_epi16(_mm256_mulhi_epu16(sums, factor), 3);
}

// Calls `make` with the first column of each block of a row; the last one overlaps.
template <typename Make>
void each_block(int width, Make make) {
    for (int x = 1; x < width - 1 - block; x += block) make(x);
    make(width - 1 - block);
}

template <typename Divide>
void row_by_row(const std::uint8_t* in, std::uint8_t* out, int width, int height, Divide divide) {
    for (int y = 1; y < height - 1; ++y) {
        each_block(width, [&](int x) {
            const std::uint8_t* at = in + static_cast<std::ptrdiff_t>(y) * width + x;
            const __m256i outer =
                _mm256_add_epi16(sum_of_three(at - width), sum_of_three(at + width));
            put(out + (at - in), divide(_mm256_add_epi16(outer, sum_of_three(at))));
        });
    }
}

}  // namespace

extern "C" {

void through_float(const std::uint8_t* in, std::uint8_t* out, int width, int height) {
    row_by_row(in, out, width, height, divided_through_float);
}

void in_fixed_point(const std::uint8_t* in, std::uint8_t* out, int width, int height) {
    row_by_row(in, out, width, height, divided_in_fixed_point);
}

void with_rows_in_registers(const std::uint8_t* in, std::uint8_t* out, int width, int height) {
    each_block(width, [&](int x) {
        __m256i above = sum_of_three(in + x), middle = sum_of_three(in + width + x);
        for (int y = 1; y < height - 1; ++y) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * width + x;
            const __m256i below = sum_of_three(in + at + width);
            put(out + at,
                divided_in_fixed_point(_mm256_add_epi16(_mm256_add_epi16(above, middle), below)));
            above = middle;
            middle = below;
        }
    });
}

}  // extern "C"

// NAME ROUNDS: for counting instructions.
int main(int count, char** arguments) {
    if (count != 3) return 2;
    constexpr int width = 1280, height = 720;
    std::vector<std::uint8_t> in(width * height), out(width * height);
    for (std::size_t index = 0; index < in.size(); ++index) {
        in[index] = static_cast<std::uint8_t>(index * index >> 7);
    }
    const char* name = arguments[1];
    const auto run = !std::strcmp(name, "through_float")    ? through_float
                     : !std::strcmp(name, "in_fixed_point") ? in_fixed_point
                                                            : with_rows_in_registers;
    for (int round = std::atoi(arguments[2]); round > 0; --round) {
        run(in.data(), out.data(), width, height);
    }
}
