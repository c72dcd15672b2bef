#include "packing.hpp"

#include <algorithm>
#include <numeric>

namespace pullfx {

namespace {

// The weights of a dense convolution as the kernels walk over them: value by value of the segments.
class Walk {
  public:
    Walk(const StepSpec& spec, int stored, int inputs, int outputs)
        : spec_(spec), stored_(stored), inputs_(inputs), outputs_(outputs) {
        // A row of the window is read in one go where its pixels are neighbours, else pixel by
        // pixel.
        const bool apart = spec.columns == 1 || spec.column_dilation > 1;
        parts_ = apart ? spec.columns : 1;
        length_ = ((apart ? 1 : spec.columns) - 1) * stored + inputs;
    }

    int segments() const { return spec_.rows * parts_; }
    int length() const { return length_; }  // values of a segment

    Segment segment(int index) const {
        return {index / parts_, index % parts_ * spec_.column_dilation * stored_, 0};
    }

    int weight(int output, int segment, int value) const {
        const int row = segment / parts_;
        const int column = segment % parts_ + value / stored_, input = value % stored_;
        if (output >= outputs_ || value >= length_ || input >= inputs_) return 0;
        const std::ptrdiff_t pixel =
            (static_cast<std::ptrdiff_t>(output) * spec_.rows + row) * spec_.columns + column;
        return spec_.weights[pixel * inputs_ + input];
    }

    // Whether any two neighbours of a group have weights that together pass the limit.
    bool passes(int limit, int segment, int first, int group) const {
        for (int output = 0; output < outputs_; ++output) {
            for (int value = first; value < first + group; value += 2) {
                const int a = weight(output, segment, value);
                const int b = weight(output, segment, value + 1);
                const int above = std::max(a, 0) + std::max(b, 0);
                const int below = std::min(a, 0) + std::min(b, 0);
                if (std::max(above, -below) > limit) return true;
            }
        }
        return false;
    }

  private:
    const StepSpec& spec_;
    int stored_, inputs_, outputs_, parts_, length_;
};

}  // namespace

PackedWeights pack_dense(const StepSpec& spec, const Layout& layout, int stored, int inputs,
                         int outputs) {
    const Walk walk(spec, stored, inputs, outputs);
    const int group = layout.dense.group;
    // What the kernels multiply in one go. Where that could pass what the instruction set holds,
    // it is done in two goes, each with half of the weights.
    struct Go {
        int segment, value;
        bool halved, rest;
    };
    std::vector<Go> goes, rests;
    PackedWeights packed;
    for (int segment = 0; segment < walk.segments(); ++segment) {
        packed.segments.push_back(walk.segment(segment));
        for (int value = 0; value < walk.length(); value += group) {
            const bool halved =
                layout.pair_limit && walk.passes(layout.pair_limit, segment, value, group);
            goes.push_back({segment, value, halved, false});
            if (halved) rests.push_back({segment, value, true, true});
            ++packed.segments.back().groups;
        }
    }
    for (const Go& rest : rests) {
        packed.segments.push_back(walk.segment(rest.segment));
        packed.segments.back().offset += rest.value;
        packed.segments.back().groups = 1;
    }
    goes.insert(goes.end(), rests.begin(), rests.end());
    for (int first = 0; first < outputs; first += channel_block) {
        for (const Go& go : goes) {
            for (const int place : layout.order) {
                for (int next = 0; next < group; ++next) {
                    const int weight = walk.weight(first + place, go.segment, go.value + next);
                    const int half = weight / 2;
                    packed.weights.push_back(static_cast<std::int16_t>(
                        !go.halved ? weight : (go.rest ? half : weight - half)));
                }
            }
        }
    }
    return packed;
}

std::vector<std::int16_t> pack_depthwise(const StepSpec& spec, const Layout& layout, int channels) {
    const auto weight = [&](int channel, int row, int column) -> std::int16_t {
        if (channel >= channels || row >= spec.rows) return 0;
        return spec
            .weights[(static_cast<std::ptrdiff_t>(channel) * spec.rows + row) * spec.columns +
                     column];
    };
    const int group = layout.depthwise.group;
    std::vector<std::int16_t> weights;
    for (int first = 0; first < channels; first += channel_block) {
        for (int column = 0; column < spec.columns; ++column) {
            for (int row = 0; row < spec.rows; row += group) {
                for (const int place : layout.order) {
                    for (int next = row; next < row + group; ++next) {
                        weights.push_back(weight(first + place, next, column));
                    }
                }
            }
        }
    }
    return weights;
}

std::vector<std::int16_t> pack_expand(const StepSpec& spec, const Layout& layout, int stored,
                                      int inputs) {
    const int group = layout.depthwise.group;
    std::vector<std::int16_t> weights;
    for (int first = 0; first < stored; first += group) {
        for (int output = 0; output < 4; ++output) {
            for (int input = first; input < first + group; ++input) {
                weights.push_back(input < inputs ? spec.weights[output * inputs + input] : 0);
            }
        }
    }
    return weights;
}

std::vector<std::int32_t> pack_bias(const StepSpec& spec, const Layout& layout) {
    std::vector<std::int32_t> bias(spec.bias);
    const std::size_t length = bias.empty() ? 0 : spec.weights.size() / bias.size();
    auto weights = spec.weights.begin();
    for (std::int32_t& number : bias) {
        const std::int64_t sum = std::accumulate(weights, weights + length, std::int64_t{0});
        // What does not fit wraps around, and back when the products are added.
        number = static_cast<std::int32_t>(number + sum * layout.centre);
        weights += length;
    }
    return bias;
}

}  // namespace pullfx
