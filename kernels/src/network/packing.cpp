#include "packing.hpp"

namespace pullfx {

PackedWeights pack_dense(const StepSpec& spec, const Layout& layout, int stored, int inputs,
                         int outputs) {
    // A row of the window is read in one go where its pixels are neighbours, else pixel by pixel.
    const bool apart = spec.columns == 1 || spec.column_dilation > 1;
    const int columns = apart ? 1 : spec.columns, parts = apart ? spec.columns : 1;
    const int length = (columns - 1) * stored + inputs;
    const int groups = (length + layout.group - 1) / layout.group;
    PackedWeights packed;
    for (int row = 0; row < spec.rows; ++row) {
        for (int part = 0; part < parts; ++part) {
            packed.segments.push_back({row, part * spec.column_dilation * stored, groups});
        }
    }
    const auto weight = [&](int output, int row, int part, int value) -> std::int16_t {
        const int column = part + value / stored, input = value % stored;
        if (output >= outputs || value >= length || input >= inputs) return 0;
        const std::ptrdiff_t pixel =
            (static_cast<std::ptrdiff_t>(output) * spec.rows + row) * spec.columns + column;
        return spec.weights[pixel * inputs + input];
    };
    for (int first = 0; first < outputs; first += channel_block) {
        for (std::size_t index = 0; index < packed.segments.size(); ++index) {
            const int row = static_cast<int>(index) / parts, part = static_cast<int>(index) % parts;
            for (int value = 0; value < groups * layout.group; value += layout.group) {
                for (const int place : layout.order) {
                    for (int next = value; next < value + layout.group; ++next) {
                        packed.weights.push_back(weight(first + place, row, part, next));
                    }
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
    std::vector<std::int16_t> weights;
    for (int first = 0; first < channels; first += channel_block) {
        for (int column = 0; column < spec.columns; ++column) {
            for (int row = 0; row < spec.rows; row += 2) {
                for (const int place : layout.order) {
                    weights.push_back(weight(first + place, row, column));
                    weights.push_back(weight(first + place, row + 1, column));
                }
            }
        }
    }
    return weights;
}

}  // namespace pullfx
