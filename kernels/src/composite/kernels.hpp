// The kernels of one instruction set that make a picture of a person and a background.
//
// "Half" is the size of a frame's chroma planes. The grid at `shift` has a pixel, or cell, for each
// 2^shift of the frame's pixels along a side; a last cell may hold fewer.
#pragma once

#include <cstdint>

#include "../filter/area.hpp"
#include "../plane.hpp"
#include "scratch.hpp"

namespace pullfx {

struct ReduceJob {
    ConstPlane frame[3];
    Plane half;     // luma
    Plane grid[3];  // at `shift`
    int shift;      // 1 to 4, so that 16 bits hold the sum over a cell
};

// Numbers of the guided filter, see guiding.py.
struct Guiding {
    int window;  // in pairs of cells: 3, 5 or 7
    int reach;   // in cells: 1 or 2
    float flatness, edge, steepness, doubt_from, doubt_to;
};

struct GuideJob {
    ConstPlane mask;
    ConstPlane grid[3];
    ConstPlane guide[3];  // all at half size
    Plane out;            // at half size
    int shift;            // of the grid
    Guiding numbers;
    Boxes rows, columns;  // from the mask to the grid
};

struct BlurJob {
    ConstPlane grid[3];
    ConstPlane mask;    // at half size; no data where all is background
    Plane out[3];       // at shift + halvings - 1, or at 1 where that would be 0
    int shift;          // of `grid`
    int halvings;       // of `grid`, before the blur
    const float* taps;  // of a symmetric filter: the middle one, then `radius` more
    int radius;
};

struct LayJob {
    ConstPlane front[3];
    ConstPlane back[3];  // at `shift`; where that is 0, a frame
    ConstPlane mask;     // at half size
    Plane out[3];
    int shift;                   // 0 to 6
    const std::uint8_t* tables;  // [3][256], what becomes of each code at last; or nullptr
};

constexpr int largest_cell_shift = 4;
constexpr int largest_shift = 7;  // of what is blurred
constexpr int largest_radius = 64;

struct CompositeKernels {
    void (*blend)(ConstPlane foreground, ConstPlane background, ConstPlane mask, Plane out);
    void (*blend_half)(ConstPlane foreground, ConstPlane background, ConstPlane mask, Plane out);
    void (*reduce)(const ReduceJob& job, Scratch scratch);
    void (*guide)(const GuideJob& job, Scratch scratch);
    void (*blur)(const BlurJob& job, Scratch scratch);
    void (*lay)(const LayJob& job, Scratch scratch);
};

}  // namespace pullfx
