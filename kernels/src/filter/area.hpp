// Exact area averages: which samples a target pixel covers along an axis, how much of each, and the
// division by the area of its box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../plane.hpp"

namespace pullfx {

// The parts of the samples `first`, `first + 1`, ... that lie in the box of a target pixel, in
// units in which a whole box is `box` long. Of eight target pixels there come four weights each,
// then the next four each: so vectors want them. Weights beyond `count` are 0, and so are all of
// those that fill up the target pixels to a multiple of 8.
struct Boxes {
    const std::int32_t* first;
    const std::int32_t* count;
    const std::uint16_t* weights;
    // Where there are four taps, the next box begins at most four samples on: of each two, the
    // bytes of their samples among the eight from where the first begins. In the order of the
    // weights.
    const std::uint8_t* neighbours;
    int taps;  // weights of a target pixel, a multiple of 4
    int box;

    // Where vectors want them: of eight target pixels four weights each, in the order 0, 1, 4, 5,
    // 2, 3, 6, 7, then the next four each.
    static std::ptrdiff_t place(int target, int tap, int taps) {
        const std::ptrdiff_t group = target & ~7;
        const int turn = (target & 1) | (target & 2) << 1 | (target & 4) >> 1;
        return group * taps + (tap / 4 * 8 + turn) * 4 + tap % 4;
    }

    std::uint16_t weight(int target, int tap) const { return weights[place(target, tap, taps)]; }
};

// Means in units of 2^-bits from sums over boxes of `area`: (sum * 2^bits + area / 2) / area, for
// sums up to 255 * area; either up to 8 bits and areas up to 2^15, or none and areas up to
// 2^22.
struct Division {
    int bits;
    std::uint32_t half;
    std::uint32_t factor;
    int shift;

    // A factor rounded up by `excess` / 2^shift is exact while excess * numerator < 2^shift; the
    // numerator is below 2^(bits + 8) * area. For those areas such a factor of 32 bits exists.
    Division(std::uint32_t area, int bits) : bits(bits), half(area / 2), shift(30) {
        std::uint64_t rounded, excess;
        do {
            ++shift;
            rounded = ((std::uint64_t{1} << shift) + area - 1) / area;
            excess = rounded * area - (std::uint64_t{1} << shift);
        } while (excess * area << (bits + 8) >= std::uint64_t{1} << shift);
        factor = static_cast<std::uint32_t>(rounded);
    }

    std::uint16_t operator()(std::uint32_t sum) const {
        return static_cast<std::uint16_t>((std::uint64_t{(sum << bits) + half} * factor) >> shift);
    }
};

// Owns the tables that `Boxes` shows.
class BoxTable {
  public:
    // `length` luma pixels become `target` pixels; each sample stands for `per_sample` luma pixels,
    // the last one for what is left. `length` and `target` are 1..32767.
    BoxTable(int length, int target, int per_sample);

    Boxes view() const;

  private:
    void find_neighbours(int target);

    std::vector<std::int32_t> first_;
    std::vector<std::int32_t> count_;
    std::vector<std::uint16_t> weights_;
    std::vector<std::uint8_t> neighbours_;
    int taps_;
    int box_;
};

constexpr int longest_side = 32767;

// The table for these numbers. The last ones that were made are kept, since making one takes as
// long as a fifth of the averages themselves, and a stream asks for the same at each frame.
std::shared_ptr<const BoxTable> box_table(int length, int target, int per_sample);

// The averages of a plane, and the room to make them in.
struct AreaJob {
    ConstPlane plane;
    Boxes rows;
    Boxes columns;
    std::uint64_t area;
    bool narrow;  // 16 bits hold every sum of rows, 32 bits every sum over a box
    Division division;
    void* sums;  // room for 32 bits for each pixel of a row and `area_padding` more

    AreaJob(ConstPlane plane, Boxes rows, Boxes columns, int bits, void* sums)
        : plane(plane),
          rows(rows),
          columns(columns),
          area(static_cast<std::uint64_t>(rows.box) * columns.box),
          narrow(area <= 1u << 15 && rows.box <= 257),
          division(narrow ? static_cast<std::uint32_t>(area) : 1, bits),
          sums(sums) {}
};

constexpr int area_padding = 32;

}  // namespace pullfx
