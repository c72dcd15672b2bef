// What every way of making a mean of 3x3 pixels needs.
#pragma once

#include <cstdint>

#include "../loops.hpp"
#include "../plane.hpp"

namespace pullfx {

// Floor of sum / 9: 2^19 / 9 rounded up is exact for every sum of nine bytes.
PULLFX_INLINE std::uint8_t ninth(std::uint32_t sum) {
    return static_cast<std::uint8_t>(sum * 58255 >> 19);
}

// A row and its neighbours; beyond the border a row is its own neighbour.
PULLFX_INLINE void rows_around(ConstPlane plane, int y, const std::uint8_t** rows) {
    rows[0] = plane.row(y > 0 ? y - 1 : 0);
    rows[1] = plane.row(y);
    rows[2] = plane.row(y + 1 < plane.height ? y + 1 : y);
}

}  // namespace pullfx
