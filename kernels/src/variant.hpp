// The kernels of one instruction set, and the list of all that this build has.
#pragma once

#include <cstdint>

#include "box.hpp"
#include "network/kernels.hpp"
#include "plane.hpp"

namespace pullfx {

// Y'CbCr to R'G'B', see colour.py: all but `black` scaled by 2^13.
struct Coefficients {
    std::int32_t black, luma, red_v, green_u, green_v, blue_u;
};

// All that `downscale_rgb` needs, so that the code of an instruction set allocates nothing.
struct DownscaleJob {
    ConstPlane planes[3];  // Y, Cb, Cr
    Plane out;             // `width` pixels of three bytes each
    Boxes rows[2];         // for luma, for chroma
    Boxes columns[2];
    Coefficients coefficients;
    void* sums;               // room for 32 bits for each pixel of a row of luma and `padding` more
    std::uint16_t* means[3];  // room for a row of `out`, each
    static constexpr int padding = 8;
};

struct Variant {
    const char* name;
    bool (*supported)();

    void (*blend)(ConstPlane foreground, ConstPlane background, ConstPlane mask, Plane out);
    void (*blend_half)(ConstPlane foreground, ConstPlane background, ConstPlane mask, Plane out);
    void (*downscale_rgb)(const DownscaleJob& job);

    const NetworkKernels* network;
};

// One per file in isa/. To add an instruction set: add the file, declare it here, list it in
// variants.cpp and in CMakeLists.txt.
#if defined(__x86_64__) || defined(_M_X64)
#define PULLFX_X86_64 1
extern const Variant avx2;
#if defined(__GNUC__)  // MSVC has no regions of an instruction set
#define PULLFX_AVX512 1
extern const Variant avx512_vnni;
#endif
#endif
extern const Variant portable;

// Fastest first, ended by nullptr.
extern const Variant* const variants[];

}  // namespace pullfx
