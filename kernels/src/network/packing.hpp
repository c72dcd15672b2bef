// Weights in the order in which the kernels of an instruction set read them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "spec.hpp"

namespace pullfx {

struct PackedWeights {
    std::vector<Segment> segments;
    std::vector<std::int16_t> weights;  // [blocks][groups][16][Packing::group]
};

// Of a convolution whose input has `inputs` channels, stored as `stored`, to `outputs` channels.
PackedWeights pack_dense(const StepSpec& spec, const Layout& layout, int stored, int inputs,
                         int outputs);

// [blocks][columns][groups of rows][16][Packing::group]
std::vector<std::int16_t> pack_depthwise(const StepSpec& spec, const Layout& layout, int channels);

// Of a transposed convolution to one channel, 2x2: [groups of channels][4 outputs][Packing::group]
std::vector<std::int16_t> pack_expand(const StepSpec& spec, const Layout& layout, int stored,
                                      int inputs);

// Of outputs, in natural order.
std::vector<std::int32_t> pack_bias(const StepSpec& spec, const Layout& layout);

}  // namespace pullfx
