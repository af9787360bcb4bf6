#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define __device__
#define __constant__
#define __global__ static
#define __forceinline__ static inline
#define __fmaf_rn(a, b, c) gelu_quiet(__builtin_fmaf(a, b, c))
#define __fmul_rn(a, b) gelu_quiet((a) * (b))
#define __fadd_rn(a, b) gelu_quiet((a) + (b))
#define __fsub_rn(a, b) gelu_quiet((a) - (b))
#define __fdiv_rn(a, b) gelu_quiet((a) / (b))
#define __fma_rn __builtin_fma
#define __dmul_rn(a, b) ((a) * (b))
#define __dadd_rn(a, b) ((a) + (b))
#define __dsub_rn(a, b) ((a) - (b))
#define __ddiv_rn(a, b) ((a) / (b))
#define __double2float_rn(x) gelu_quiet((float)(x))
static const struct { size_t x; } gridDim = { 1 }, blockIdx, blockDim = { 1 }, threadIdx;
static inline float __uint_as_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint32_t __float_as_uint(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static inline double __longlong_as_double(long long u) { double f; memcpy(&f, &u, 8); return f; }
static inline long long __double_as_longlong(double f) { long long u; memcpy(&u, &f, 8); return u; }
/* As in PTX the NaN of float32 operations is 0x7fffffff. */
static inline float gelu_quiet(float f) { return f == f ? f : __uint_as_float(0x7fffffffu); }
#define GELU_INLINE static inline
#define GELU_TABLE const
#define gelu_float __uint_as_float
#define gelu_bits __float_as_uint
#define gelu_double(u) __longlong_as_double((long long)(u))
#define gelu_bits64(f) ((uint64_t)__double_as_longlong(f))
$halves
$text
void ${name}_here(const void *x, void *y, size_t n) { $name(x, y, n); }
