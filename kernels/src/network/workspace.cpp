#include "workspace.hpp"

#include <functional>

namespace pullfx {

namespace {

// Gives a step new addresses for all that lies in the memory of a run.
class Move {
  public:
    Move(const Plan& plan, std::uint8_t* to, std::vector<std::vector<Thin>>& chains)
        : from_(plan.origin.get()), size_(plan.memory), to_(to), chains_(chains) {}

    void operator()(CopyStep& step) { codes(step.in, step.out); }
    void operator()(ExpandStep& step) { codes(step.in); }
    void operator()(MaskStep& step) { codes(step.in); }
    void operator()(ResultStep& step) { step.in = moved(step.in); }

    void operator()(DenseStep& step) {
        codes(step.in, step.out);
        chain(step.finish);
    }

    void operator()(DepthwiseStep& step) {
        codes(step.in, step.out);
        chain(step.finish);
    }

    void operator()(EnlargeStep& step) { (*this)(step.depthwise); }

    void operator()(GateStep& step) {
        step.factors = moved(step.factors);
        step.codes = moved(step.codes);
    }

    void operator()(MeanStep& step) {
        for (Codes& in : step.in) codes(in);
        codes(step.out);
        chain(step.finish);
    }

    void operator()(PoolStep& step) {
        codes(step.in, step.out);
        chain(step.finish);
    }

    void operator()(ThinStep& step) {
        codes(step.in, step.out);
        chain(step.finish);
    }

    void operator()(UpconvStep& step) { (*this)(step.dense); }

  private:
    // Constants, the picture and what is not there stay.
    template <typename T>
    T* moved(T* pointer) const {
        const std::less<const void*> before;
        if (before(pointer, from_) || !before(pointer, from_ + size_)) return pointer;
        const std::ptrdiff_t place = reinterpret_cast<const std::uint8_t*>(pointer) - from_;
        return reinterpret_cast<T*>(to_ + place);
    }

    template <typename... More>
    void codes(More&... tensors) const {
        ((tensors.data = moved(tensors.data)), ...);
    }

    void chain(Finish& finish) {
        std::vector<Thin> thin(finish.thin, finish.thin + finish.count);
        for (Thin& operation : thin) {
            operation.a = moved(operation.a);
            operation.b = moved(operation.b);
            operation.codes = moved(operation.codes);
        }
        finish.numbers = moved(finish.numbers);
        chains_.push_back(std::move(thin));
        finish.thin = chains_.back().data();
    }

    const std::uint8_t* from_;
    std::size_t size_;
    std::uint8_t* to_;
    std::vector<std::vector<Thin>>& chains_;
};

}  // namespace

Workspace::Workspace(const Plan& plan)
    : memory_(plan.memory), scratch_(plan.scratch), passes_(plan.passes) {
    Move move(plan, memory_.data(), chains_);
    for (Pass& pass : passes_) std::visit(move, pass.step);
}

Workspaces::Workspaces(const Plan& plan) : plan_(plan) { give_back(borrow()); }

Workspaces::~Workspaces() {
    for (const Workspace* workspace = first_; workspace;) {
        const Workspace* next = workspace->next_;
        delete workspace;
        workspace = next;
    }
}

Workspace& Workspaces::borrow() {
    for (Workspace* workspace = first_; workspace; workspace = workspace->next_) {
        if (!workspace->busy_.exchange(true, std::memory_order_acquire)) return *workspace;
    }
    Workspace* made = new Workspace(plan_);
    made->busy_ = true;
    made->next_ = first_;
    while (!first_.compare_exchange_weak(made->next_, made)) {
    }
    return *made;
}

void Workspaces::give_back(Workspace& workspace) {
    last_ = &workspace;
    workspace.busy_.store(false, std::memory_order_release);
}

}  // namespace pullfx
