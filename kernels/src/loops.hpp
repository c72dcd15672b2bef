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

// Before a loop of few turns: all of them are written out, so that arrays become registers.
#if defined(PULLFX_SANITIZE)
#define PULLFX_UNROLL  // what sanitizers add to every access makes too much of it
#elif defined(__clang__)
#define PULLFX_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define PULLFX_UNROLL _Pragma("GCC unroll 32")
#else
#define PULLFX_UNROLL
#endif

// For what a kernel calls in its innermost loop.
#if defined(__GNUC__)
#define PULLFX_INLINE_MEMBER inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define PULLFX_INLINE_MEMBER __forceinline
#endif
#define PULLFX_INLINE static PULLFX_INLINE_MEMBER

// Brings a line of memory near that is read soon; one that does not exist does no harm. From page
// to page the CPU does not do so by itself.
#if defined(__GNUC__)
PULLFX_INLINE void prefetch(const void* memory) { __builtin_prefetch(memory); }
#else
PULLFX_INLINE void prefetch(const void*) {}
#endif
