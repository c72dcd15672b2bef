// Weights in the order in which the kernels of an instruction set read them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "spec.hpp"

namespace pullfx {

struct PackedWeights {
    std::vector<Segment> segments;
    std::vector<std::int16_t> weights;  // [blocks][groups][16][Layout::group]
};

// Of a convolution whose input has `inputs` channels, stored as `stored`, to `outputs` channels.
PackedWeights pack_dense(const StepSpec& spec, const Layout& layout, int stored, int inputs,
                         int outputs);

// [blocks][columns][pairs of rows][16][2]
std::vector<std::int16_t> pack_depthwise(const StepSpec& spec, const Layout& layout, int channels);

}  // namespace pullfx
