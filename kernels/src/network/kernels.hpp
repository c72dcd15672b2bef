// The network kernels of one instruction set.
#pragma once

#include "step.hpp"

namespace pullfx {

struct Packing {
    int group;         // values that are multiplied together
    int weight_bytes;  // int8 or int16
};

// How a variant wants weights and numbers per channel.
struct Layout {
    Packing dense;      // groups of input channels
    Packing depthwise;  // groups of rows; also of the channels of a transposed convolution
    int centre;         // what values are less than codes: biases hold what that takes away
    // Most that the weights of two neighbours of one sign may add up to in a dense convolution; 0
    // for no limit.
    int pair_limit;
    int order[channel_block];  // channel of each of the 16 places
};

struct NetworkKernels {
    Layout layout;
    void (*dense)(const DenseStep& step, Range rows, void* scratch);
    void (*depthwise)(const DepthwiseStep& step, Range rows, void* scratch);
    void (*upconv)(const UpconvStep& step, Range rows, void* scratch);
    void (*enlarge)(const EnlargeStep& step, Range rows, void* scratch);
    void (*mean)(const MeanStep& step);
    void (*thin)(const ThinStep& step, Range rows);
    void (*pool)(const PoolStep& step, Range rows);
    void (*expand)(const ExpandStep& step, Range rows, std::uint8_t* mask);
};

// Pixels of a pointwise convolution that are widened at a time.
inline int pixels_at_a_time(int channels) {
    const int fitting = 8192 / channels / 12 * 12;
    return fitting < 48 ? 48 : fitting;
}

// Bytes of scratch for each kernel, for the largest `value_bytes`.
constexpr std::size_t widest_value = 2;
constexpr std::size_t slack = 256;  // kernels may read on for as long

std::size_t scratch_of(const DenseStep& step);
std::size_t scratch_of(const DepthwiseStep& step);
std::size_t scratch_of(const UpconvStep& step);
std::size_t scratch_of(const EnlargeStep& step);

}  // namespace pullfx
