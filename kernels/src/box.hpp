// Exact area averages along one axis: which samples a target pixel covers, and how much of each.
#pragma once

#include <cstdint>
#include <vector>

namespace pullfx {

// `weights` has `taps` numbers per target pixel: the parts of the samples `first`, `first + 1`, ...
// that lie in its box, in units in which a whole box is `box` long. Numbers beyond `count` are 0,
// and so are all of those that fill up the target pixels to a multiple of 8.
struct Boxes {
    const std::int32_t* first;
    const std::int32_t* count;
    const std::uint16_t* weights;
    int taps;  // a multiple of 8
    int box;
};

// Owns the tables that `Boxes` shows.
class BoxTable {
  public:
    // `length` luma pixels become `target` pixels; each sample stands for `per_sample` luma pixels,
    // the last one for what is left. `length` and `target` are 1..32767.
    BoxTable(int length, int target, int per_sample);

    Boxes view() const;

  private:
    std::vector<std::int32_t> first_;
    std::vector<std::int32_t> count_;
    std::vector<std::uint16_t> weights_;
    int taps_;
    int box_;
};

}  // namespace pullfx
