// The skin kernels in Python. All that could go wrong is checked here; the functions in
// kernels/skin.py find words for what was refused.
#include "binding.hpp"

#include <nanobind/stl/array.h>

#include <array>
#include <cmath>

#include "../arrays.hpp"

namespace nb = nanobind;

namespace pullfx {

namespace {

void soften(const Variant& variant, InputArray plane, InputArray weight, OutputArray out,
            int radius, float flatness, int limit, float strength) {
    const SoftenJob job = {plane_of(plane, longest_side),
                           plane_of(weight),
                           plane_of(out),
                           radius,
                           flatness,
                           limit,
                           strength};
    require(same_shape(job.plane, job.out) && same_shape(job.weight, job.out), "shapes differ");
    require(apart(job.out, job.plane) && apart(job.out, job.weight), "an output overlaps an input");
    require(radius >= 1 && radius <= largest_reach, "the radius is out of range");
    require(std::isfinite(flatness) && flatness > 0, "the flatness is out of range");
    require(limit >= 1 && limit <= largest_limit, "the limit is out of range");
    require(strength >= 0 && strength <= 1, "the strength is out of range");
    nb::gil_scoped_release released;
    variant.skin->soften(job, Scratch(Arena::of_this_thread()));
}

void retouch(const Variant& variant, std::array<InputArray, 3> changes, InputArray base,
             InputArray weight, std::array<OutputArray, 3> frame, int top, int left, int shift,
             int detail, int limit) {
    RetouchJob job = {};
    for (int index = 0; index < 3; ++index) {
        job.changes[index] = plane_of(changes[index], longest_side);
        job.frame[index] = plane_of(frame[index], longest_side);
    }
    job.base = plane_of(base);
    job.weight = plane_of(weight);
    require(same_shape(job.base, job.changes[0]) && same_shape(job.weight, job.changes[0]) &&
                half_of(job.changes[1], job.base) && half_of(job.changes[2], job.base) &&
                half_of(job.frame[1], job.frame[0]) && half_of(job.frame[2], job.frame[0]),
            "shapes differ");
    for (int index = 0; index < 3; ++index) {
        const Plane& plane = job.frame[index];
        require(apart(plane, job.frame[(index + 1) % 3]), "an output overlaps another");
        for (const ConstPlane& input : job.changes) {
            require(apart(plane, input), "an output overlaps an input");
        }
        require(apart(plane, job.base) && apart(plane, job.weight), "an output overlaps an input");
    }
    require(top >= 0 && left >= 0 && top < job.frame[0].height && left < job.frame[0].width &&
                top % 2 == 0 && left % 2 == 0,
            "the place is out of range");
    require(shift >= 1 && shift <= largest_skin_shift, "shift is out of range");
    require(detail >= 0 && detail <= 32767, "the detail is out of range");
    require(limit >= 1 && limit <= largest_limit, "the limit is out of range");
    job.top = top;
    job.left = left;
    job.shift = shift;
    job.detail = detail;
    job.limit = limit;
    nb::gil_scoped_release released;
    variant.skin->retouch(job, Scratch(Arena::of_this_thread()));
}

}  // namespace

void bind_skin(nb::class_<Variant>& variant) {
    variant
        .def("soften", soften, exact("plane"), exact("weight"), exact("out"), nb::arg("radius"),
             nb::arg("flatness"), nb::arg("limit"), nb::arg("strength"))
        .def("retouch", retouch, exact("changes"), exact("base"), exact("weight"), exact("frame"),
             nb::arg("top"), nb::arg("left"), nb::arg("shift"), nb::arg("detail"),
             nb::arg("limit"));
}

}  // namespace pullfx
