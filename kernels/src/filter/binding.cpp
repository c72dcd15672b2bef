// The filters in Python.
#include "binding.hpp"

#include <nanobind/stl/array.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../arrays.hpp"

namespace nb = nanobind;

namespace pullfx {

namespace {

template <typename Number>
std::unique_ptr<Number[]> room_for(std::size_t count) {
    return std::unique_ptr<Number[]>(new Number[count]);
}

void mean_3x3(const Variant& variant, InputArray plane, OutputArray out) {
    const ConstPlane from = plane_of(plane);
    const Plane to = plane_of(out);
    require(same_shape(from, to), "shapes differ");
    nb::gil_scoped_release released;
    variant.filter->mean_3x3(from, to);
}

void box_mean(const Variant& variant, InputArray plane, OutputArray out, int radius) {
    const ConstPlane from = plane_of(plane, longest_side);
    const Plane to = plane_of(out, longest_side);
    require(same_shape(from, to), "shapes differ");
    require(radius >= 0 && radius <= BoxJob::widest, "the radius is out of range");
    nb::gil_scoped_release released;
    const std::size_t pitch = static_cast<std::size_t>(from.width) + box_padding;
    const auto row = room_for<std::uint8_t>(pitch + 2 * static_cast<std::size_t>(radius));
    const auto total = room_for<std::uint32_t>(pitch);
    const std::uint32_t side = 2 * static_cast<std::uint32_t>(radius) + 1;
    BoxJob job = {from,
                  to,
                  radius,
                  Division(side * side, 0),
                  row.get(),
                  nullptr,
                  static_cast<std::ptrdiff_t>(pitch),
                  total.get()};
    const std::size_t numbers = pitch * static_cast<std::size_t>(job.kept_rows());
    const auto sums = room_for<std::uint16_t>(job.narrow() ? numbers : 2 * numbers);
    job.sums = sums.get();
    variant.filter->box_mean(job);
}

void upsample_2x(const Variant& variant, InputArray plane, OutputArray out) {
    const ConstPlane from = plane_of(plane);
    const Plane to = plane_of(out);
    require(to.height == 2 * from.height && to.width == 2 * from.width, "shapes differ");
    nb::gil_scoped_release released;
    const auto line = room_for<std::uint16_t>(static_cast<std::size_t>(from.width) + 2);
    variant.filter->upsample_2x(from, to, line.get());
}

constexpr std::int64_t position_unit = 32768;

// A part of an axis, in parts of 32768 of a sample.
struct Extent {
    std::int64_t start, length;

    bool within(int samples) const {
        const std::int64_t whole = samples * position_unit;
        return start >= 0 && length > 0 && start <= whole && length <= whole - start;
    }
};

// Where the middles of `target` pixels over the extent lie among samples, kept within them.
class PositionTable {
  public:
    PositionTable(int samples, Extent extent, int target) : first_(target), part_(room_of(target)) {
        // start + (2 * index + 1) * length / target / 2, less a half, rounded down.
        const std::int64_t divisor = 2 * static_cast<std::int64_t>(target);
        const std::int64_t step = 2 * extent.length;
        std::int64_t numerator = extent.length + (2 * extent.start - position_unit) * target;
        const std::int64_t last = (samples - 1) * position_unit;
        for (int index = 0; index < target; ++index, numerator += step) {
            const std::int64_t place = std::clamp(numerator / divisor, std::int64_t{0}, last);
            first_[index] = static_cast<std::int32_t>(place >> 15);
            part_[index] = static_cast<std::int16_t>(place & 32767);
        }
    }

    Positions view() const { return {first_.data(), part_.data()}; }

  private:
    static std::size_t room_of(int target) {
        return static_cast<std::size_t>(target) + box_padding;
    }

    std::vector<std::int32_t> first_;
    std::vector<std::int16_t> part_;
};

void bilinear(const Variant& variant, ConstPlane from, Plane to, Extent across, Extent down) {
    const PositionTable rows(from.height, down, to.height), columns(from.width, across, to.width);
    const std::size_t room = static_cast<std::size_t>(to.width) + box_padding;
    const auto upper = room_for<std::int16_t>(room), lower = room_for<std::int16_t>(room);
    const auto pairs = room_for<std::uint16_t>(room);
    variant.filter->resize_bilinear(
        {from, to, rows.view(), columns.view(), {upper.get(), lower.get()}, pairs.get()});
}

void resize_bilinear(const Variant& variant, InputArray plane, OutputArray out) {
    const ConstPlane from = plane_of(plane, longest_side);
    const Plane to = plane_of(out, longest_side);
    nb::gil_scoped_release released;
    bilinear(variant, from, to, {0, from.width * position_unit}, {0, from.height * position_unit});
}

void crop_bilinear(const Variant& variant, InputArray plane, OutputArray out,
                   std::array<std::int64_t, 4> window) {
    const ConstPlane from = plane_of(plane, longest_side);
    const Plane to = plane_of(out, longest_side);
    const auto [left, top, width, height] = window;
    const Extent across = {left, width}, down = {top, height};
    require(across.within(from.width) && down.within(from.height), "the window is out of range");
    nb::gil_scoped_release released;
    bilinear(variant, from, to, across, down);
}

void resize_area(const Variant& variant, InputArray plane, OutputArray out) {
    const ConstPlane from = plane_of(plane, longest_side);
    const Plane to = plane_of(out, longest_side);
    nb::gil_scoped_release released;
    const auto rows = box_table(from.height, to.height, 1);
    const auto columns = box_table(from.width, to.width, 1);
    const auto sums = room_for<std::uint32_t>(static_cast<std::size_t>(from.width) + area_padding);
    const auto means = room_for<std::uint16_t>(static_cast<std::size_t>(to.width) + area_padding);
    variant.filter->resize_area({from, rows->view(), columns->view(), 0, sums.get()}, to,
                                means.get());
}

}  // namespace

void bind_filter(nb::class_<Variant>& variant) {
    variant.def("mean_3x3", mean_3x3, exact("plane"), exact("out"))
        .def("box_mean", box_mean, exact("plane"), exact("out"), exact("radius"))
        .def("upsample_2x", upsample_2x, exact("plane"), exact("out"))
        .def("resize_bilinear", resize_bilinear, exact("plane"), exact("out"))
        .def("crop_bilinear", crop_bilinear, exact("plane"), exact("out"), exact("window"))
        .def("resize_area", resize_area, exact("plane"), exact("out"));
}

}  // namespace pullfx
