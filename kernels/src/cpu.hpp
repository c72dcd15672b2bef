// What the CPU and the operating system together allow.
#pragma once

namespace pullfx {

bool cpu_has_avx2();

}  // namespace pullfx
