// A network made ready for one instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels.hpp"
#include "spec.hpp"

namespace pullfx {

class Network {
  public:
    // Throws std::invalid_argument where the specification is not sound.
    Network(const NetworkSpec& spec, const NetworkKernels& kernels);

    // One call at a time; a second one waits. picture: [height, width, 3], mask: [height, width],
    // both without gaps. Allocates nothing. `nanoseconds`, where given, takes the time of each
    // step.
    void run(const std::uint8_t* picture, std::uint8_t* mask, std::int64_t* nanoseconds = nullptr);

    int height() const { return height_; }
    int width() const { return width_; }
    std::size_t step_count() const { return steps_.size(); }

    // The codes of a tensor as the last run left them: [height, width, channels].
    std::vector<std::uint8_t> codes(int tensor) const;

  private:
    enum class Kind { dense, depthwise, upconv, mean, thin, pool, copy, mask, expand };

    // Factors that depend on a run: a[i] * table[code].
    struct Gate {
        float* factors;
        const float* a;
        const float* table;
        std::ptrdiff_t table_step;
        const std::uint8_t* codes;
        int channels;
    };

    struct CopyStep {
        Codes in, out;
        int channels, channel, top, left, repeat;
        const std::uint8_t* border;
    };

    struct MaskStep {
        Codes in;
        const std::uint8_t* table;
        bool two;
    };

    struct Step {
        Kind kind;
        std::vector<Gate> gates;
        DenseStep dense{};
        DepthwiseStep depthwise{};
        UpconvStep upconv{};
        MeanStep mean{};
        ThinStep thin{};
        PoolStep pool{};
        CopyStep copy{};
        MaskStep mask{};
        ExpandStep expand{};
    };

    template <typename T>
    T* keep(std::vector<T> values);
    template <typename T>
    const T* natural(const std::vector<T>& values, int channels, int stored, T rest);
    template <typename T>
    const T* ordered(const std::vector<T>& values, int channels, int stored);
    Codes view(int tensor) const;
    int channels_of(int tensor) const;
    Finish finish(const StepSpec& spec, Codes out, int channels, Step& step);
    void add_dense(const StepSpec& spec, Step& step);
    DenseStep dense_of(const StepSpec& spec, Codes in, Codes out, Step& step);
    void add_depthwise(const StepSpec& spec, Step& step);
    void add_upconv(const StepSpec& spec, Step& step);
    void add_mean(const StepSpec& spec, Step& step);
    void add_thin(const StepSpec& spec, Step& step);
    void add_pool(const StepSpec& spec, Step& step);
    void add_copy(const StepSpec& spec, Step& step);
    void add_expand(const StepSpec& spec, Step& step);
    void add_mask(const StepSpec& spec, Step& step);
    void run_step(const Step& step, const std::uint8_t* picture, std::uint8_t* mask);

    const NetworkKernels& kernels_;
    std::mutex running_;
    int height_, width_;
    std::vector<TensorSpec> tensors_;
    std::vector<std::shared_ptr<void>> kept_;
    std::vector<std::uint8_t> arena_, scratch_;
    std::vector<Step> steps_;
};

}  // namespace pullfx
