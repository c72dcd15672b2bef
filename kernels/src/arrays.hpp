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

// Whether two planes have no byte in common. Planes that alternate in rows of one length, as U and
// V do in some cameras' memory, have none; for other planes that reach into each other it is false.
template <typename A, typename B>
bool apart(const Rows<A>& a, const Rows<B>& b) {
    const auto begin = [](const auto& plane) {
        const std::ptrdiff_t last = (plane.height - 1) * plane.stride;
        return reinterpret_cast<std::uintptr_t>(plane.data) + (last < 0 ? last : 0);
    };
    const auto length = [](const auto& plane) {
        const std::ptrdiff_t last = (plane.height - 1) * plane.stride;
        return static_cast<std::uintptr_t>(last < 0 ? -last : last) + plane.width;
    };
    const std::uintptr_t first = begin(a), second = begin(b);
    if (first + length(a) <= second || second + length(b) <= first) return true;
    const std::uintptr_t stride = a.stride < 0 ? -a.stride : a.stride;
    if (stride == 0 || stride != static_cast<std::uintptr_t>(b.stride < 0 ? -b.stride : b.stride)) {
        return false;
    }
    const std::uintptr_t place =
        second >= first ? (second - first) % stride : (stride - (first - second) % stride) % stride;
    return place >= static_cast<std::uintptr_t>(a.width) && place + b.width <= stride;
}

// An argument that is taken as it is, never converted.
inline auto exact(const char* name) { return nanobind::arg(name).noconvert(); }

}  // namespace pullfx
