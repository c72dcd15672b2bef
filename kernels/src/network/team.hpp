// Threads that help a caller.
#pragma once

#include <memory>
#include <vector>

namespace pullfx {

// Something to do in stages, each in shares that do not need each other.
class Work {
  public:
    // The number of shares before each stage, and at the end that of all. A stage has at least one,
    // and at most as many as the team has members.
    virtual const std::vector<int>& shares() const = 0;
    // `member` of the team is 0 for the caller. Does not throw.
    virtual void share(int stage, int index, int member) = 0;
    // After the last share of a stage, by whoever did that one.
    virtual void ended(int stage) = 0;

  protected:
    ~Work() = default;
};

class Team {
  public:
    // Throws std::system_error where the system gives no more threads.
    explicit Team(int helpers);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    // Does the work together with the caller. Returns false, with nothing done, where the team is
    // at work for another caller, or stayed behind in the process that this one was forked from.
    bool run(Work& work);

  private:
    class Members;
    bool is_here() const;

    std::unique_ptr<Members> members_;
    long process_;
};

// Does the work without a team.
void run_alone(Work& work);

}  // namespace pullfx
