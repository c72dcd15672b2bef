#include "area.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

namespace pullfx {

BoxTable::BoxTable(int length, int target, int per_sample) {
    const std::size_t filled = (static_cast<std::size_t>(target) + 7) / 8 * 8;
    first_.resize(filled);
    count_.resize(filled);
    // In units of 1/pixel luma pixels all edges are whole numbers. Their products stay below 2^30.
    const int divisor = std::gcd(length, target);
    box_ = length / divisor;
    const int pixel = target / divisor;
    const int sample = per_sample * pixel;
    int most = 0;
    for (int index = 0; index < target; ++index) {
        first_[index] = index * box_ / sample;
        count_[index] = ((index + 1) * box_ - 1) / sample - first_[index] + 1;
        most = std::max(most, count_[index]);
    }
    taps_ = (most + 3) / 4 * 4;
    weights_.resize(taps_ * filled);
    for (int index = 0; index < target; ++index) {
        int start = index * box_;
        const int end = start + box_;
        for (int tap = 0; tap < count_[index]; ++tap) {
            const int stop = std::min(end, (first_[index] + tap + 1) * sample);
            weights_[Boxes::place(index, tap, taps_)] = static_cast<std::uint16_t>(stop - start);
            start = stop;
        }
    }
    find_neighbours(target);
}

void BoxTable::find_neighbours(int target) {
    if (taps_ != 4) return;
    neighbours_.resize(8 * first_.size());
    for (int index = 0; index < target; index += 2) {
        const int apart = index + 1 < target ? first_[index + 1] - first_[index] : 0;
        std::uint8_t* both = neighbours_.data() + 2 * Boxes::place(index, 0, taps_);
        for (int byte = 0; byte < 8; ++byte) {
            both[byte] = static_cast<std::uint8_t>(byte);
            both[8 + byte] = static_cast<std::uint8_t>(2 * apart + byte);
        }
    }
}

Boxes BoxTable::view() const {
    return {first_.data(), count_.data(), weights_.data(), neighbours_.data(), taps_, box_};
}

std::shared_ptr<const BoxTable> box_table(int length, int target, int per_sample) {
    struct Kept {
        int length, target, per_sample;
        std::shared_ptr<const BoxTable> table;
    };
    static std::mutex mutex;
    static std::array<Kept, 16> kept;
    static std::size_t next = 0;
    const std::lock_guard<std::mutex> lock(mutex);
    for (const Kept& one : kept) {
        if (one.table && one.length == length && one.target == target &&
            one.per_sample == per_sample) {
            return one.table;
        }
    }
    Kept& oldest = kept[next];
    next = (next + 1) % kept.size();
    oldest = {length, target, per_sample,
              std::make_shared<const BoxTable>(length, target, per_sample)};
    return oldest.table;
}

}  // namespace pullfx
