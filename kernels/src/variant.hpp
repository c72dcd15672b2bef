// The kernels of one instruction set, and the list of all that this build has.
#pragma once

#include <cstdint>

#include "colour/kernels.hpp"
#include "filter/kernels.hpp"
#include "network/kernels.hpp"
#include "plane.hpp"

namespace pullfx {

struct Variant {
    const char* name;
    bool (*supported)();

    void (*blend)(ConstPlane foreground, ConstPlane background, ConstPlane mask, Plane out);
    void (*blend_half)(ConstPlane foreground, ConstPlane background, ConstPlane mask, Plane out);

    const ColourKernels* colour;
    const FilterKernels* filter;
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
