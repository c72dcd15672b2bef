// The steps of a network as the kernels see them: plain pointers into memory that `Network` owns
// and has checked. Channels come in blocks of 16; numbers per channel lie in the order of the
// variant's `Layout`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pullfx {

constexpr int channel_block = 16;  // channels at a time

// A tensor of 8-bit codes: rows of pixels of channels.
struct Codes {
    std::uint8_t* data;
    int height, width;
    int channels;          // stored in a pixel: a multiple of 16, but of the picture 3
    std::ptrdiff_t pixel;  // bytes from a pixel to the next
    std::ptrdiff_t row;    // bytes from a row to the next

    std::uint8_t* at(int y, int x) const { return data + y * row + x * pixel; }
};

struct Range {
    int begin, end;  // of output rows
};

// What can follow a sum in the same loop, on float32 `v`. Operations are IEEE, one by one in this
// order, never fused.
enum class ThinKind : int {
    scale,       // v = v * a
    hard_swish,  // v = (v * b) * min(max(v * a + 0.5, 0), 1)
    clip,        // v = min(max(v, a), b)
    add,         // v = v + (code - b) * a
    multiply,    // v = v * ((code - b) * a)
    prelu,       // v = max(v, 0) + min(v, 0) * a
    round,       // v = nearest whole number (ties to even) of min(max(v, a), b)
};

struct Thin {
    ThinKind kind;
    const float* a;             // [channels]
    const float* b;             // [channels]
    const std::uint8_t* codes;  // of a second tensor, shaped as the output; else nullptr
};

// Which chains the kernels have in their registers; `general` is any.
enum class Chain : int {
    scale,
    hard_swish,
    scale_add,
    scale_clip_add,
    scale_prelu,
    scale_add_prelu,
    general
};

// All that happens to the sums of a step: thin operations, then the codes
// min(max(round(v) + zero, lowest), highest).
struct Finish {
    Chain chain;
    const Thin* thin;
    int count;
    const std::int16_t* zero;     // [channels], in natural order
    const std::uint8_t* lowest;   // [channels], in natural order
    const std::uint8_t* highest;  // [channels], in natural order
    float* numbers;               // where `v` goes as it is, pixel by pixel; else nullptr
};

// Values that follow each other in a row of the window.
struct Segment {
    int row;     // of the window
    int offset;  // in values, from the first pixel of the window
    int groups;  // of `Packing::group` values
};

struct DenseStep {
    Codes in, out;
    Finish finish;
    bool pointwise;  // 1x1, stride 1: rows may be read as one
    int window_rows, row_stride, column_stride, row_dilation;
    int top, left, padded_width;  // of the input's rows with their borders, in pixels
    const std::uint8_t* border;   // [in.channels] codes of zero
    const Segment* segments;
    int segment_count;
    int groups;                // of all segments
    const void* weights;       // [blocks][groups][16][Packing::group]
    const std::int32_t* bias;  // [blocks * 16]
};

struct DepthwiseStep {
    Codes in, out;
    Finish finish;
    int window_rows, window_columns, row_stride, column_stride, row_dilation, column_dilation;
    int top, left, padded_width;
    const std::uint8_t* border;
    const void* weights;  // [blocks][columns][groups of rows][16][Packing::group]
    const std::int32_t* bias;
};

// A 1x1 convolution and bilinear enlargement by two, in this order.
struct UpconvStep {
    DenseStep dense;  // its `out` and `finish` stand for the whole step
};

// Bilinear enlargement by two of what a depthwise 1x1 convolution gives.
struct EnlargeStep {
    DepthwiseStep depthwise;  // its `out` and `finish` stand for the whole step
};

constexpr int most_means = 4;

// The sum of the means of several tensors.
struct MeanStep {
    int count;
    Codes in[most_means];
    const std::int32_t* start[most_means];  // [channels], less height * width * zero point
    const float* factor[most_means];        // [channels]
    Codes out;
    Finish finish;
};

// Thin operations alone; `v` starts as code - start.
struct ThinStep {
    Codes in, out;
    const float* start;
    Finish finish;
};

// A transposed convolution to one channel, 2x2 with stride 2, and a table: the mask.
struct ExpandStep {
    Codes in;
    const void* weights;  // [groups of channels][4 outputs][Packing::group]
    std::int32_t bias[4];
    float scale;
    int zero, lowest, highest;
    const std::uint8_t* table;  // [256]
};

struct PoolStep {
    Codes in, out;
    Finish finish;  // for means: of the sum over the window of code - border
    bool mean;
    bool plain;  // the codes themselves, not finished
    int window_rows, window_columns, row_stride, column_stride, top, left;
    const std::uint8_t* border;
};

}  // namespace pullfx
