#pragma once

#include <nanobind/nanobind.h>

#include "../variant.hpp"

namespace pullfx {

void bind_skin(nanobind::class_<Variant>& variant);

}  // namespace pullfx
