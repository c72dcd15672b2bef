#pragma once

#include <nanobind/nanobind.h>

#include "../variant.hpp"

namespace pullfx {

void bind_composite(nanobind::class_<Variant>& variant);

}  // namespace pullfx
