/* exact_value_float32: value of exact, x·Φ(x), in float32, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make exact --quantity value --dtype float32 --max-ulp 0.5 --language c
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 10 17; operations: 48; patched: 2. Results are listed for the float32
 * inputs 0xb7b0a46f, 0x37b0a46f.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500000 ULP at x = 1.40129846e-45, 0 misrounded
 *     SHA-256 4ea392e58922c87eb36f02f59e95d8bff16c33f98f069d90e8c96e5e8fa988b6
 *         gcc 12.2.0: -O2, -O3 -march=native (fused)
 *         clang 18.1.6: -O2, -O3 -march=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_exact_value_float32
#define GELU_MADE_exact_value_float32
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
#ifndef GELU_OPERATIONS
#define GELU_OPERATIONS
GELU_INLINE float gelu_abs(float x) { return gelu_float(gelu_bits(x) & 0x7fffffffu); }
GELU_INLINE float gelu_clamp(float x, float most) {
    return gelu_float(gelu_bits(x) > gelu_bits(most) ? gelu_bits(most) : gelu_bits(x));
}
GELU_INLINE uint32_t gelu_right(float x) { return ~(uint32_t)((int32_t)gelu_bits(x) >> 31); }
GELU_INLINE float gelu_positive(float x) {
    return gelu_float(gelu_bits(x) & (gelu_right(x) | 0x80000000u));
}
GELU_INLINE float gelu_step(float x) { return gelu_float(gelu_right(x) & 0x3f800000u); }
GELU_INLINE float gelu_flip(float y, float x) {
    return gelu_float(gelu_bits(y) ^ (~gelu_bits(x) & 0x80000000u));
}
GELU_INLINE double gelu_flip64(double y, float x) {
    return gelu_double(gelu_bits64(y) ^ ((uint64_t)(~gelu_bits(x) & 0x80000000u) << 32));
}
GELU_INLINE float gelu_scale(float y, float k) {
    return gelu_float(gelu_bits(y) + (gelu_bits(k) << 23));
}
GELU_INLINE double gelu_scale64(double y, double k) {
    return gelu_double(gelu_bits64(y) + (gelu_bits64(k) << 52));
}
GELU_INLINE float gelu_cut(float x) { return gelu_float(gelu_bits(x) & 0xffffe000u); }
GELU_INLINE float gelu_nan(float y, float a) {
    return gelu_float(gelu_bits(y) | (gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : 0u));
}
GELU_INLINE float gelu_patch(float x, uint32_t at, uint32_t result, float y) {
    uint32_t mask = 0u - (uint32_t)(gelu_bits(x) == at);
    return gelu_float((result & mask) | (gelu_bits(y) & ~mask));
}
#endif
GELU_INLINE float exact_value_float32_one(float x) {
    float a = gelu_abs(x);
    float t0 = gelu_clamp(a, 0x1.cb64eap+3f);
    double t = (double)t0;
    float R0 = gelu_positive(x);
    double R = (double)R0;
    double z = t * t;
    double kf = GELU_MA64(z, -0x1.71547652b82fep-1, 0x1.8p+52);
    double nk = 0x1.8p+52 - kf;
    double r0 = GELU_MA64(z, -0x1.7p-1, nk);
    double r = GELU_MA64(z, -0x1.547652b82fep-9, r0);
    double X_9 = GELU_MA64(0x1.e6063f7217bc6p-28, r, 0x1.b675bca4eeebbp-24);
    double X_8 = GELU_MA64(X_9, r, 0x1.62bfd47773353p-20);
    double X_7 = GELU_MA64(X_8, r, 0x1.ffcb54062e698p-17);
    double X_6 = GELU_MA64(X_7, r, 0x1.430913096fd9fp-13);
    double X_5 = GELU_MA64(X_6, r, 0x1.5d87fe9d7a584p-10);
    double X_4 = GELU_MA64(X_5, r, 0x1.3b2ab6fba1ddap-7);
    double X_3 = GELU_MA64(X_4, r, 0x1.c6b08d703ce49p-5);
    double X_2 = GELU_MA64(X_3, r, 0x1.ebfbdff82c598p-3);
    double X_1 = GELU_MA64(X_2, r, 0x1.62e42fefa3a19p-1);
    double X = GELU_MA64(X_1, r, 0x1.fffffffffffffp-1);
    double E = gelu_scale64(X, kf);
    double d = t + 0x1.8p+2;
    double i = 0x1p+0 / d;
    double v = GELU_MA64(-0x1.8p+3, i, 0x1p+0);
    double N_16 = GELU_MA64(0x1.7174c184cdfap-23, v, 0x1.a9a371498b847p-20);
    double N_15 = GELU_MA64(N_16, v, 0x1.8501fee5cf492p-19);
    double N_14 = GELU_MA64(N_15, v, -0x1.bb7f6e31d7f85p-18);
    double N_13 = GELU_MA64(N_14, v, -0x1.9e0a11352bce1p-20);
    double N_12 = GELU_MA64(N_13, v, 0x1.0e40375687644p-14);
    double N_11 = GELU_MA64(N_12, v, -0x1.7c4cf6efc1debp-13);
    double N_10 = GELU_MA64(N_11, v, -0x1.130c2b7eb04ecp-15);
    double N_9 = GELU_MA64(N_10, v, 0x1.1765507a4114dp-9);
    double N_8 = GELU_MA64(N_9, v, -0x1.48a84ed7e094ep-7);
    double N_7 = GELU_MA64(N_8, v, 0x1.fba9d23751ed5p-6);
    double N_6 = GELU_MA64(N_7, v, -0x1.33e77757a0d2ap-4);
    double N_5 = GELU_MA64(N_6, v, 0x1.38b069e228bacp-3);
    double N_4 = GELU_MA64(N_5, v, -0x1.1267d73866b9ep-2);
    double N_3 = GELU_MA64(N_4, v, 0x1.a7d657725331ep-2);
    double N_2 = GELU_MA64(N_3, v, -0x1.234fe3fd9234ep-1);
    double N_1 = GELU_MA64(N_2, v, 0x1.66eaa7d096572p-1);
    double N = GELU_MA64(N_1, v, -0x1.8e010d2b8a0f1p-1);
    double w0 = E * t;
    double w = w0 * i;
    double y0 = GELU_MA64(w, N, R);
    float y1 = (float)y0;
    float y = gelu_nan(y1, a);
    float y_1 = gelu_patch(x, 0xb7b0a46fu, 0xb730a3adu, y);
    float y_2 = gelu_patch(x, 0x37b0a46fu, 0x3730a531u, y_1);
    return y_2;
}
GELU_KERNEL void exact_value_float32(const float *__restrict x, float *__restrict y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = exact_value_float32_one(x[i]);
}
#endif
