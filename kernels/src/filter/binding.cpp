// The filters in Python.
#include "binding.hpp"

#include <cstddef>
#include <vector>

#include "../arrays.hpp"

namespace nb = nanobind;

namespace pullfx {

namespace {

void resize_area(const Variant& variant, InputArray plane, OutputArray out) {
    const ConstPlane from = plane_of(plane, longest_side);
    const Plane to = plane_of(out, longest_side);
    nb::gil_scoped_release released;
    const auto rows = box_table(from.height, to.height, 1);
    const auto columns = box_table(from.width, to.width, 1);
    std::vector<std::uint32_t> sums(from.width + area_padding);
    std::vector<std::uint16_t> means(to.width + area_padding);
    variant.filter->resize_area({from, rows->view(), columns->view(), 0, sums.data()}, to,
                                means.data());
}

}  // namespace

void bind_filter(nb::class_<Variant>& variant) {
    variant.def("resize_area", resize_area, exact("plane"), exact("out"));
}

}  // namespace pullfx
