// What kernels work on: bytes that somebody else owns, row by row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pullfx {

template <typename Pixel>
struct Rows {
    Pixel* data;            // first pixel of the first row
    std::ptrdiff_t stride;  // bytes from a row to the next; may be negative
    int height;
    int width;

    Pixel* row(int index) const { return data + index * stride; }
};

using Plane = Rows<std::uint8_t>;
using ConstPlane = Rows<const std::uint8_t>;

}  // namespace pullfx
