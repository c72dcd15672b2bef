// A network made ready for one instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "plan.hpp"
#include "spec.hpp"
#include "team.hpp"
#include "workspace.hpp"

namespace pullfx {

// Where a run's result goes: to one of the two.
struct Out {
    std::uint8_t* mask;  // [height, width]
    float* numbers;
};

class Network {
  public:
    // `threads` counts the one that calls `run`. Throws std::invalid_argument where the
    // specification is not sound, std::system_error where the system gives no more threads.
    Network(const NetworkSpec& spec, const NetworkKernels& kernels, int threads);

    // May be called from several threads at once: each call has a workspace for itself. Only the
    // first of such calls allocates one; the threads of the team help one call at a time, and a
    // call that finds them busy does without. picture: [height, width, 3], without gaps.
    // `nanoseconds`, where given, takes the time of each step.
    void run(const std::uint8_t* picture, Out out, std::int64_t* nanoseconds = nullptr);

    int height() const { return height_; }
    int width() const { return width_; }
    std::size_t numbers() const { return numbers_; }  // none where there is a mask
    std::size_t step_count() const { return step_count_; }

    // A tensor as the run that ended last left it: [height, width, channels], codes or the bytes of
    // float32.
    std::vector<std::uint8_t> codes(int tensor) const;

  private:
    class Run;

    const NetworkKernels& kernels_;
    int height_, width_;
    std::size_t numbers_, step_count_;
    Plan plan_;
    std::vector<int> shares_;  // before each pass, and of all
    Workspaces workspaces_;
    std::vector<std::vector<std::uint8_t>> helpers_;  // their scratch
    std::unique_ptr<Team> team_;
};

}  // namespace pullfx
