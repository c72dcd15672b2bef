#pragma once

#include <nanobind/nanobind.h>

namespace pullfx {

// Adds the network's types to the Python module.
void bind_network(nanobind::module_& module);

}  // namespace pullfx
