// What the CPU and the operating system together allow.
#pragma once

namespace pullfx {

bool cpu_has_avx2();
bool cpu_has_avx512_vnni();

}  // namespace pullfx
