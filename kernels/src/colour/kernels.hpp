// The colour kernels of one instruction set.
#pragma once

#include "../filter/area.hpp"

namespace pullfx {

// Y'CbCr to R'G'B', see colour.py: all but `black` scaled by 2^13.
struct Coefficients {
    std::int32_t black, luma, red_v, green_u, green_v, blue_u;
};

// All that `downscale_rgb` needs, so that the code of an instruction set allocates nothing.
struct DownscaleJob {
    AreaJob planes[3];  // Y, Cb, Cr, in units of 1/256
    Plane out;          // `width` pixels of three bytes each
    Coefficients coefficients;
    std::uint16_t* means[3];  // room for a row of `out` and `area_padding` more, each
};

struct ColourKernels {
    void (*downscale_rgb)(const DownscaleJob& job);
};

}  // namespace pullfx
