// The Python module `pullfx.kernels._native`. The functions in kernels/__init__.py check arguments
// and word the errors; what is checked here once more keeps a wrong call from touching foreign
// memory.
#include "network/binding.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <array>
#include <cstddef>
#include <vector>

#include "variant.hpp"

namespace nb = nanobind;
using namespace pullfx;

namespace {

using InputArray = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::device::cpu>;
using OutputArray = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::device::cpu>;
using RgbArray = nb::ndarray<std::uint8_t, nb::shape<-1, -1, 3>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const char* message) {
    if (!condition) throw nb::value_error(message);
}

template <typename Pixel, typename Array>
Rows<Pixel> rows_of(const Array& array) {
    constexpr std::size_t longest = 1 << 30;  // so that no sum of ints overflows
    require(array.shape(0) > 0 && array.shape(1) > 0, "a plane is empty");
    require(array.shape(0) < longest && array.shape(1) < longest, "a plane is too large");
    require(array.shape(1) == 1 || array.stride(1) == 1, "pixels do not lie side by side");
    return {array.data(), array.stride(0), static_cast<int>(array.shape(0)),
            static_cast<int>(array.shape(1))};
}

template <typename A, typename B>
bool same_shape(const Rows<A>& a, const Rows<B>& b) {
    return a.height == b.height && a.width == b.width;
}

template <typename A, typename B>
bool half_of(const Rows<A>& half, const Rows<B>& whole) {
    return half.height == (whole.height + 1) / 2 && half.width == (whole.width + 1) / 2;
}

void blend(const Variant& variant, InputArray foreground, InputArray background, InputArray mask,
           OutputArray out) {
    const ConstPlane front = rows_of<const std::uint8_t>(foreground);
    const ConstPlane back = rows_of<const std::uint8_t>(background);
    const ConstPlane weight = rows_of<const std::uint8_t>(mask);
    const Plane target = rows_of<std::uint8_t>(out);
    require(same_shape(front, target) && same_shape(back, target) && same_shape(weight, target),
            "shapes differ");
    nb::gil_scoped_release released;
    variant.blend(front, back, weight, target);
}

void blend_half(const Variant& variant, InputArray foreground, InputArray background,
                InputArray mask, OutputArray out) {
    const ConstPlane front = rows_of<const std::uint8_t>(foreground);
    const ConstPlane back = rows_of<const std::uint8_t>(background);
    const ConstPlane weight = rows_of<const std::uint8_t>(mask);
    const Plane target = rows_of<std::uint8_t>(out);
    require(same_shape(front, target) && same_shape(back, target) && half_of(target, weight),
            "shapes differ");
    nb::gil_scoped_release released;
    variant.blend_half(front, back, weight, target);
}

void downscale_rgb(const Variant& variant, InputArray y, InputArray u, InputArray v, RgbArray out,
                   std::array<std::int32_t, 6> coefficients) {
    const ConstPlane luma = rows_of<const std::uint8_t>(y);
    const ConstPlane cb = rows_of<const std::uint8_t>(u);
    const ConstPlane cr = rows_of<const std::uint8_t>(v);
    require(half_of(cb, luma) && half_of(cr, luma), "shapes differ");
    constexpr std::size_t longest = 32767;  // what BoxTable takes
    require(luma.height <= 32767 && luma.width <= 32767, "the picture is too large");
    require(out.shape(0) > 0 && out.shape(1) > 0, "the output is empty");
    require(out.shape(0) <= longest && out.shape(1) <= longest, "the output is too large");
    const int height = static_cast<int>(out.shape(0)), width = static_cast<int>(out.shape(1));

    nb::gil_scoped_release released;
    const BoxTable luma_rows(luma.height, height, 1), chroma_rows(luma.height, height, 2);
    const BoxTable luma_columns(luma.width, width, 1), chroma_columns(luma.width, width, 2);
    std::vector<std::byte> sums(4 * (luma.width + DownscaleJob::padding));
    std::vector<std::uint16_t> means(3 * static_cast<std::size_t>(width));
    const auto& c = coefficients;
    variant.downscale_rgb({
        {luma, cb, cr},
        {out.data(), 3 * static_cast<std::ptrdiff_t>(width), height, width},
        {luma_rows.view(), chroma_rows.view()},
        {luma_columns.view(), chroma_columns.view()},
        {c[0], c[1], c[2], c[3], c[4], c[5]},
        sums.data(),
        {means.data(), means.data() + width, means.data() + 2 * width},
    });
}

nb::list list_variants() {
    nb::list list;
    for (const Variant* const* variant = pullfx::variants; *variant; ++variant) {
        list.append(nb::cast(*variant, nb::rv_policy::reference));
    }
    return list;
}

}  // namespace

NB_MODULE(_native, module) {
    const auto exact = [](const char* name) { return nb::arg(name).noconvert(); };
    nb::class_<Variant>(module, "Variant")
        .def_prop_ro("name", [](const Variant& variant) { return variant.name; })
        .def_prop_ro("supported", [](const Variant& variant) { return variant.supported(); })
        .def("blend", blend, exact("foreground"), exact("background"), exact("mask"), exact("out"))
        .def("blend_half", blend_half, exact("foreground"), exact("background"), exact("mask"),
             exact("out"))
        .def("downscale_rgb", downscale_rgb, exact("y"), exact("u"), exact("v"), exact("out"),
             nb::arg("coefficients"));
    module.def("variants", list_variants);
    bind_network(module);
}
