// What the CPU and the operating system together allow.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#define PULLFX_X86_64 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define PULLFX_ARM64 1
#endif

namespace pullfx {

bool cpu_has_avx2();
bool cpu_has_avx512_vnni();
bool cpu_has_avx_vnni();
bool cpu_has_neon_dot();

}  // namespace pullfx
