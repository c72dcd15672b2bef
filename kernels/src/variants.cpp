#include "variant.hpp"

namespace pullfx {

const Variant* const variants[] = {
#if PULLFX_AVX512
    &avx512_vnni,
#endif
#if PULLFX_AVX_VNNI
    &avx_vnni,
#endif
#if PULLFX_X86_64
    &avx2,
#endif
#if PULLFX_NEON_DOT
    &neon_dot,
#endif
    &portable,    nullptr,
};

}  // namespace pullfx
