// The kernels of one instruction set that retouch skin.
#pragma once

#include <cstdint>

#include "../composite/scratch.hpp"
#include "../plane.hpp"

namespace pullfx {

struct SoftenJob {
    ConstPlane plane;
    ConstPlane weight;  // 255 is skin
    Plane out;          // changes
    int radius;         // 1 to largest_reach
    float flatness;     // variance, above 0
    int limit;          // codes of difference that are taken whole, 1 to largest_limit
    float strength;     // 0 to 1
};

struct RetouchJob {
    ConstPlane changes[3];  // of luma at `shift`, of chroma at half of that size
    ConstPlane base;        // luma at `shift`
    ConstPlane weight;      // of that size; 255 is skin
    Plane frame[3];         // changed in place
    int top, left;          // where all that lies in the frame; even
    int shift;              // 1 to largest_skin_shift
    int detail;             // part of the fine detail that is taken away, in 1/32768
    int limit;              // codes up to which detail is fine, 1 to largest_limit
};

// So that 32 bits hold the sums over a window, a byte a change, and 16 bits all that is added to a
// pixel.
constexpr int largest_reach = 10;
constexpr int largest_limit = 31;
constexpr int largest_skin_shift = 6;

struct SkinKernels {
    void (*soften)(const SoftenJob& job, Scratch scratch);
    void (*retouch)(const RetouchJob& job, Scratch scratch);
};

}  // namespace pullfx
