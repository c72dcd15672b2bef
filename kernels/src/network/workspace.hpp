// Where runs of a network happen.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace pullfx {

// Memory and scratch of one run, and the plan's passes with addresses in them.
class Workspace {
  public:
    explicit Workspace(const Plan& plan);
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    const std::vector<Pass>& passes() const { return passes_; }
    std::uint8_t* memory() { return memory_.data(); }
    std::uint8_t* scratch() { return scratch_.data(); }

  private:
    friend class Workspaces;

    std::atomic<bool> busy_{false};
    Workspace* next_ = nullptr;
    std::vector<std::uint8_t> memory_, scratch_;
    std::vector<std::vector<Thin>> chains_;  // with addresses in this memory
    std::vector<Pass> passes_;
};

// As many workspaces as there were runs at the same time, kept for the next ones. There is no lock:
// a process that is forked during a run would find it locked for ever.
class Workspaces {
  public:
    explicit Workspaces(const Plan& plan);
    ~Workspaces();
    Workspaces(const Workspaces&) = delete;
    Workspaces& operator=(const Workspaces&) = delete;

    // One that nobody else has until it is given back; allocates it where all are in use.
    Workspace& borrow();
    void give_back(Workspace& workspace);

    // The one that was given back last.
    Workspace& last() const { return *last_; }

  private:
    const Plan& plan_;
    std::atomic<Workspace*> first_{nullptr}, last_{nullptr};
};

}  // namespace pullfx
