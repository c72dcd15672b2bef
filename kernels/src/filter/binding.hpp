#pragma once

#include <nanobind/nanobind.h>

#include "../variant.hpp"

namespace pullfx {

// Adds the filters to the Python class of variants.
void bind_filter(nanobind::class_<Variant>& variant);

}  // namespace pullfx
