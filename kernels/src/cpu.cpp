#include "cpu.hpp"

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace pullfx {

#if defined(_MSC_VER) && defined(_M_X64)

bool cpu_has_avx2() {
    int leaf[4];
    __cpuid(leaf, 0);
    if (leaf[0] < 7) return false;
    __cpuid(leaf, 1);
    const bool saves_registers = leaf[2] & 1 << 27;  // OSXSAVE: XGETBV tells what the system saves
    if (!saves_registers || (_xgetbv(0) & 6) != 6) return false;
    __cpuidex(leaf, 7, 0);
    return leaf[1] & 1 << 5;
}

#elif defined(__x86_64__)

bool cpu_has_avx2() { return __builtin_cpu_supports("avx2"); }

bool cpu_has_avx512_vnni() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

#endif

}  // namespace pullfx
