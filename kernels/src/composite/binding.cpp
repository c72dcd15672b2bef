// The composite kernels in Python. All that could go wrong is checked here; the functions in
// kernels/composite.py find words for what was refused.
#include "binding.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "../arrays.hpp"

namespace nb = nanobind;

namespace pullfx {

namespace {

using Inputs = std::array<InputArray, 3>;
using Outputs = std::array<OutputArray, 3>;

void take(ConstPlane (&planes)[3], const Inputs& arrays) {
    for (int index = 0; index < 3; ++index) planes[index] = plane_of(arrays[index]);
}

void take(Plane (&planes)[3], const Outputs& arrays) {
    for (int index = 0; index < 3; ++index) planes[index] = plane_of(arrays[index]);
}

template <typename Pixel>
void require_alike(const Rows<Pixel> (&planes)[3]) {
    require(same_shape(planes[0], planes[1]) && same_shape(planes[0], planes[2]), "shapes differ");
}

template <typename Pixel>
void require_frame(const Rows<Pixel> (&planes)[3]) {
    require(planes[0].height <= longest_side && planes[0].width <= longest_side,
            "the picture is too large");
    require(half_of(planes[1], planes[0]) && half_of(planes[2], planes[0]), "shapes differ");
}

int divided(int length, int bits) { return (length + (1 << bits) - 1) >> bits; }

// Whether a plane is what is left of another when 2^bits pixels a side become one.
template <typename A, typename B>
void require_shrunk(const Rows<A>& small, const Rows<B>& plane, int bits) {
    require(
        small.height == divided(plane.height, bits) && small.width == divided(plane.width, bits),
        "shapes differ");
}

void require_apart(const Plane& out, const ConstPlane (&inputs)[3]) {
    for (const ConstPlane& input : inputs)
        require(apart(out, input), "an output overlaps an input");
}

void require_apart(const Plane (&outputs)[3], const ConstPlane (&inputs)[3]) {
    for (const Plane& out : outputs) require_apart(out, inputs);
}

void require_apart(const Plane (&outputs)[3]) {
    for (int index = 0; index < 3; ++index) {
        require(apart(outputs[index], outputs[(index + 1) % 3]), "an output overlaps another");
    }
}

void blend(const Variant& variant, InputArray foreground, InputArray background, InputArray mask,
           OutputArray out) {
    const ConstPlane front = plane_of(foreground), back = plane_of(background),
                     weight = plane_of(mask);
    const Plane target = plane_of(out);
    require(same_shape(front, target) && same_shape(back, target) && same_shape(weight, target),
            "shapes differ");
    nb::gil_scoped_release released;
    variant.composite->blend(front, back, weight, target);
}

void blend_half(const Variant& variant, InputArray foreground, InputArray background,
                InputArray mask, OutputArray out) {
    const ConstPlane front = plane_of(foreground), back = plane_of(background),
                     weight = plane_of(mask);
    const Plane target = plane_of(out);
    require(same_shape(front, target) && same_shape(back, target) && half_of(target, weight),
            "shapes differ");
    nb::gil_scoped_release released;
    variant.composite->blend_half(front, back, weight, target);
}

void reduce(const Variant& variant, Inputs frame, OutputArray half, Outputs grid, int shift) {
    ReduceJob job = {};
    take(job.frame, frame);
    take(job.grid, grid);
    job.half = plane_of(half);
    job.shift = shift;
    require(shift >= 1 && shift <= largest_cell_shift, "shift is out of range");
    require_frame(job.frame);
    require(same_shape(job.half, job.frame[1]), "shapes differ");
    for (const Plane& plane : job.grid) {
        require_shrunk(plane, job.half, shift - 1);
        require(apart(plane, job.half), "an output overlaps another");
    }
    require_apart(job.grid);
    require_apart(job.grid, job.frame);
    require_apart(job.half, job.frame);
    nb::gil_scoped_release released;
    variant.composite->reduce(job, Scratch(Arena::of_this_thread()));
}

void guide(const Variant& variant, InputArray mask, Inputs grid, Inputs guide, int shift,
           int window, int reach, std::array<float, 5> numbers, OutputArray out) {
    GuideJob job = {};
    job.mask = plane_of(mask);
    take(job.grid, grid);
    take(job.guide, guide);
    job.out = plane_of(out);
    job.shift = shift;
    job.numbers = {window, reach, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    require(shift >= 1 && shift <= largest_cell_shift, "shift is out of range");
    require(window == 3 || window == 5 || window == 7, "the window is none of those there are");
    require(reach == 1 || reach == 2, "the reach is none of those there are");
    for (const float number : numbers) require(std::isfinite(number), "a number is not finite");
    require(numbers[0] > 0 && numbers[4] > numbers[3], "a number is out of range");
    require_alike(job.guide);
    require(same_shape(job.guide[0], job.out), "shapes differ");
    require_alike(job.grid);
    require_shrunk(job.grid[0], job.guide[0], shift - 1);
    require_apart(job.out, job.grid);
    require_apart(job.out, job.guide);
    require(apart(job.out, job.mask), "an output overlaps an input");
    require(job.mask.height <= longest_side && job.mask.width <= longest_side &&
                job.out.height <= longest_side && job.out.width <= longest_side,
            "the picture is too large");
    nb::gil_scoped_release released;
    const auto rows = box_table(job.mask.height, job.grid[0].height, 1);
    const auto columns = box_table(job.mask.width, job.grid[0].width, 1);
    job.rows = rows->view();
    job.columns = columns->view();
    variant.composite->guide(job, Scratch(Arena::of_this_thread()));
}

void blur(const Variant& variant, Inputs grid, std::optional<InputArray> mask, int shift,
          int halvings, std::vector<float> taps, Outputs out) {
    BlurJob job = {};
    take(job.grid, grid);
    take(job.out, out);
    const int level = shift + halvings;
    require(shift >= 1 && halvings >= 0 && shift <= largest_shift && halvings <= largest_shift &&
                level <= largest_shift,
            "shift is out of range");
    require(!taps.empty() && taps.size() <= largest_radius + 1, "there are too many taps");
    for (const float tap : taps) require(std::isfinite(tap), "a number is not finite");
    require_alike(job.grid);
    require_alike(job.out);
    const int finer = level > 1 ? 1 : 0;
    require(divided(job.out[0].height, finer) == divided(job.grid[0].height, halvings) &&
                divided(job.out[0].width, finer) == divided(job.grid[0].width, halvings),
            "shapes differ");
    require_apart(job.out);
    require_apart(job.out, job.grid);
    if (mask) {
        job.mask = plane_of(*mask);
        require_shrunk(job.grid[0], job.mask, shift - 1);
        for (const Plane& plane : job.out) {
            require(apart(plane, job.mask), "an output overlaps an input");
        }
    }
    job.shift = shift;
    job.halvings = halvings;
    job.taps = taps.data();
    job.radius = static_cast<int>(taps.size()) - 1;
    nb::gil_scoped_release released;
    variant.composite->blur(job, Scratch(Arena::of_this_thread()));
}

using Tables = nb::ndarray<const std::uint8_t, nb::shape<3, 256>, nb::c_contig, nb::device::cpu>;

void lay(const Variant& variant, Inputs foreground, Inputs background, InputArray mask, int shift,
         Outputs out, std::optional<Tables> tables) {
    LayJob job = {};
    if (tables) job.tables = tables->data();
    take(job.front, foreground);
    take(job.back, background);
    take(job.out, out);
    job.mask = plane_of(mask);
    job.shift = shift;
    require(shift >= 0 && shift < largest_shift, "shift is out of range");
    require_frame(job.front);
    require(same_shape(job.mask, job.front[1]), "shapes differ");
    for (int index = 0; index < 3; ++index) {
        require(same_shape(job.out[index], job.front[index]), "shapes differ");
        require(apart(job.out[index], job.mask), "an output overlaps an input");
        if (shift > 0) {
            require_shrunk(job.back[index], job.front[0], shift);
        } else {
            require(same_shape(job.back[index], job.front[index]), "shapes differ");
        }
    }
    require_apart(job.out);
    require_apart(job.out, job.front);
    require_apart(job.out, job.back);
    nb::gil_scoped_release released;
    variant.composite->lay(job, Scratch(Arena::of_this_thread()));
}

}  // namespace

void bind_composite(nb::class_<Variant>& variant) {
    variant
        .def("blend", blend, exact("foreground"), exact("background"), exact("mask"), exact("out"))
        .def("blend_half", blend_half, exact("foreground"), exact("background"), exact("mask"),
             exact("out"))
        .def("reduce", reduce, exact("frame"), exact("half"), exact("grid"), nb::arg("shift"))
        .def("guide", guide, exact("mask"), exact("grid"), exact("guide"), nb::arg("shift"),
             nb::arg("window"), nb::arg("reach"), nb::arg("numbers"), exact("out"))
        .def("blur", blur, exact("grid"), exact("mask").none(), nb::arg("shift"),
             nb::arg("halvings"), nb::arg("taps"), exact("out"))
        .def("lay", lay, exact("foreground"), exact("background"), exact("mask"), nb::arg("shift"),
             exact("out"), exact("tables").none() = nb::none());
}

}  // namespace pullfx
