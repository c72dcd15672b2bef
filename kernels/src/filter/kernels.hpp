// The filters of one instruction set.
#pragma once

#include "area.hpp"
#include "three.hpp"

namespace pullfx {

// A mean over a square of (2 * radius + 1)^2 pixels, and the room to make it in.
struct BoxJob {
    ConstPlane in;
    Plane out;  // of the same size; may be the same memory
    int radius;
    Division division;     // by the number of pixels
    std::uint8_t* row;     // room for a row with its borders and `box_padding` more
    void* sums;            // room for `kept_rows` rows of sums, of 16 or 32 bits
    std::ptrdiff_t pitch;  // numbers from one of them to the next
    std::uint32_t* total;  // room for a row of 32 bits

    bool narrow() const { return radius <= widest_narrow; }
    int kept_rows() const { return in.height < 2 * radius + 2 ? in.height : 2 * radius + 2; }

    static constexpr int widest_narrow = 128;  // 16 bits hold the sum of a row's part
    static constexpr int widest = 1023;        // 32 bits hold the factor of the division
};

constexpr int box_padding = 32;

// Where the samples of an enlarged or reduced axis lie: at `first` and a part of 32768 after it.
struct Positions {
    const std::int32_t* first;
    const std::int16_t* part;
};

struct BilinearJob {
    ConstPlane in;
    Plane out;
    Positions rows, columns;
    std::int16_t* lines[2];  // room for a row of `out` and `box_padding` more, each
    std::uint16_t* pairs;    // the same
};

struct FilterKernels {
    void (*mean_3x3)(ConstPlane in, Plane out);
    void (*box_mean)(const BoxJob& job);
    void (*upsample_2x)(ConstPlane in, Plane out, std::uint16_t* line);  // room for width + 2
    void (*resize_bilinear)(const BilinearJob& job);
    void (*resize_area)(const AreaJob& job, Plane out, std::uint16_t* means);
};

}  // namespace pullfx
