// The kernels of one instruction set, and the list of all that this build has.
#pragma once

#include <cstdint>

#include "colour/kernels.hpp"
#include "composite/kernels.hpp"
#include "cpu.hpp"
#include "filter/kernels.hpp"
#include "network/kernels.hpp"
#include "plane.hpp"
#include "skin/kernels.hpp"

namespace pullfx {

struct Variant {
    const char* name;
    bool (*supported)();

    const ColourKernels* colour;
    const CompositeKernels* composite;
    const FilterKernels* filter;
    const NetworkKernels* network;
    const SkinKernels* skin;
};

// One per file in isa/. To add an instruction set: add the file, declare it here, list it in
// variants.cpp and in CMakeLists.txt.
#if PULLFX_X86_64
extern const Variant avx2;
#if defined(__GNUC__)  // MSVC has no regions of an instruction set
#define PULLFX_AVX512 1
extern const Variant avx512_vnni;
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define PULLFX_AVX_VNNI 1
extern const Variant avx_vnni;
#endif
#endif
#elif PULLFX_ARM64
// Before 16, Clang had these instructions only where they are on for the whole program.
#if !defined(__clang__) || __clang_major__ >= 16 || defined(__ARM_FEATURE_DOTPROD)
#define PULLFX_NEON_DOT 1
extern const Variant neon_dot;
#endif
#endif
extern const Variant portable;

// Fastest first, ended by nullptr.
extern const Variant* const variants[];

}  // namespace pullfx
