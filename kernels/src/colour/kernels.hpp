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

// Y'CbCr to pixels of three bytes. Each is a sum in units of 1/64: of luma, `offset`, and one or
// two parts of the chroma planes `p` and `q`. For R'G'B' p is Cr, for B'G'R' it is Cb.
struct ToPixels {
    std::int16_t luma, offset;
    std::int16_t first_p, second_p, second_q, third_q;
};

// Pixels of three bytes to Y'CbCr: luma in units of 1/256, chroma of 1/128.
struct FromPixels {
    std::uint16_t luma[3];  // scaled by 2^16
    std::uint16_t offset;
    std::int16_t cb[3], cr[3];  // scaled by 2^15
};

// Cb and Cr from Y', Cb and Cr, each without its code of black or grey, scaled by 2^13.
struct Mixing {
    std::int32_t black;
    std::int32_t u[3], v[3];
};

// Y', Cb and Cr from all three, by tables with an entry for every 2^shift codes along each: [3],
// for Y', Cb and Cr, of [Cb][Cr][Y'], in units of 1/64.
struct MapJob {
    ConstPlane in[3];
    Plane out[3];
    const std::int16_t* tables;
    int shift;  // 2 to 5
};

// What MapJob has of a row of chroma, and of the two rows of luma that it lies on.
struct MapRows {
    const std::uint8_t *luma[2], *u, *v;
    std::uint8_t *out[2], *out_u, *out_v;
};

// Blocks that a primitive works on: two rows of so many pixels.
constexpr int pixel_block = 32;

struct ColourKernels {
    void (*downscale_rgb)(const DownscaleJob& job);
    // `pixels` is `width` pixels of three bytes each.
    void (*planes_to_pixels)(ConstPlane y, ConstPlane p, ConstPlane q, Plane pixels,
                             const ToPixels& coefficients);
    void (*pixels_to_planes)(ConstPlane pixels, Plane y, Plane u, Plane v,
                             const FromPixels& coefficients);
    void (*split_pairs)(ConstPlane pairs, Plane first, Plane second);
    void (*merge_pairs)(ConstPlane first, ConstPlane second, Plane pairs);
    // `yuyv` has two bytes for each pixel of `y`.
    void (*yuyv_to_planes)(ConstPlane yuyv, Plane y, Plane u, Plane v);
    void (*planes_to_yuyv)(ConstPlane y, ConstPlane u, ConstPlane v, Plane yuyv);
    void (*apply_table)(ConstPlane in, const std::uint8_t* table, Plane out);
    // out = table[256 * first + second]
    void (*apply_pair_table)(ConstPlane first, ConstPlane second, const std::uint8_t* table,
                             Plane out);
    void (*scale_chroma)(ConstPlane in, std::int16_t factor, Plane out);  // scaled by 2^13
    void (*mix_chroma)(ConstPlane luma, ConstPlane u, ConstPlane v, Plane out_u, Plane out_v,
                       const Mixing& factors);
    void (*map_colours)(const MapJob& job);
};

}  // namespace pullfx
