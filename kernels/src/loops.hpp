// Words for the compiler.
#pragma once

// Before a loop: a turn reads nothing that another one writes, even where output and input are the
// same memory. Without it the loop is not vectorised for calls in place.
#if defined(__clang__)
#define PULLFX_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PULLFX_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define PULLFX_INDEPENDENT __pragma(loop(ivdep))
#endif
