#include "plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "checks.hpp"
#include "packing.hpp"

namespace pullfx {

namespace {

// Steps that read the picture find it here until a run gives its address.
constexpr std::uint8_t* no_picture = nullptr;

constexpr std::size_t most_scratch = std::size_t{1} << 28;

int stored(int channels) { return (channels + channel_block - 1) / channel_block * channel_block; }

// Whether codes less their border, finished, are what they were.
bool keeps_codes(const StepSpec& spec) {
    const auto all = [](const auto& values, int wanted) {
        return std::all_of(values.begin(), values.end(),
                           [&](auto value) { return value == wanted; });
    };
    return spec.thin.size() == 1 && spec.thin[0].kind == "scale" && all(spec.thin[0].a, 1) &&
           spec.zero == spec.border && all(spec.lowest, 0) && all(spec.highest, 255);
}

// For steps that need none.
template <class Step>
std::size_t scratch_of(const Step&) {
    return 0;
}

class Builder {
  public:
    Builder(const NetworkSpec& spec, const Layout& layout) : spec_(spec), layout_(layout) {}

    Plan build();

  private:
    template <typename T>
    T* keep(std::vector<T> values);
    const void* keep_weights(std::vector<std::int16_t> weights, const Packing& packing);
    template <typename T>
    const T* natural(const std::vector<T>& values, int channels, int count, T rest);
    template <typename T>
    const T* ordered(const std::vector<T>& values, int channels, int count);
    float* factors(int count);
    Codes view(int tensor) const;
    int channels_of(int tensor) const;
    template <class Step>
    void add(const Step& step);
    void add_step(const StepSpec& spec);
    Finish finish(const StepSpec& spec, Codes out, int channels);
    DenseStep dense(const StepSpec& spec, Codes out);
    DenseStep spread(const StepSpec& spec);
    DepthwiseStep depthwise(const StepSpec& spec);
    MeanStep mean(const StepSpec& spec);
    ThinStep thin(const StepSpec& spec);
    PoolStep pool(const StepSpec& spec);
    CopyStep copy(const StepSpec& spec);
    ExpandStep expand(const StepSpec& spec);
    ResultStep result(const StepSpec& spec) const;

    const NetworkSpec& spec_;
    const Layout& layout_;
    Plan plan_;
    std::size_t used_ = 0;  // of the plan's memory
    int number_ = 0;        // of the step that is built
};

// Room for all factors of gates, which are known only step by step.
std::size_t memory_of_factors(const NetworkSpec& spec) {
    std::size_t total = 0;
    for (const StepSpec& step : spec.steps) {
        for (const ThinSpec& thin : step.thin) {
            if (thin.kind != "gate") continue;
            total += sizeof(float) * stored(spec.tensors[step.output].channels);
        }
    }
    return total;
}

Plan Builder::build() {
    check_network(spec_);
    used_ = (static_cast<std::size_t>(spec_.arena) / slack + 2) * slack;  // aligned for factors
    plan_.tensors = spec_.tensors;
    plan_.memory = used_ + memory_of_factors(spec_) + slack;
    plan_.origin.reset(new std::uint8_t[plan_.memory]);
    for (const StepSpec& step : spec_.steps) {
        add_step(step);
        ++number_;
    }
    require(plan_.scratch <= most_scratch, "a step needs too much scratch");
    plan_.scratch += slack;
    return std::move(plan_);
}

template <typename T>
T* Builder::keep(std::vector<T> values) {
    values.resize(values.size() + slack / sizeof(T));
    auto owner = std::make_shared<std::vector<T>>(std::move(values));
    plan_.constants.push_back(owner);
    return owner->data();
}

const void* Builder::keep_weights(std::vector<std::int16_t> weights, const Packing& packing) {
    if (packing.weight_bytes == sizeof(std::int16_t)) return keep(std::move(weights));
    return keep(std::vector<std::int8_t>(weights.begin(), weights.end()));
}

template <typename T>
const T* Builder::natural(const std::vector<T>& values, int channels, int count, T rest) {
    check_length(values, channels);
    std::vector<T> result(values);
    result.resize(count, rest);
    return keep(std::move(result));
}

template <typename T>
const T* Builder::ordered(const std::vector<T>& values, int channels, int count) {
    check_length(values, channels);
    std::vector<T> result(count);
    for (int place = 0; place < count; ++place) {
        const int channel =
            place / channel_block * channel_block + layout_.order[place % channel_block];
        if (channel < channels) result[place] = values[channel];
    }
    return keep(std::move(result));
}

float* Builder::factors(int count) {
    float* result = reinterpret_cast<float*>(plan_.origin.get() + used_);
    used_ += sizeof(float) * count;
    return result;
}

Codes Builder::view(int tensor) const {
    if (tensor == picture_tensor) {
        return {no_picture, spec_.height, spec_.width, 3, 3, spec_.width * 3};
    }
    return view_of(spec_.tensors[tensor], plan_.origin.get());
}

int Builder::channels_of(int tensor) const {
    return tensor == picture_tensor ? 3 : spec_.tensors[tensor].channels;
}

template <class Step>
void Builder::add(const Step& step) {
    plan_.scratch = std::max(plan_.scratch, scratch_of(step));
    plan_.passes.push_back({step, number_});
}

void Builder::add_step(const StepSpec& spec) {
    if (spec.kind == "dense") return add(spread(spec));
    if (spec.kind == "depthwise") return add(depthwise(spec));
    if (spec.kind == "upconv") return add(UpconvStep{dense(spec, view(spec.output))});
    if (spec.kind == "enlarge") return add(EnlargeStep{depthwise(spec)});
    if (spec.kind == "mean") return add(mean(spec));
    if (spec.kind == "thin") return add(thin(spec));
    if (spec.kind == "maximum" || spec.kind == "average") return add(pool(spec));
    if (spec.kind == "copy") return add(copy(spec));
    if (spec.kind == "expand") return add(expand(spec));
    if (spec.kind == "result") return add(result(spec));
    if (spec.kind == "mask") {
        return add(MaskStep{view(spec.inputs[0]), keep(spec.table), spec.table.size() > 256});
    }
    throw std::invalid_argument("a step of unknown kind '" + spec.kind + "'");
}

Finish Builder::finish(const StepSpec& spec, Codes out, int channels) {
    std::vector<Thin> chain;
    for (const ThinSpec& made : spec.thin) {
        Thin thin{};
        const bool gate = made.kind == "gate";
        thin.kind = gate ? ThinKind::scale : thin_kind(made.kind);
        const float* a = ordered(made.a, channels, out.channels);
        thin.a = a;
        thin.b = made.b.empty() ? a : ordered(made.b, channels, out.channels);
        const bool alone = thin.kind == ThinKind::scale || thin.kind == ThinKind::prelu;
        require(!made.b.empty() || alone, "a thin operation lacks numbers");
        if (gate) {
            const Codes from = view(made.tensor);
            const bool shared = made.table.size() == 256;
            if (!shared) check_length(made.table, 256 * channels);
            std::vector<float> table(made.table);
            if (!shared) table.resize(256 * static_cast<std::size_t>(out.channels));
            float* made_factors = factors(out.channels);
            add(GateStep{made_factors, a, keep(std::move(table)), shared ? 0 : 256, from.data,
                         out.channels});
            thin.a = thin.b = made_factors;
        } else if (thin.kind == ThinKind::add || thin.kind == ThinKind::multiply) {
            thin.codes = view(made.tensor).data;
        }
        chain.push_back(thin);
    }
    Finish finish{};
    finish.chain = chain_of(chain);
    finish.count = static_cast<int>(chain.size());
    finish.thin = keep(std::move(chain));
    if (spec_.tensors[spec.output].floats) {
        finish.numbers = reinterpret_cast<float*>(out.data);
        return finish;
    }
    const std::vector<std::int16_t> zero(spec.zero.begin(), spec.zero.end());
    finish.zero = natural<std::int16_t>(zero, channels, out.channels, 0);
    finish.lowest = natural<std::uint8_t>(spec.lowest, channels, out.channels, 0);
    finish.highest = natural<std::uint8_t>(spec.highest, channels, out.channels, 0);
    return finish;
}

DenseStep Builder::dense(const StepSpec& spec, Codes out) {
    const int from = channels_of(spec.inputs[0]), channels = channels_of(spec.output);
    DenseStep dense{};
    dense.in = view(spec.inputs[0]);
    dense.out = out;
    dense.pointwise = spec.rows == 1 && spec.columns == 1 && spec.row_stride == 1 &&
                      spec.column_stride == 1 && spec.top == 0 && spec.left == 0;
    dense.window_rows = spec.rows;
    dense.row_stride = spec.row_stride;
    dense.column_stride = spec.column_stride;
    dense.row_dilation = spec.row_dilation;
    dense.top = spec.top;
    dense.left = spec.left;
    dense.padded_width = padded_width(spec, dense.in.width, out.width);
    dense.border = natural<std::uint8_t>(spec.border, from, dense.in.channels, 0);
    dense.bias = ordered(pack_bias(spec, layout_), channels, out.channels);
    check_length(spec.weights,
                 static_cast<std::int64_t>(channels) * spec.rows * spec.columns * from);

    PackedWeights packed = pack_dense(spec, layout_, dense.in.channels, from, channels);
    for (const Segment& segment : packed.segments) dense.groups += segment.groups;
    dense.segment_count = static_cast<int>(packed.segments.size());
    dense.weights = keep_weights(std::move(packed.weights), layout_.dense);
    dense.segments = keep(std::move(packed.segments));
    dense.finish = finish(spec, out, channels);
    return dense;
}

DenseStep Builder::spread(const StepSpec& spec) {
    Codes out = view(spec.output);
    out.data = out.at(spec.phase_row, spec.phase_column);
    out.height /= spec.spread;
    out.width /= spec.spread;
    out.row *= spec.spread;
    out.pixel *= spec.spread;
    return dense(spec, out);
}

DepthwiseStep Builder::depthwise(const StepSpec& spec) {
    DepthwiseStep made{};
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
    made.bias = ordered(pack_bias(spec, layout_), channels, made.out.channels);
    check_length(spec.weights, static_cast<std::int64_t>(channels) * spec.rows * spec.columns);
    made.weights = keep_weights(pack_depthwise(spec, layout_, channels), layout_.depthwise);
    made.finish = finish(spec, made.out, channels);
    return made;
}

MeanStep Builder::mean(const StepSpec& spec) {
    MeanStep made{};
    const int channels = channels_of(spec.output);
    made.out = view(spec.output);
    made.count = static_cast<int>(spec.inputs.size());
    for (int index = 0; index < made.count; ++index) {
        made.in[index] = view(spec.inputs[index]);
        check_length(spec.zeros[index], channels);
        const int pixels = made.in[index].height * made.in[index].width;
        std::vector<std::int32_t> start;
        for (const float zero : spec.zeros[index]) {
            start.push_back(-pixels * static_cast<std::int32_t>(zero));
        }
        made.start[index] = ordered(start, channels, made.out.channels);
        made.factor[index] = ordered(spec.factors[index], channels, made.out.channels);
    }
    made.finish = finish(spec, made.out, channels);
    return made;
}

ThinStep Builder::thin(const StepSpec& spec) {
    ThinStep made{};
    const int channels = channels_of(spec.output);
    made.in = view(spec.inputs[0]);
    made.out = view(spec.output);
    made.start = ordered(spec.zeros[0], channels, made.out.channels);
    made.finish = finish(spec, made.out, channels);
    return made;
}

PoolStep Builder::pool(const StepSpec& spec) {
    PoolStep made{};
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
    made.finish = finish(spec, made.out, channels);
    made.plain = !made.mean && keeps_codes(spec);
    return made;
}

CopyStep Builder::copy(const StepSpec& spec) {
    CopyStep made{};
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
    return made;
}

ExpandStep Builder::expand(const StepSpec& spec) {
    ExpandStep made{};
    made.in = view(spec.inputs[0]);
    const int channels = channels_of(spec.inputs[0]);
    check_length(spec.weights, 4 * channels);
    made.weights =
        keep_weights(pack_expand(spec, layout_, made.in.channels, channels), layout_.depthwise);
    const std::vector<std::int32_t> bias = pack_bias(spec, layout_);
    std::copy(bias.begin(), bias.end(), made.bias);
    made.scale = spec.thin[0].a[0];
    made.zero = spec.zero[0];
    made.lowest = spec.lowest[0];
    made.highest = spec.highest[0];
    made.table = keep(spec.table);
    return made;
}

ResultStep Builder::result(const StepSpec& spec) const {
    const TensorSpec& tensor = spec_.tensors[spec.inputs[0]];
    return {reinterpret_cast<const float*>(view(spec.inputs[0]).data),
            static_cast<std::ptrdiff_t>(tensor.height) * tensor.width, tensor.channels,
            stored(tensor.channels), static_cast<std::ptrdiff_t>(spec.place)};
}

}  // namespace

Plan plan_of(const NetworkSpec& spec, const Layout& layout) {
    return Builder(spec, layout).build();
}

Codes view_of(const TensorSpec& tensor, std::uint8_t* memory) {
    const int count = stored(tensor.channels);
    return {memory + tensor.offset,
            tensor.height,
            tensor.width,
            count,
            count,
            static_cast<std::ptrdiff_t>(count) * tensor.width};
}

}  // namespace pullfx
