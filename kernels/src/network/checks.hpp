// The checks that stand between a specification and raw memory.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "spec.hpp"

namespace pullfx {

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

template <typename T>
void check_length(const std::vector<T>& values, std::int64_t length) {
    require(static_cast<std::int64_t>(values.size()) == length, "an array has a wrong length");
}

// That all tensors lie in the arena, that all steps name tensors there are, of sizes that fit to
// each other, and that all numbers are small enough for the arithmetic on addresses.
void check_network(const NetworkSpec& spec);

ThinKind thin_kind(const std::string& name);
Chain chain_of(const std::vector<Thin>& thin);

// Pixels of an input row with its borders: as far as the last window reaches.
int padded_width(const StepSpec& spec, int in_width, int out_width);

}  // namespace pullfx
