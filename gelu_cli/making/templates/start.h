#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) \
    || defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "this kernel was proved for IEEE 754 arithmetic; remove -ffast-math or the part of it"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "this kernel was proved for operations that are rounded to their type; add -mfpmath=sse"
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifndef GELU_KERNEL
#define GELU_KERNEL __attribute__((weak))
#endif
#ifndef GELU_INLINE
#define GELU_INLINE static inline
#endif
