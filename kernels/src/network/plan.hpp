// What a network does in one run: passes over memory that every run has for itself.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "kernels.hpp"
#include "spec.hpp"

namespace pullfx {

// Factors that depend on a run: a[i] * table[code].
struct GateStep {
    float* factors;
    const float* a;
    const float* table;
    std::ptrdiff_t table_step;
    const std::uint8_t* codes;
    int channels;
};

struct CopyStep {
    Codes in, out;
    int channels, channel, top, left, repeat;
    const std::uint8_t* border;  // [out.channels], for what lies around the copy; or nullptr
};

struct MaskStep {
    Codes in;
    const std::uint8_t* table;
    bool two;
};

// To the numbers that come out.
struct ResultStep {
    const float* in;  // [pixels][stored]
    std::ptrdiff_t pixels;
    int channels, stored;
    std::ptrdiff_t place;
};

struct Pass {
    std::variant<CopyStep, DenseStep, DepthwiseStep, EnlargeStep, ExpandStep, GateStep, MaskStep,
                 MeanStep, PoolStep, ResultStep, ThinStep, UpconvStep>
        step;
    int number;  // of the step in the specification
};

// All that runs have in common; none of them changes it.
struct Plan {
    std::vector<TensorSpec> tensors;
    std::vector<Pass> passes;
    std::size_t memory = 0;   // bytes of a run: tensors, then factors of gates
    std::size_t scratch = 0;  // bytes of each thread that works on it
    // From here count the addresses in `passes` that belong to a run; nothing lies here.
    std::unique_ptr<std::uint8_t[]> origin;
    std::vector<std::shared_ptr<void>> constants;
};

// Throws std::invalid_argument where the specification is not sound.
Plan plan_of(const NetworkSpec& spec, const Layout& layout);

// A tensor in the memory of a run.
Codes view_of(const TensorSpec& tensor, std::uint8_t* memory);

}  // namespace pullfx
