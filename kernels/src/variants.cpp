#include "variant.hpp"

namespace pullfx {

const Variant* const variants[] = {
#if PULLFX_X86_64
    &avx2,
#endif
    &portable,
    nullptr,
};

}  // namespace pullfx
