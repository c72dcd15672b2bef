// The filters of one instruction set.
#pragma once

#include "area.hpp"

namespace pullfx {

struct FilterKernels {
    void (*resize_area)(const AreaJob& job, Plane out, std::uint16_t* means);
};

}  // namespace pullfx
