#include "network.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "checks.hpp"
#include "packing.hpp"

namespace pullfx {

namespace {

// Steps that read the picture find it here until a run gives its address.
constexpr std::uint8_t* no_picture = nullptr;

constexpr std::size_t most_scratch = std::size_t{1} << 28;

int stored(int channels) { return (channels + channel_block - 1) / channel_block * channel_block; }

}  // namespace

Network::Network(const NetworkSpec& spec, const NetworkKernels& kernels)
    : kernels_(kernels), height_(spec.height), width_(spec.width), tensors_(spec.tensors) {
    check_network(spec);
    arena_.resize(static_cast<std::size_t>(spec.arena) + slack);
    steps_.reserve(spec.steps.size());
    std::size_t scratch = 0;
    for (const StepSpec& made : spec.steps) {
        Step step{};
        if (made.kind == "dense") {
            add_dense(made, step);
            scratch = std::max(scratch, scratch_of(step.dense));
        } else if (made.kind == "depthwise") {
            add_depthwise(made, step);
            scratch = std::max(scratch, scratch_of(step.depthwise));
        } else if (made.kind == "upconv") {
            add_upconv(made, step);
            scratch = std::max(scratch, scratch_of(step.upconv));
        } else if (made.kind == "mean") {
            add_mean(made, step);
        } else if (made.kind == "thin") {
            add_thin(made, step);
        } else if (made.kind == "maximum" || made.kind == "average") {
            add_pool(made, step);
        } else if (made.kind == "copy") {
            add_copy(made, step);
        } else if (made.kind == "expand") {
            add_expand(made, step);
        } else if (made.kind == "mask") {
            add_mask(made, step);
        } else {
            throw std::invalid_argument("a step of unknown kind '" + made.kind + "'");
        }
        steps_.push_back(std::move(step));
    }
    require(scratch <= most_scratch, "a step needs too much scratch");
    scratch_.resize(scratch + slack);
}

template <typename T>
T* Network::keep(std::vector<T> values) {
    values.resize(values.size() + slack / sizeof(T));
    auto owner = std::make_shared<std::vector<T>>(std::move(values));
    kept_.push_back(owner);
    return owner->data();
}

template <typename T>
const T* Network::natural(const std::vector<T>& values, int channels, int count, T rest) {
    check_length(values, channels);
    std::vector<T> result(values);
    result.resize(count, rest);
    return keep(std::move(result));
}

template <typename T>
const T* Network::ordered(const std::vector<T>& values, int channels, int count) {
    check_length(values, channels);
    std::vector<T> result(count);
    for (int place = 0; place < count; ++place) {
        const int channel =
            place / channel_block * channel_block + kernels_.layout.order[place % channel_block];
        if (channel < channels) result[place] = values[channel];
    }
    return keep(std::move(result));
}

Codes Network::view(int tensor) const {
    if (tensor == picture_tensor) return {no_picture, height_, width_, 3, 3, width_ * 3};
    const TensorSpec& spec = tensors_[tensor];
    const int count = stored(spec.channels);
    return {const_cast<std::uint8_t*>(arena_.data()) + spec.offset,
            spec.height,
            spec.width,
            count,
            count,
            static_cast<std::ptrdiff_t>(count) * spec.width};
}

int Network::channels_of(int tensor) const {
    return tensor == picture_tensor ? 3 : tensors_[tensor].channels;
}

std::vector<std::uint8_t> Network::codes(int tensor) const {
    require(tensor >= 0 && static_cast<std::size_t>(tensor) < tensors_.size(), "no such tensor");
    const Codes from = view(tensor);
    const int channels = channels_of(tensor);
    std::vector<std::uint8_t> result;
    for (int y = 0; y < from.height; ++y) {
        for (int x = 0; x < from.width; ++x) {
            result.insert(result.end(), from.at(y, x), from.at(y, x) + channels);
        }
    }
    return result;
}

Finish Network::finish(const StepSpec& spec, Codes out, int channels, Step& step) {
    std::vector<Thin> chain;
    for (const ThinSpec& made : spec.thin) {
        Thin thin{};
        const bool gate = made.kind == "gate";
        thin.kind = gate ? ThinKind::scale : thin_kind(made.kind);
        const float* a = ordered(made.a, channels, out.channels);
        thin.a = a;
        thin.b = made.b.empty() ? a : ordered(made.b, channels, out.channels);
        require(!made.b.empty() || thin.kind == ThinKind::scale, "a thin operation lacks numbers");
        if (gate) {
            const Codes from = view(made.tensor);
            const bool shared = made.table.size() == 256;
            if (!shared) check_length(made.table, 256 * channels);
            std::vector<float> table(made.table);
            if (!shared) table.resize(256 * static_cast<std::size_t>(out.channels));
            float* factors = keep(std::vector<float>(out.channels));
            step.gates.push_back(
                {factors, a, keep(std::move(table)), shared ? 0 : 256, from.data, out.channels});
            thin.a = thin.b = factors;
        } else if (thin.kind == ThinKind::add || thin.kind == ThinKind::multiply) {
            thin.codes = view(made.tensor).data;
        }
        chain.push_back(thin);
    }
    const std::vector<std::int16_t> zero(spec.zero.begin(), spec.zero.end());
    Finish finish{};
    finish.chain = chain_of(chain);
    finish.count = static_cast<int>(chain.size());
    finish.zero = natural<std::int16_t>(zero, channels, out.channels, 0);
    finish.lowest = natural<std::uint8_t>(spec.lowest, channels, out.channels, 0);
    finish.highest = natural<std::uint8_t>(spec.highest, channels, out.channels, 0);
    finish.thin = keep(std::move(chain));
    return finish;
}

DenseStep Network::dense_of(const StepSpec& spec, Codes in, Codes out, Step& step) {
    const int from = channels_of(spec.inputs[0]), channels = channels_of(spec.output);
    DenseStep dense{};
    dense.in = in;
    dense.out = out;
    dense.pointwise = spec.rows == 1 && spec.columns == 1 && spec.row_stride == 1 &&
                      spec.column_stride == 1 && spec.top == 0 && spec.left == 0;
    dense.window_rows = spec.rows;
    dense.row_stride = spec.row_stride;
    dense.column_stride = spec.column_stride;
    dense.row_dilation = spec.row_dilation;
    dense.top = spec.top;
    dense.left = spec.left;
    dense.padded_width = padded_width(spec, in.width, out.width);
    dense.border = natural<std::uint8_t>(spec.border, from, in.channels, 0);
    dense.bias = ordered(spec.bias, channels, out.channels);
    check_length(spec.weights,
                 static_cast<std::int64_t>(channels) * spec.rows * spec.columns * from);

    PackedWeights packed = pack_dense(spec, kernels_.layout, in.channels, from, channels);
    for (const Segment& segment : packed.segments) dense.groups += segment.groups;
    dense.segment_count = static_cast<int>(packed.segments.size());
    const std::vector<std::int16_t>& weights = packed.weights;
    if (kernels_.layout.weight_bytes == 1) {
        dense.weights = keep(std::vector<std::int8_t>(weights.begin(), weights.end()));
    } else {
        dense.weights = keep(std::move(packed.weights));
    }
    dense.segments = keep(std::move(packed.segments));
    dense.finish = finish(spec, out, channels, step);
    return dense;
}

void Network::add_dense(const StepSpec& spec, Step& step) {
    step.kind = Kind::dense;
    Codes out = view(spec.output);
    out.data = out.at(spec.phase_row, spec.phase_column);
    out.height /= spec.spread;
    out.width /= spec.spread;
    out.row *= spec.spread;
    out.pixel *= spec.spread;
    step.dense = dense_of(spec, view(spec.inputs[0]), out, step);
}

void Network::add_upconv(const StepSpec& spec, Step& step) {
    step.kind = Kind::upconv;
    step.upconv.dense = dense_of(spec, view(spec.inputs[0]), view(spec.output), step);
}

void Network::add_depthwise(const StepSpec& spec, Step& step) {
    step.kind = Kind::depthwise;
    DepthwiseStep& made = step.depthwise;
    const int channels = channels_of(spec.output);
    made.in = view(spec.inputs[0]);
    made.out = view(spec.output);
    made.window_rows = spec.rows;
    made.window_columns = spec.columns;
    made.row_stride = spec.row_stride;
    made.column_stride = spec.column_stride;
    made.row_dilation = spec.row_dilation;
    made.column_dilation = spec.column_dilation;
    made.top = spec.top;
    made.left = spec.left;
    made.padded_width = padded_width(spec, made.in.width, made.out.width);
    made.border = natural<std::uint8_t>(spec.border, channels, made.in.channels, 0);
    made.bias = ordered(spec.bias, channels, made.out.channels);
    check_length(spec.weights, static_cast<std::int64_t>(channels) * spec.rows * spec.columns);
    made.weights = keep(pack_depthwise(spec, kernels_.layout, channels));
    made.finish = finish(spec, made.out, channels, step);
}

void Network::add_mean(const StepSpec& spec, Step& step) {
    step.kind = Kind::mean;
    MeanStep& made = step.mean;
    const int channels = channels_of(spec.output);
    made.out = view(spec.output);
    made.count = static_cast<int>(spec.inputs.size());
    for (int index = 0; index < made.count; ++index) {
        made.in[index] = view(spec.inputs[index]);
        check_length(spec.zeros[index], channels);
        const int pixels = made.in[index].height * made.in[index].width;
        std::vector<std::int32_t> zero;
        for (const float point : spec.zeros[index]) {
            zero.push_back(pixels * static_cast<std::int32_t>(point));
        }
        made.zero[index] = ordered(zero, channels, made.out.channels);
        made.factor[index] = ordered(spec.factors[index], channels, made.out.channels);
    }
    made.finish = finish(spec, made.out, channels, step);
}

void Network::add_thin(const StepSpec& spec, Step& step) {
    step.kind = Kind::thin;
    ThinStep& made = step.thin;
    const int channels = channels_of(spec.output);
    made.in = view(spec.inputs[0]);
    made.out = view(spec.output);
    made.start = ordered(spec.zeros[0], channels, made.out.channels);
    made.finish = finish(spec, made.out, channels, step);
}

void Network::add_pool(const StepSpec& spec, Step& step) {
    step.kind = Kind::pool;
    PoolStep& made = step.pool;
    const int channels = channels_of(spec.output);
    made.in = view(spec.inputs[0]);
    made.out = view(spec.output);
    made.mean = spec.kind == "average";
    made.window_rows = spec.rows;
    made.window_columns = spec.columns;
    made.row_stride = spec.row_stride;
    made.column_stride = spec.column_stride;
    made.top = spec.top;
    made.left = spec.left;
    made.border = natural<std::uint8_t>(spec.border, channels, made.in.channels, 0);
    made.finish = finish(spec, made.out, channels, step);
}

void Network::add_copy(const StepSpec& spec, Step& step) {
    step.kind = Kind::copy;
    CopyStep& made = step.copy;
    made.in = view(spec.inputs[0]);
    made.out = view(spec.output);
    made.channels = channels_of(spec.inputs[0]);
    made.channel = spec.channel;
    made.top = spec.top;
    made.left = spec.left;
    made.repeat = spec.repeat;
    made.border = spec.border.empty() ? nullptr
                                      : natural<std::uint8_t>(spec.border, channels_of(spec.output),
                                                              made.out.channels, 0);
}

void Network::add_mask(const StepSpec& spec, Step& step) {
    step.kind = Kind::mask;
    step.mask.in = view(spec.inputs[0]);
    step.mask.two = spec.table.size() > 256;
    step.mask.table = keep(spec.table);
}

void Network::add_expand(const StepSpec& spec, Step& step) {
    step.kind = Kind::expand;
    ExpandStep& made = step.expand;
    made.in = view(spec.inputs[0]);
    const int channels = channels_of(spec.inputs[0]);
    check_length(spec.weights, 4 * channels);
    std::vector<std::int16_t> weights(4 * static_cast<std::size_t>(made.in.channels));
    for (int channel = 0; channel < channels; ++channel) {
        for (int output = 0; output < 4; ++output) {
            weights[8 * (channel / 2) + 2 * output + channel % 2] =
                spec.weights[output * channels + channel];
        }
    }
    made.weights = keep(std::move(weights));
    std::copy(spec.bias.begin(), spec.bias.end(), made.bias);
    made.scale = spec.thin[0].a[0];
    made.zero = spec.zero[0];
    made.lowest = spec.lowest[0];
    made.highest = spec.highest[0];
    made.table = keep(spec.table);
}

void Network::run(const std::uint8_t* picture, std::uint8_t* mask, std::int64_t* nanoseconds) {
    const std::lock_guard<std::mutex> only(running_);
    using Clock = std::chrono::steady_clock;
    Clock::time_point begun = Clock::now();
    for (std::size_t index = 0; index < steps_.size(); ++index) {
        run_step(steps_[index], picture, mask);
        if (nanoseconds) {
            const Clock::time_point ended = Clock::now();
            nanoseconds[index] =
                std::chrono::duration_cast<std::chrono::nanoseconds>(ended - begun).count();
            begun = ended;
        }
    }
}

void Network::run_step(const Step& step, const std::uint8_t* picture, std::uint8_t* mask) {
    for (const Gate& gate : step.gates) {
        for (int place = 0; place < gate.channels; ++place) {
            const int channel = place / channel_block * channel_block +
                                kernels_.layout.order[place % channel_block];
            gate.factors[place] =
                gate.a[place] * gate.table[channel * gate.table_step + gate.codes[channel]];
        }
    }
    switch (step.kind) {
        case Kind::dense: {
            DenseStep dense = step.dense;
            // The kernels only read their input.
            if (!dense.in.data) dense.in.data = const_cast<std::uint8_t*>(picture);
            return kernels_.dense(dense, {0, dense.out.height}, scratch_.data());
        }
        case Kind::depthwise:
            return kernels_.depthwise(step.depthwise, {0, step.depthwise.out.height},
                                      scratch_.data());
        case Kind::upconv:
            return kernels_.upconv(step.upconv, {0, step.upconv.dense.out.height}, scratch_.data());
        case Kind::mean:
            return kernels_.mean(step.mean);
        case Kind::thin:
            return kernels_.thin(step.thin, {0, step.thin.out.height});
        case Kind::pool:
            return kernels_.pool(step.pool, {0, step.pool.out.height});
        case Kind::expand:
            return kernels_.expand(step.expand, {0, step.expand.in.height}, mask);
        case Kind::copy: {
            const CopyStep& copy = step.copy;
            if (copy.border) {
                for (int y = 0; y < copy.out.height; ++y) {
                    for (int x = 0; x < copy.out.width; ++x) {
                        std::memcpy(copy.out.at(y, x), copy.border, copy.out.channels);
                    }
                }
            }
            for (int y = 0; y < copy.in.height * copy.repeat; ++y) {
                for (int x = 0; x < copy.in.width * copy.repeat; ++x) {
                    std::memcpy(copy.out.at(copy.top + y, copy.left + x) + copy.channel,
                                copy.in.at(y / copy.repeat, x / copy.repeat), copy.channels);
                }
            }
            return;
        }
        case Kind::mask: {
            const Codes& in = step.mask.in;
            const std::ptrdiff_t pixels = static_cast<std::ptrdiff_t>(in.height) * in.width;
            for (std::ptrdiff_t pixel = 0; pixel < pixels; ++pixel) {
                const std::uint8_t* codes = in.data + pixel * in.channels;
                mask[pixel] = step.mask.table[step.mask.two ? codes[0] * 256 + codes[1] : codes[0]];
            }
            return;
        }
    }
}

}  // namespace pullfx
