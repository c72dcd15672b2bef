#pragma once

#include <nanobind/nanobind.h>

#include "../variant.hpp"

namespace pullfx {

// Adds the colour kernels to the Python class of variants.
void bind_colour(nanobind::class_<Variant>& variant);

}  // namespace pullfx
