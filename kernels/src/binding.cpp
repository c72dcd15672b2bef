// The Python module `pullfx.kernels._native`: what joins two pictures, and what the folders bind.
#include "colour/binding.hpp"

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "filter/binding.hpp"
#include "network/binding.hpp"
#include "variant.hpp"

namespace nb = nanobind;
using namespace pullfx;

namespace {

void blend(const Variant& variant, InputArray foreground, InputArray background, InputArray mask,
           OutputArray out) {
    const ConstPlane front = plane_of(foreground);
    const ConstPlane back = plane_of(background);
    const ConstPlane weight = plane_of(mask);
    const Plane target = plane_of(out);
    require(same_shape(front, target) && same_shape(back, target) && same_shape(weight, target),
            "shapes differ");
    nb::gil_scoped_release released;
    variant.blend(front, back, weight, target);
}

void blend_half(const Variant& variant, InputArray foreground, InputArray background,
                InputArray mask, OutputArray out) {
    const ConstPlane front = plane_of(foreground);
    const ConstPlane back = plane_of(background);
    const ConstPlane weight = plane_of(mask);
    const Plane target = plane_of(out);
    require(same_shape(front, target) && same_shape(back, target) && half_of(target, weight),
            "shapes differ");
    nb::gil_scoped_release released;
    variant.blend_half(front, back, weight, target);
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
    nb::class_<Variant> variant(module, "Variant");
    variant.def_prop_ro("name", [](const Variant& variant) { return variant.name; })
        .def_prop_ro("supported", [](const Variant& variant) { return variant.supported(); })
        .def("blend", blend, exact("foreground"), exact("background"), exact("mask"), exact("out"))
        .def("blend_half", blend_half, exact("foreground"), exact("background"), exact("mask"),
             exact("out"));
    bind_colour(variant);
    bind_filter(variant);
    module.def("variants", list_variants);
    bind_network(module);
}
