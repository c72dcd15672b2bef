#include "team.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <unistd.h>
#endif

namespace pullfx {

namespace {

#if defined(_WIN32)
long this_process() { return 0; }  // there is no fork
#else
long this_process() { return getpid(); }
#endif

// Tells the CPU that this is a loop that waits.
void pause() {
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    _mm_pause();
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ __volatile__("yield");
#endif
}

// Waits for other members, who are done in microseconds unless the system has stopped one.
template <class Condition>
void wait_for(const Condition& condition) {
    constexpr int soon = 1000;
    for (int count = 0; !condition(); ++count) {
        if (count < soon) {
            pause();
        } else {
            std::this_thread::yield();
        }
    }
}

}  // namespace

// A member first claims the share of its own number, stage by stage, since what that reads is what
// it wrote a stage before and lies in its cache. Then it claims what nobody has begun: so a helper
// that the system wakes late, or not at all, holds up nobody.
class Team::Members {
  public:
    explicit Members(int helpers) : claims_(helpers + 1) {
        try {
            for (int member = 1; member <= helpers; ++member) {
                threads_.emplace_back([this, member] { help(member); });
            }
        } catch (...) {
            dismiss();
            throw;
        }
    }

    ~Members() { dismiss(); }

    bool run(Work& work) {
        if (taken_.exchange(true, std::memory_order_acquire)) return false;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            work_ = &work;
            for (Claim& claim : claims_) claim.stages.store(0, std::memory_order_relaxed);
            done_.store(0, std::memory_order_relaxed);
            open_.store(0, std::memory_order_relaxed);
            ++number_;
        }
        wake_.notify_all();
        take_part(work, 0);
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            work_ = nullptr;
        }
        wait_for([this] { return inside_.load(std::memory_order_acquire) == 0; });
        taken_.store(false, std::memory_order_release);
        return true;
    }

  private:
    void help(int member) {
        std::unique_lock<std::mutex> lock(mutex_);
        std::uint64_t seen = 0;
        for (;;) {
            wake_.wait(lock, [&] { return over_ || (work_ && number_ != seen); });
            if (over_) return;
            seen = number_;
            Work& work = *work_;
            inside_.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            take_part(work, member);
            inside_.fetch_sub(1, std::memory_order_release);
            lock.lock();
        }
    }

    // In how many stages a share has been claimed; each number in a cache line of its own.
    struct alignas(64) Claim {
        std::atomic<int> stages{0};

        bool take(int stage) {
            int claimed = stages.load(std::memory_order_relaxed);
            return claimed <= stage &&
                   stages.compare_exchange_strong(claimed, stage + 1, std::memory_order_relaxed);
        }
    };

    void take_part(Work& work, int member) {
        const std::vector<int>& shares = work.shares();
        const int stages = static_cast<int>(shares.size()) - 1;
        int stage = open_.load(std::memory_order_acquire);
        while (stage < stages) {
            const int count = shares[stage + 1] - shares[stage];
            for (int turn = 0; turn < count; ++turn) {
                const int index = (member + turn) % count;
                if (!claims_[index].take(stage)) continue;
                work.share(stage, index, member);
                if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == shares[stage + 1]) {
                    work.ended(stage);
                    open_.store(stage + 1, std::memory_order_release);
                }
            }
            wait_for([&] { return open_.load(std::memory_order_acquire) > stage; });
            stage = open_.load(std::memory_order_acquire);
        }
    }

    void dismiss() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            over_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    Work* work_ = nullptr;  // these three under the mutex
    std::uint64_t number_ = 0;
    bool over_ = false;
    std::atomic<bool> taken_{false};
    std::atomic<int> inside_{0};
    std::vector<Claim> claims_;  // of each share
    // Shares that are done, and the stage that may be worked on. Apart from each other, since some
    // members write to one while others wait for the other.
    alignas(64) std::atomic<int> done_{0};
    alignas(64) std::atomic<int> open_{0};
    std::vector<std::thread> threads_;
};

Team::Team(int helpers) : members_(std::make_unique<Members>(helpers)), process_(this_process()) {}

Team::~Team() {
    // A forked process has no such threads, and nothing that they wait on may be taken down.
    if (!is_here()) members_.release();
}

bool Team::is_here() const { return process_ == this_process(); }

bool Team::run(Work& work) { return is_here() && members_->run(work); }

void run_alone(Work& work) {
    const std::vector<int>& shares = work.shares();
    for (std::size_t stage = 0; stage + 1 < shares.size(); ++stage) {
        for (int index = 0; index < shares[stage + 1] - shares[stage]; ++index) {
            work.share(static_cast<int>(stage), index, 0);
        }
        work.ended(static_cast<int>(stage));
    }
}

}  // namespace pullfx
