// The Python module `pullfx.kernels._native`: what the folders bind.
#include "colour/binding.hpp"

#include <nanobind/nanobind.h>

#include "composite/binding.hpp"
#include "filter/binding.hpp"
#include "network/binding.hpp"
#include "skin/binding.hpp"
#include "variant.hpp"

namespace nb = nanobind;
using namespace pullfx;

namespace {

nb::list list_variants() {
    nb::list list;
    for (const Variant* const* variant = pullfx::variants; *variant; ++variant) {
        list.append(nb::cast(*variant, nb::rv_policy::reference));
    }
    return list;
}

}  // namespace

NB_MODULE(_native, module) {
    // What an interpreter leaves alive when it exits, say in a thread, is no fault of its user.
    nb::set_leak_warnings(false);
    nb::class_<Variant> variant(module, "Variant");
    variant.def_prop_ro("name", [](const Variant& variant) { return variant.name; })
        .def_prop_ro("supported", [](const Variant& variant) { return variant.supported(); });
    bind_colour(variant);
    bind_composite(variant);
    bind_filter(variant);
    bind_skin(variant);
    module.def("variants", list_variants);
    bind_network(module);
}
