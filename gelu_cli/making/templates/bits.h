#ifndef GELU_FMA
#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
#define GELU_FMA 1
#else
#define GELU_FMA 0
#endif
#endif
#if GELU_FMA
#define GELU_MA(a, b, c) __builtin_fmaf(a, b, c)
#define GELU_MA64(a, b, c) __builtin_fma(a, b, c)
#else
#define GELU_MA(a, b, c) ((a) * (b) + (c))
#define GELU_MA64(a, b, c) ((a) * (b) + (c))
#endif
#ifndef GELU_BITS
#define GELU_BITS
static inline float gelu_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint32_t gelu_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static inline double gelu_double(uint64_t u) { double f; memcpy(&f, &u, 8); return f; }
static inline uint64_t gelu_bits64(double f) { uint64_t u; memcpy(&u, &f, 8); return u; }
#endif
