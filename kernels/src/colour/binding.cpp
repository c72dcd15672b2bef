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
    require((half_of(cb, luma) || same_shape(cb, luma)) && same_shape(cr, cb), "shapes differ");
    require(out.shape(0) > 0 && out.shape(1) > 0, "the output is empty");
    require(out.shape(0) <= longest_side && out.shape(1) <= longest_side,
            "the output is too large");
    const int height = static_cast<int>(out.shape(0)), width = static_cast<int>(out.shape(1));
    const Plane pixels = {out.data(), 3 * static_cast<std::ptrdiff_t>(width), height, width};
    Plane bytes = pixels;
    bytes.width *= 3;
    for (const ConstPlane& plane : {luma, cb, cr}) {
        require(apart(bytes, plane), "an output overlaps an input");
    }

    nb::gil_scoped_release released;
    std::shared_ptr<const BoxTable> rows[2], columns[2];  // for luma, for chroma
    for (int per_sample = 1; per_sample <= 2; ++per_sample) {
        rows[per_sample - 1] = box_table(luma.height, height, per_sample);
        columns[per_sample - 1] = box_table(luma.width, width, per_sample);
    }
    std::vector<std::uint32_t> sums(luma.width + area_padding);
    const std::size_t room = static_cast<std::size_t>(width) + area_padding;
    std::vector<std::uint16_t> means(3 * room);
    const int of_chroma = same_shape(cb, luma) ? 1 : 2;
    const auto averages = [&](ConstPlane plane, int per_sample) {
        return AreaJob(plane, rows[per_sample - 1]->view(), columns[per_sample - 1]->view(), 8,
                       sums.data());
    };
    const auto& c = coefficients;
    variant.colour->downscale_rgb({
        {averages(luma, 1), averages(cb, of_chroma), averages(cr, of_chroma)},
        pixels,
        {c[0], c[1], c[2], c[3], c[4], c[5]},
        {means.data(), means.data() + room, means.data() + 2 * room},
    });
}

using InputPixels = nb::ndarray<const std::uint8_t, nb::shape<-1, -1, 3>, nb::device::cpu>;
using OutputPixels = nb::ndarray<std::uint8_t, nb::shape<-1, -1, 3>, nb::device::cpu>;

// `width` pixels of three bytes each.
template <typename Pixel, typename Array>
Rows<Pixel> pixels_of(const Array& array) {
    require(array.shape(0) > 0 && array.shape(1) > 0, "a picture is empty");
    require(array.shape(0) <= any_length / 3 && array.shape(1) <= any_length / 3,
            "a picture is too large");
    require(array.stride(2) == 1 && (array.shape(1) == 1 || array.stride(1) == 3),
            "pixels do not lie side by side");
    return {array.data(), array.stride(0), static_cast<int>(array.shape(0)),
            static_cast<int>(array.shape(1))};
}

void i420_to_rgb(const Variant& variant, InputArray y, InputArray u, InputArray v, OutputPixels out,
                 std::array<std::int32_t, 6> coefficients, bool bgr) {
    const ConstPlane luma = plane_of(y), cb = plane_of(u), cr = plane_of(v);
    const Plane pixels = pixels_of<std::uint8_t>(out);
    require(same_shape(luma, pixels) && half_of(cb, luma) && half_of(cr, luma), "shapes differ");
    std::int16_t c[6];
    for (int index = 0; index < 6; ++index) {
        require(coefficients[index] >= -32767 && coefficients[index] <= 32767,
                "a coefficient is out of range");
        c[index] = static_cast<std::int16_t>(coefficients[index]);
    }
    const auto offset = static_cast<std::int16_t>((((128 - c[0]) * c[1] + 64) >> 7) + 32);
    const ToPixels rgb = {c[1], offset, c[2], c[4], c[3], c[5]};
    const ToPixels reversed = {c[1], offset, c[5], c[3], c[4], c[2]};
    nb::gil_scoped_release released;
    variant.colour->planes_to_pixels(luma, bgr ? cb : cr, bgr ? cr : cb, pixels,
                                     bgr ? reversed : rgb);
}

void rgb_to_i420(const Variant& variant, InputPixels rgb, OutputArray y, OutputArray u,
                 OutputArray v, std::array<std::int32_t, 10> coefficients, bool bgr) {
    const ConstPlane pixels = pixels_of<const std::uint8_t>(rgb);
    const Plane luma = plane_of(y), cb = plane_of(u), cr = plane_of(v);
    require(same_shape(pixels, luma) && half_of(cb, luma) && half_of(cr, luma), "shapes differ");
    FromPixels c;
    for (int kind = 0; kind < 3; ++kind) {
        const std::int32_t* from = coefficients.data() + 1 + 3 * (bgr ? 2 - kind : kind);
        c.luma[kind] = static_cast<std::uint16_t>(from[0]);
        c.cb[kind] = static_cast<std::int16_t>(from[1]);
        c.cr[kind] = static_cast<std::int16_t>(from[2]);
    }
    c.offset = static_cast<std::uint16_t>(256 * coefficients[0] + 129);
    nb::gil_scoped_release released;
    variant.colour->pixels_to_planes(pixels, luma, cb, cr, c);
}

// Half as many pixels as there are bytes in a row of `pairs`.
template <typename A, typename B>
bool pairs_fit(const Rows<A>& pairs, const Rows<B>& one) {
    return pairs.height == one.height && pairs.width == 2 * one.width;
}

void split_pairs(const Variant& variant, InputArray pairs, OutputArray first, OutputArray second) {
    const ConstPlane from = plane_of(pairs);
    const Plane one = plane_of(first), other = plane_of(second);
    require(pairs_fit(from, one) && same_shape(one, other), "shapes differ");
    nb::gil_scoped_release released;
    variant.colour->split_pairs(from, one, other);
}

void merge_pairs(const Variant& variant, InputArray first, InputArray second, OutputArray pairs) {
    const ConstPlane one = plane_of(first), other = plane_of(second);
    const Plane to = plane_of(pairs);
    require(pairs_fit(to, one) && same_shape(one, other), "shapes differ");
    nb::gil_scoped_release released;
    variant.colour->merge_pairs(one, other, to);
}

template <typename A, typename B, typename C>
void require_yuyv(const Rows<A>& yuyv, const Rows<B>& y, const Rows<C>& u, const Rows<C>& v) {
    require(pairs_fit(yuyv, y) && y.width % 2 == 0 && half_of(u, y) && half_of(v, y),
            "shapes differ");
}

void yuyv_to_i420(const Variant& variant, InputArray yuyv, OutputArray y, OutputArray u,
                  OutputArray v) {
    const ConstPlane from = plane_of(yuyv);
    const Plane luma = plane_of(y), cb = plane_of(u), cr = plane_of(v);
    require_yuyv(from, luma, cb, cr);
    nb::gil_scoped_release released;
    variant.colour->yuyv_to_planes(from, luma, cb, cr);
}

void i420_to_yuyv(const Variant& variant, InputArray y, InputArray u, InputArray v,
                  OutputArray yuyv) {
    const ConstPlane luma = plane_of(y), cb = plane_of(u), cr = plane_of(v);
    const Plane to = plane_of(yuyv);
    require_yuyv(to, luma, cb, cr);
    nb::gil_scoped_release released;
    variant.colour->planes_to_yuyv(luma, cb, cr, to);
}

using Table = nb::ndarray<const std::uint8_t, nb::shape<256>, nb::c_contig, nb::device::cpu>;

void apply_table(const Variant& variant, InputArray plane, Table table, OutputArray out) {
    const ConstPlane from = plane_of(plane);
    const Plane to = plane_of(out);
    require(same_shape(from, to), "shapes differ");
    nb::gil_scoped_release released;
    variant.colour->apply_table(from, table.data(), to);
}

using PairTable = nb::ndarray<const std::uint8_t, nb::shape<65536>, nb::c_contig, nb::device::cpu>;

void apply_pair_table(const Variant& variant, InputArray first, InputArray second, PairTable table,
                      OutputArray out) {
    const ConstPlane high = plane_of(first), low = plane_of(second);
    const Plane to = plane_of(out);
    require(same_shape(high, to) && same_shape(low, to), "shapes differ");
    for (const ConstPlane& plane : {high, low}) {
        const bool same = plane.data == to.data && plane.stride == to.stride;
        require(same || apart(to, plane), "an output overlaps an input");
    }
    require(apart(to, ConstPlane{table.data(), 65536, 1, 65536}), "an output overlaps the table");
    nb::gil_scoped_release released;
    variant.colour->apply_pair_table(high, low, table.data(), to);
}

void scale_chroma(const Variant& variant, InputArray plane, OutputArray out, int factor) {
    const ConstPlane from = plane_of(plane);
    const Plane to = plane_of(out);
    require(same_shape(from, to), "shapes differ");
    require(factor >= 0 && factor <= 32767, "the factor is out of range");
    nb::gil_scoped_release released;
    variant.colour->scale_chroma(from, static_cast<std::int16_t>(factor), to);
}

void mix_chroma(const Variant& variant, InputArray luma, InputArray u, InputArray v,
                OutputArray out_u, OutputArray out_v, std::array<std::int32_t, 7> factors) {
    const ConstPlane grey = plane_of(luma), cb = plane_of(u), cr = plane_of(v);
    const Plane to_cb = plane_of(out_u), to_cr = plane_of(out_v);
    require(same_shape(grey, cb) && same_shape(grey, cr) && same_shape(grey, to_cb) &&
                same_shape(grey, to_cr),
            "shapes differ");
    for (const std::int32_t factor : factors) {
        require(factor >= -32767 && factor <= 32767, "a factor is out of range");
    }
    const auto& f = factors;
    nb::gil_scoped_release released;
    variant.colour->mix_chroma(grey, cb, cr, to_cb, to_cr,
                               {f[0], {f[1], f[2], f[3]}, {f[4], f[5], f[6]}});
}

using ColourTables = nb::ndarray<const std::int16_t, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

void map_colours(const Variant& variant, InputArray y, InputArray u, InputArray v,
                 ColourTables tables, OutputArray out_y, OutputArray out_u, OutputArray out_v) {
    MapJob job = {{plane_of(y), plane_of(u), plane_of(v)},
                  {plane_of(out_y), plane_of(out_u), plane_of(out_v)},
                  tables.data(),
                  2};
    while (job.shift < 5 && tables.shape(1) != (std::size_t{256} >> job.shift) + 1) ++job.shift;
    const std::size_t length = (std::size_t{256} >> job.shift) + 1;
    require(tables.shape(0) == 3 && tables.shape(1) == length && tables.shape(2) == length &&
                tables.shape(3) == length,
            "the tables have the wrong shape");
    for (int plane = 1; plane < 3; ++plane) {
        require(half_of(job.in[plane], job.in[0]), "shapes differ");
    }
    for (int plane = 0; plane < 3; ++plane) {
        require(same_shape(job.in[plane], job.out[plane]), "shapes differ");
    }
    nb::gil_scoped_release released;
    variant.colour->map_colours(job);
}

}  // namespace

void bind_colour(nb::class_<Variant>& variant) {
    variant
        .def("downscale_rgb", downscale_rgb, exact("y"), exact("u"), exact("v"), exact("out"),
             nb::arg("coefficients"))
        .def("i420_to_rgb", i420_to_rgb, exact("y"), exact("u"), exact("v"), exact("out"),
             nb::arg("coefficients"), exact("bgr"))
        .def("rgb_to_i420", rgb_to_i420, exact("rgb"), exact("y"), exact("u"), exact("v"),
             nb::arg("coefficients"), exact("bgr"))
        .def("split_pairs", split_pairs, exact("pairs"), exact("first"), exact("second"))
        .def("merge_pairs", merge_pairs, exact("first"), exact("second"), exact("pairs"))
        .def("yuyv_to_i420", yuyv_to_i420, exact("yuyv"), exact("y"), exact("u"), exact("v"))
        .def("i420_to_yuyv", i420_to_yuyv, exact("y"), exact("u"), exact("v"), exact("yuyv"))
        .def("apply_table", apply_table, exact("plane"), exact("table"), exact("out"))
        .def("apply_pair_table", apply_pair_table, exact("first"), exact("second"), exact("table"),
             exact("out"))
        .def("scale_chroma", scale_chroma, exact("plane"), exact("out"), exact("factor"))
        .def("mix_chroma", mix_chroma, exact("luma"), exact("u"), exact("v"), exact("out_u"),
             exact("out_v"), nb::arg("factors"))
        .def("map_colours", map_colours, exact("y"), exact("u"), exact("v"), exact("tables"),
             exact("out_y"), exact("out_u"), exact("out_v"));
}

}  // namespace pullfx
