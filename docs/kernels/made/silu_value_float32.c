/* silu_value_float32: value of silu, x·σ(x), in float32, within 0.501 ULP.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make silu --quantity value --dtype float32 --max-ulp 0.501 --language c
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 8; operations: 24; patched: 0.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500012 ULP at x = -30.5694942, 733 misrounded
 *     SHA-256 d2472744541b63b8740eb42f05a56635b7f2c7ac4f7291e5f48cc785d9d3dfd8
 *         gcc 12.2.0: -O2, -O3 -march=native (fused)
 *         clang 18.1.6: -O2, -O3 -march=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_silu_value_float32
#define GELU_MADE_silu_value_float32
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
GELU_INLINE float silu_value_float32_one(float x) {
    float a = gelu_abs(x);
    float t0 = gelu_clamp(a, 0x1.b2a428p+6f);
    double t = (double)t0;
    float R0 = gelu_positive(x);
    double R = (double)R0;
    double kf = GELU_MA64(t, -0x1.71547652b82fep+0, 0x1.8p+52);
    double nk = 0x1.8p+52 - kf;
    double r0 = GELU_MA64(t, -0x1.7154765p+0, nk);
    double r = GELU_MA64(t, -0x1.5c17fp-31, r0);
    double X_7 = GELU_MA64(0x1.63d136366db24p-20, r, 0x1.00dc4a532fb8ep-16);
    double X_6 = GELU_MA64(X_7, r, 0x1.4308ac85aa947p-13);
    double X_5 = GELU_MA64(X_6, r, 0x1.5d8745a728441p-10);
    double X_4 = GELU_MA64(X_5, r, 0x1.3b2ab7181b755p-7);
    double X_3 = GELU_MA64(X_4, r, 0x1.c6b08dd6fd234p-5);
    double X_2 = GELU_MA64(X_3, r, 0x1.ebfbdff823cedp-3);
    double X_1 = GELU_MA64(X_2, r, 0x1.62e42fef84cfp-1);
    double X = GELU_MA64(X_1, r, 0x1.fffffffffffffp-1);
    double E = gelu_scale64(X, kf);
    double w = t * E;
    double Q = E + 0x1p+0;
    double g = w / Q;
    double y0 = R - g;
    float y1 = (float)y0;
    float y = gelu_nan(y1, a);
    return y;
}
GELU_KERNEL void silu_value_float32(const float *__restrict x, float *__restrict y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = silu_value_float32_one(x[i]);
}
#endif
