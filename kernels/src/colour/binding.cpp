// The colour kernels in Python.
#include "binding.hpp"

#include <nanobind/stl/array.h>

#include <array>
#include <cstddef>
#include <vector>

#include "../arrays.hpp"

namespace nb = nanobind;

namespace pullfx {

namespace {

using RgbArray = nb::ndarray<std::uint8_t, nb::shape<-1, -1, 3>, nb::c_contig, nb::device::cpu>;

void downscale_rgb(const Variant& variant, InputArray y, InputArray u, InputArray v, RgbArray out,
                   std::array<std::int32_t, 6> coefficients) {
    const ConstPlane luma = plane_of(y, longest_side), cb = plane_of(u), cr = plane_of(v);
    require(half_of(cb, luma) && half_of(cr, luma), "shapes differ");
    require(out.shape(0) > 0 && out.shape(1) > 0, "the output is empty");
    require(out.shape(0) <= longest_side && out.shape(1) <= longest_side,
            "the output is too large");
    const int height = static_cast<int>(out.shape(0)), width = static_cast<int>(out.shape(1));

    nb::gil_scoped_release released;
    std::shared_ptr<const BoxTable> rows[2], columns[2];  // for luma, for chroma
    for (int per_sample = 1; per_sample <= 2; ++per_sample) {
        rows[per_sample - 1] = box_table(luma.height, height, per_sample);
        columns[per_sample - 1] = box_table(luma.width, width, per_sample);
    }
    std::vector<std::uint32_t> sums(luma.width + area_padding);
    const std::size_t room = static_cast<std::size_t>(width) + area_padding;
    std::vector<std::uint16_t> means(3 * room);
    const auto averages = [&](ConstPlane plane, int per_sample) {
        return AreaJob(plane, rows[per_sample - 1]->view(), columns[per_sample - 1]->view(), 8,
                       sums.data());
    };
    const auto& c = coefficients;
    variant.colour->downscale_rgb({
        {averages(luma, 1), averages(cb, 2), averages(cr, 2)},
        {out.data(), 3 * static_cast<std::ptrdiff_t>(width), height, width},
        {c[0], c[1], c[2], c[3], c[4], c[5]},
        {means.data(), means.data() + room, means.data() + 2 * room},
    });
}

}  // namespace

void bind_colour(nb::class_<Variant>& variant) {
    variant.def("downscale_rgb", downscale_rgb, exact("y"), exact("u"), exact("v"), exact("out"),
                nb::arg("coefficients"));
}

}  // namespace pullfx
