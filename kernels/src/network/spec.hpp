// A network as the compiler in kernels/network hands it over. Nothing in it is trusted: `Network`
// checks every number that leads to an address. Numbers per channel are in natural order, as many
// as the tensor has channels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pullfx {

constexpr int picture_tensor = -1;  // the input, [height, width, 3]

struct TensorSpec {
    int height = 1, width = 1, channels = 1;
    bool floats = false;      // float32 instead of codes
    std::int64_t offset = 0;  // into the arena
};

struct ThinSpec {
    std::string kind;          // a name of `ThinKind`, or "gate": scale whose `a` is multiplied
    std::vector<float> a, b;   // with table[code of channel] first
    std::vector<float> table;  // [256] for all channels or [channels][256]
    int tensor = picture_tensor;
};

struct StepSpec {
    std::string kind;  // dense, depthwise, upconv, enlarge, mean, thin, maximum, average, copy,
                       // mask, expand, result
    std::vector<int> inputs;
    int output = 0;
    int rows = 1, columns = 1, row_stride = 1, column_stride = 1;
    int row_dilation = 1, column_dilation = 1, top = 0, left = 0;
    int spread = 1, phase_row = 0, phase_column = 0;  // of a transposed convolution's outputs
    int repeat = 1, channel = 0;       // of a copy: nearest enlargement, first channel
    std::int64_t place = 0;            // of a result: in the numbers
    std::vector<std::int8_t> weights;  // [out][rows][columns][in], depthwise without [in]
    std::vector<std::int32_t> bias;
    std::vector<std::uint8_t> border;         // zero points of the (first) input
    std::vector<std::vector<float>> factors;  // of means, one per input
    std::vector<std::vector<float>> zeros;    // zero points of the inputs: of means, of thin steps
    std::vector<ThinSpec> thin;
    std::vector<std::uint8_t> zero, lowest, highest;
    std::vector<std::uint8_t> table;  // of a mask: [256] or [256][256]
};

struct NetworkSpec {
    int height = 1, width = 1;  // of picture and mask
    std::int64_t numbers = 0;   // float32 that come out instead of a mask
    std::int64_t arena = 0;     // bytes
    std::vector<TensorSpec> tensors;
    std::vector<StepSpec> steps;
};

}  // namespace pullfx
