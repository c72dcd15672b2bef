#include "checks.hpp"

#include <algorithm>

namespace pullfx {

namespace {

constexpr int longest_side = 8192;
constexpr std::int64_t most_pixels = 1 << 22;  // so that 32 bits hold the sum of as many codes
constexpr int most_channels = 4096;
constexpr std::int64_t largest_arena = std::int64_t{1} << 30;
constexpr std::int64_t most_numbers = 1 << 24;
constexpr int largest_window = 16, largest_stride = 8, largest_dilation = 32;

bool within(int value, int least, int most) { return value >= least && value <= most; }

class Checker {
  public:
    explicit Checker(const NetworkSpec& spec) : spec_(spec) {}

    void check() const {
        require(spec_.arena >= 0 && spec_.arena <= largest_arena, "the arena's size is wrong");
        check_size(spec_.height, spec_.width);
        for (const TensorSpec& tensor : spec_.tensors) {
            check_size(tensor.height, tensor.width);
            require(within(tensor.channels, 1, most_channels), "a tensor has too many channels");
            require(tensor.offset >= 0 && tensor.offset <= spec_.arena - bytes(tensor),
                    "a tensor lies outside of the arena");
            require(!tensor.floats || tensor.offset % alignof(float) == 0,
                    "a tensor of float32 lies askew");
        }
        require(spec_.numbers >= 0 && spec_.numbers <= most_numbers, "there are too many outputs");
        bool has_mask = false;
        std::int64_t numbers = 0;
        for (const StepSpec& step : spec_.steps) {
            check_numbers(step);
            if (step.kind == "result") {
                numbers = check_result(step, numbers);
                continue;
            }
            check_tensors(step);
            has_mask = has_mask || step.kind == "mask" || step.kind == "expand";
        }
        require(numbers == spec_.numbers, "no step writes an output");
        require(has_mask == (numbers == 0), "no step writes the mask, or one does beside outputs");
    }

  private:
    static std::int64_t bytes(const TensorSpec& tensor) {
        const std::int64_t size = tensor.floats ? sizeof(float) : 1;
        return size * stored(tensor) * tensor.height * tensor.width;
    }

    static int stored(const TensorSpec& tensor) {
        return (tensor.channels + channel_block - 1) / channel_block * channel_block;
    }

    static void check_size(int height, int width) {
        require(within(height, 1, longest_side) && within(width, 1, longest_side) &&
                    std::int64_t{height} * width <= most_pixels,
                "a tensor is too large");
    }

    static void check_numbers(const StepSpec& step) {
        require(within(step.rows, 1, largest_window) && within(step.columns, 1, largest_window),
                "a window is too large");
        require(within(step.row_stride, 1, largest_stride) &&
                    within(step.column_stride, 1, largest_stride),
                "a stride is out of range");
        require(within(step.row_dilation, 1, largest_dilation) &&
                    within(step.column_dilation, 1, largest_dilation),
                "a dilation is out of range");
        const int most_border = largest_window * largest_dilation;
        require(within(step.top, 0, most_border) && within(step.left, 0, most_border),
                "a border is too wide");
        require(within(step.spread, 1, 2) && within(step.phase_row, 0, step.spread - 1) &&
                    within(step.phase_column, 0, step.spread - 1),
                "a spread is out of range");
        require(within(step.repeat, 1, largest_stride) && within(step.channel, 0, most_channels),
                "a copy is out of range");
        require(!step.inputs.empty(), "a step has no input");
    }

    const TensorSpec& any_tensor(int index) const {
        require(index >= 0 && static_cast<std::size_t>(index) < spec_.tensors.size(),
                "a step names a tensor that is not there");
        return spec_.tensors[index];
    }

    const TensorSpec& tensor(int index) const {
        require(!any_tensor(index).floats, "a step takes float32 for codes");
        return any_tensor(index);
    }

    static bool same_size(const TensorSpec& a, const TensorSpec& b) {
        return a.height == b.height && a.width == b.width;
    }

    bool apart(const TensorSpec& a, const TensorSpec& b) const {
        return a.offset + bytes(a) <= b.offset || b.offset + bytes(b) <= a.offset;
    }

    void check_tensors(const StepSpec& step) const {
        if (step.kind == "mask") return check_mask(step);
        if (step.kind == "expand") return check_expand(step);
        const TensorSpec& out = any_tensor(step.output);
        if (out.floats) {
            require(step.kind == "dense" && step.spread == 1 && step.thin.size() == 1 &&
                        step.thin[0].kind == "scale",
                    "only the sums of a convolution can become float32");
        }
        for (const int index : step.inputs) {
            if (index == picture_tensor) {
                require(step.kind == "dense", "only a convolution can read the picture");
                continue;
            }
            const TensorSpec& in = tensor(index);
            const bool in_place = step.kind == "thin" && in.offset == out.offset;
            require(in_place || apart(in, out), "a step would overwrite its input");
            if (step.kind == "copy") {
                check_copy(step, in, out);
            } else if (step.kind != "dense" && step.kind != "upconv") {
                require(in.channels == out.channels, "channels differ");
            }
            if (step.kind == "thin") require(same_size(in, out), "sizes differ");
        }
        const TensorSpec in = step.inputs[0] == picture_tensor
                                  ? TensorSpec{spec_.height, spec_.width, 3, 0}
                                  : tensor(step.inputs[0]);
        const bool dense = step.kind == "dense";
        require(step.spread == 1 || dense, "only a convolution can spread");
        if (step.spread > 1) {
            require(out.height % 2 == 0 && out.width % 2 == 0, "a spread does not fit");
        }
        const bool pointwise = step.rows == 1 && step.columns == 1 && step.row_stride == 1 &&
                               step.column_stride == 1 && step.top == 0 && step.left == 0;
        if (step.kind == "upconv" || step.kind == "enlarge") {
            require(pointwise && out.height == 2 * in.height && out.width == 2 * in.width,
                    "an enlargement does not fit");
        } else if (dense && pointwise) {
            require(out.height == step.spread * in.height && out.width == step.spread * in.width,
                    "sizes differ");
        }
        if (step.kind == "mean") {
            require(step.inputs.size() <= most_means && step.factors.size() == step.inputs.size() &&
                        step.zeros.size() == step.inputs.size() && out.height * out.width == 1,
                    "a mean does not fit");
        } else {
            require(step.inputs.size() == 1, "a step has too many inputs");
        }
        if (step.kind == "thin") require(step.zeros.size() == 1, "zero points are missing");
        for (const ThinSpec& thin : step.thin) check_thin(step, thin, out);
    }

    void check_thin(const StepSpec& step, const ThinSpec& thin, const TensorSpec& out) const {
        if (thin.kind == "gate") {
            const TensorSpec& from = tensor(thin.tensor);
            require(from.height == 1 && from.width == 1 && from.channels == out.channels,
                    "a gate does not fit");
        } else if (thin.kind == "add" || thin.kind == "multiply") {
            const TensorSpec& from = tensor(thin.tensor);
            require(step.spread == 1 && same_size(from, out) && from.channels <= out.channels &&
                        stored(from) == stored(out),
                    "tensors that meet differ in size");
            // What is stored beyond the channels of a narrower one may be anything.
            for (std::size_t index = from.channels; index < thin.a.size(); ++index) {
                require(thin.kind == "add" && thin.a[index] == 0, "tensors that meet differ");
            }
            require(from.offset == out.offset || apart(from, out), "tensors overlap");
        }
    }

    // Results follow each other; gives back where the next one goes.
    std::int64_t check_result(const StepSpec& step, std::int64_t place) const {
        require(step.inputs.size() == 1 && step.thin.empty(), "a step has too many inputs");
        const TensorSpec& in = any_tensor(step.inputs[0]);
        require(in.floats, "an output takes codes for float32");
        const std::int64_t size = std::int64_t{in.height} * in.width * in.channels;
        require(step.place == place && size <= spec_.numbers - place, "an output does not fit");
        return place + size;
    }

    static void check_copy(const StepSpec& step, const TensorSpec& in, const TensorSpec& out) {
        require(step.top + std::int64_t{in.height} * step.repeat <= out.height &&
                    step.left + std::int64_t{in.width} * step.repeat <= out.width &&
                    step.channel + std::int64_t{in.channels} <= out.channels,
                "a copy does not fit");
    }

    void check_mask(const StepSpec& step) const {
        require(step.inputs.size() == 1 && step.thin.empty(), "a step has too many inputs");
        const TensorSpec& in = tensor(step.inputs[0]);
        require(in.height == spec_.height && in.width == spec_.width, "the mask has another size");
        require(step.table.size() == 256 || (step.table.size() == 65536 && in.channels >= 2),
                "a table does not fit");
    }

    void check_expand(const StepSpec& step) const {
        const TensorSpec& in = tensor(step.inputs[0]);
        require(
            step.inputs.size() == 1 && 2 * in.height == spec_.height && 2 * in.width == spec_.width,
            "the mask has another size");
        require(step.thin.size() == 1 && step.thin[0].kind == "scale" &&
                    step.thin[0].a.size() == 1 && step.bias.size() == 4 && step.zero.size() == 1 &&
                    step.lowest.size() == 1 && step.highest.size() == 1 && step.table.size() == 256,
                "the last convolution does not fit");
    }

    const NetworkSpec& spec_;
};

template <class Step>
std::size_t window_values(const Step& step) {
    const std::size_t kept = static_cast<std::size_t>(step.window_rows - 1) * step.row_dilation + 1;
    return kept * (static_cast<std::size_t>(step.padded_width) * step.in.channels + channel_block);
}

}  // namespace

void check_network(const NetworkSpec& spec) { Checker(spec).check(); }

ThinKind thin_kind(const std::string& name) {
    if (name == "scale") return ThinKind::scale;
    if (name == "hard_swish") return ThinKind::hard_swish;
    if (name == "clip") return ThinKind::clip;
    if (name == "add") return ThinKind::add;
    if (name == "multiply") return ThinKind::multiply;
    if (name == "prelu") return ThinKind::prelu;
    if (name == "round") return ThinKind::round;
    throw std::invalid_argument("a thin operation of unknown kind '" + name + "'");
}

Chain chain_of(const std::vector<Thin>& thin) {
    const auto kinds = [&](std::initializer_list<ThinKind> wanted) {
        return std::equal(thin.begin(), thin.end(), wanted.begin(), wanted.end(),
                          [](const Thin& made, ThinKind kind) { return made.kind == kind; });
    };
    if (kinds({ThinKind::scale})) return Chain::scale;
    if (kinds({ThinKind::hard_swish})) return Chain::hard_swish;
    if (kinds({ThinKind::scale, ThinKind::add})) return Chain::scale_add;
    if (kinds({ThinKind::scale, ThinKind::clip, ThinKind::add})) return Chain::scale_clip_add;
    if (kinds({ThinKind::scale, ThinKind::prelu})) return Chain::scale_prelu;
    if (kinds({ThinKind::scale, ThinKind::add, ThinKind::prelu})) return Chain::scale_add_prelu;
    return Chain::general;
}

int padded_width(const StepSpec& spec, int in_width, int out_width) {
    const int reach =
        (out_width - 1) * spec.column_stride + (spec.columns - 1) * spec.column_dilation + 1;
    return std::max(spec.left + in_width, reach);
}

std::size_t scratch_of(const DenseStep& step) {
    if (!step.pointwise) return widest_value * window_values(step);
    return widest_value * pixels_at_a_time(step.in.channels) * step.in.channels;
}

std::size_t scratch_of(const DepthwiseStep& step) {
    return sizeof(std::int16_t) * window_values(step);
}

std::size_t scratch_of(const UpconvStep& step) {
    const DenseStep& dense = step.dense;
    const std::size_t width = dense.in.width;
    return 4 * sizeof(std::int32_t) * width * dense.out.channels +
           widest_value * width * dense.in.channels;
}

std::size_t scratch_of(const EnlargeStep& step) {
    const std::size_t width = step.depthwise.in.width;
    return (4 * sizeof(std::int32_t) + sizeof(std::int16_t)) * width * step.depthwise.in.channels;
}

}  // namespace pullfx
