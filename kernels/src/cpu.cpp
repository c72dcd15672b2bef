#include "cpu.hpp"

#include <cstddef>

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#elif PULLFX_X86_64
#include <cpuid.h>
#elif PULLFX_ARM64 && defined(_WIN32)
#include <windows.h>
#elif PULLFX_ARM64 && defined(__linux__)
#include <sys/auxv.h>
#elif PULLFX_ARM64 && defined(__APPLE__)
#include <sys/sysctl.h>
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

bool cpu_has_avx_vnni() {
    unsigned a, b, c, d;
    return cpu_has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1 << 4);
}

#elif PULLFX_ARM64

bool cpu_has_neon_dot() {
#if defined(_WIN32)
    constexpr DWORD dot_products = 43;  // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE of newer headers
    return IsProcessorFeaturePresent(dot_products);
#elif defined(__linux__)
    constexpr unsigned long dot_products = 1ul << 20;  // HWCAP_ASIMDDP of newer headers
    return getauxval(AT_HWCAP) & dot_products;
#elif defined(__APPLE__)
    int has = 0;
    std::size_t size = sizeof(has);
    return sysctlbyname("hw.optional.arm.FEAT_DotProd", &has, &size, nullptr, 0) == 0 && has;
#else
    return false;  // no way to ask is known
#endif
}

#endif

}  // namespace pullfx
