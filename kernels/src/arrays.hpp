// numpy arrays as the bindings take them, and as kernels work on them. What is checked here once
// more, behind the checks in Python, keeps a wrong call from touching foreign memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

#include "plane.hpp"

namespace pullfx {

using InputArray = nanobind::ndarray<const std::uint8_t, nanobind::ndim<2>, nanobind::device::cpu>;
using OutputArray = nanobind::ndarray<std::uint8_t, nanobind::ndim<2>, nanobind::device::cpu>;

inline void require(bool condition, const char* message) {
    if (!condition) throw nanobind::value_error(message);
}

constexpr std::size_t any_length = (1 << 30) - 1;  // so that no sum of ints overflows

// A plane whose sides are at most `longest`.
template <typename Pixel, typename Array>
Rows<Pixel> rows_of(const Array& array, std::size_t longest) {
    require(array.shape(0) > 0 && array.shape(1) > 0, "a plane is empty");
    require(array.shape(0) <= longest && array.shape(1) <= longest, "a plane is too large");
    require(array.shape(1) == 1 || array.stride(1) == 1, "pixels do not lie side by side");
    return {array.data(), array.stride(0), static_cast<int>(array.shape(0)),
            static_cast<int>(array.shape(1))};
}

inline ConstPlane plane_of(const InputArray& array, std::size_t longest = any_length) {
    return rows_of<const std::uint8_t>(array, longest);
}

inline Plane plane_of(const OutputArray& array, std::size_t longest = any_length) {
    return rows_of<std::uint8_t>(array, longest);
}

template <typename A, typename B>
bool same_shape(const Rows<A>& a, const Rows<B>& b) {
    return a.height == b.height && a.width == b.width;
}

template <typename A, typename B>
bool half_of(const Rows<A>& half, const Rows<B>& whole) {
    return half.height == (whole.height + 1) / 2 && half.width == (whole.width + 1) / 2;
}

// An argument that is taken as it is, never converted.
inline auto exact(const char* name) { return nanobind::arg(name).noconvert(); }

}  // namespace pullfx
