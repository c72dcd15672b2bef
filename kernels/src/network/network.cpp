#include "network.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "checks.hpp"

namespace pullfx {

namespace {

constexpr int most_threads = 256;

// What a pass can be divided by: rows of its output, mostly.
struct RowsOf {
    int operator()(const CopyStep& step) const { return step.out.height; }
    int operator()(const DenseStep& step) const { return step.out.height; }
    int operator()(const DepthwiseStep& step) const { return step.out.height; }
    int operator()(const EnlargeStep& step) const { return step.depthwise.out.height; }
    int operator()(const ExpandStep& step) const { return step.in.height; }
    int operator()(const GateStep&) const { return 1; }
    int operator()(const MaskStep& step) const { return step.in.height; }
    int operator()(const MeanStep&) const { return 1; }
    int operator()(const PoolStep& step) const { return step.out.height; }
    int operator()(const ResultStep&) const { return 1; }
    int operator()(const ThinStep& step) const { return step.out.height; }
    int operator()(const UpconvStep& step) const { return step.dense.out.height; }
};

int rows_of(const Pass& pass) { return std::visit(RowsOf{}, pass.step); }

void copy_rows(const CopyStep& step, Range rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
        if (step.border) {
            for (int x = 0; x < step.out.width; ++x) {
                std::memcpy(step.out.at(y, x), step.border, step.out.channels);
            }
        }
        const int from = y - step.top;
        if (from < 0 || from >= step.in.height * step.repeat) continue;
        for (int x = 0; x < step.in.width * step.repeat; ++x) {
            std::memcpy(step.out.at(y, step.left + x) + step.channel,
                        step.in.at(from / step.repeat, x / step.repeat), step.channels);
        }
    }
}

void mask_rows(const MaskStep& step, Range rows, std::uint8_t* mask) {
    const std::ptrdiff_t width = step.in.width;
    for (std::ptrdiff_t pixel = rows.begin * width; pixel < rows.end * width; ++pixel) {
        const std::uint8_t* codes = step.in.data + pixel * step.in.channels;
        mask[pixel] = step.table[step.two ? codes[0] * 256 + codes[1] : codes[0]];
    }
}

void copy_numbers(const ResultStep& step, float* numbers) {
    for (std::ptrdiff_t pixel = 0; pixel < step.pixels; ++pixel) {
        std::memcpy(numbers + step.place + pixel * step.channels, step.in + pixel * step.stored,
                    sizeof(float) * step.channels);
    }
}

void multiply_gate(const GateStep& step, const Layout& layout) {
    for (int place = 0; place < step.channels; ++place) {
        const int channel =
            place / channel_block * channel_block + layout.order[place % channel_block];
        step.factors[place] =
            step.a[place] * step.table[channel * step.table_step + step.codes[channel]];
    }
}

// A share of a pass.
struct RunRows {
    const NetworkKernels& kernels;
    Range rows;
    std::uint8_t* scratch;
    const std::uint8_t* picture;
    Out out;

    void operator()(const CopyStep& step) const { copy_rows(step, rows); }
    void operator()(const DepthwiseStep& step) const { kernels.depthwise(step, rows, scratch); }
    void operator()(const EnlargeStep& step) const { kernels.enlarge(step, rows, scratch); }
    void operator()(const ExpandStep& step) const { kernels.expand(step, rows, out.mask); }
    void operator()(const GateStep& step) const { multiply_gate(step, kernels.layout); }
    void operator()(const MaskStep& step) const { mask_rows(step, rows, out.mask); }
    void operator()(const MeanStep& step) const { kernels.mean(step); }
    void operator()(const PoolStep& step) const { kernels.pool(step, rows); }
    void operator()(const ResultStep& step) const { copy_numbers(step, out.numbers); }
    void operator()(const ThinStep& step) const { kernels.thin(step, rows); }
    void operator()(const UpconvStep& step) const { kernels.upconv(step, rows, scratch); }

    void operator()(const DenseStep& step) const {
        if (step.in.data) return kernels.dense(step, rows, scratch);
        DenseStep first = step;
        first.in.data = const_cast<std::uint8_t*>(picture);  // kernels only read their input
        kernels.dense(first, rows, scratch);
    }
};

}  // namespace

class Network::Run final : public Work {
  public:
    Run(Network& network, Workspace& workspace, const std::uint8_t* picture, Out out,
        std::int64_t* nanoseconds)
        : network_(network),
          workspace_(workspace),
          picture_(picture),
          out_(out),
          nanoseconds_(nanoseconds),
          begun_(Clock::now()) {}

    const std::vector<int>& shares() const override { return network_.shares_; }

    void share(int stage, int index, int member) override {
        const Pass& pass = workspace_.passes()[stage];
        const std::int64_t rows = rows_of(pass);
        const int count = network_.shares_[stage + 1] - network_.shares_[stage];
        const Range range{static_cast<int>(rows * index / count),
                          static_cast<int>(rows * (index + 1) / count)};
        std::uint8_t* scratch =
            member == 0 ? workspace_.scratch() : network_.helpers_[member - 1].data();
        std::visit(RunRows{network_.kernels_, range, scratch, picture_, out_}, pass.step);
    }

    void ended(int stage) override {
        if (!nanoseconds_) return;
        const Clock::time_point now = Clock::now();
        nanoseconds_[network_.plan_.passes[stage].number] +=
            std::chrono::duration_cast<std::chrono::nanoseconds>(now - begun_).count();
        begun_ = now;
    }

  private:
    using Clock = std::chrono::steady_clock;

    Network& network_;
    Workspace& workspace_;
    const std::uint8_t* picture_;
    Out out_;
    std::int64_t* nanoseconds_;
    Clock::time_point begun_;
};

Network::Network(const NetworkSpec& spec, const NetworkKernels& kernels, int threads)
    : kernels_(kernels),
      height_(spec.height),
      width_(spec.width),
      numbers_(static_cast<std::size_t>(spec.numbers)),
      step_count_(spec.steps.size()),
      plan_(plan_of(spec, kernels.layout)),
      workspaces_(plan_) {
    require(threads >= 1 && threads <= most_threads, "the number of threads is out of range");
    shares_.push_back(0);
    for (const Pass& pass : plan_.passes) {
        shares_.push_back(shares_.back() + std::min(threads, rows_of(pass)));
    }
    helpers_.assign(threads - 1, std::vector<std::uint8_t>(plan_.scratch));
    if (threads > 1) team_ = std::make_unique<Team>(threads - 1);
}

void Network::run(const std::uint8_t* picture, Out out, std::int64_t* nanoseconds) {
    Workspace& workspace = workspaces_.borrow();
    Run work(*this, workspace, picture, out, nanoseconds);
    if (!team_ || !team_->run(work)) run_alone(work);
    workspaces_.give_back(workspace);
}

std::vector<std::uint8_t> Network::codes(int tensor) const {
    require(tensor >= 0 && static_cast<std::size_t>(tensor) < plan_.tensors.size(),
            "no such tensor");
    const TensorSpec& spec = plan_.tensors[tensor];
    const Codes from = view_of(spec, workspaces_.last().memory());
    const std::ptrdiff_t size = spec.floats ? sizeof(float) : 1;
    const std::ptrdiff_t pixels = static_cast<std::ptrdiff_t>(from.height) * from.width;
    std::vector<std::uint8_t> result;
    for (std::ptrdiff_t pixel = 0; pixel < pixels; ++pixel) {
        const std::uint8_t* first = from.data + size * pixel * from.channels;
        result.insert(result.end(), first, first + size * spec.channels);
    }
    return result;
}

}  // namespace pullfx
