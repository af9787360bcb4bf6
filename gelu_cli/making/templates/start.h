#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "this kernel was proved for IEEE 754 arithmetic; remove -ffast-math and the like"
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
