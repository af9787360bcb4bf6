/* tanh_value_float32: value of tanh, ½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715,
 * d = 0, in float32, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make tanh --quantity value --dtype float32 --max-ulp 0.5 --language c
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 10; operations: 31; patched: 4. Results are listed for the float32
 * inputs 0xc0773385, 0xb7b0a46f, 0x00000001, 0x37b0a46f.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500000 ULP at x = 1.40129846e-45, 0 misrounded
 *     SHA-256 931bac63839fdc86ceb141eeb4ba7e3b76791670dedb8da021533e425367d1d5
 *         gcc 12.2.0: -O2, -O3 -march=native (fused)
 *         clang 18.1.6: -O2, -O3 -march=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_tanh_value_float32
#define GELU_MADE_tanh_value_float32
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
GELU_INLINE float tanh_value_float32_one(float x) {
    float a = gelu_abs(x);
    float t0 = gelu_clamp(a, 0x1.58aaf4p+3f);
    double t = (double)t0;
    float R0 = gelu_positive(x);
    double R = (double)R0;
    double z = t * t;
    double s = GELU_MA64(z, -0x1.a5a7cf7572a98p-4, -0x1.26aec21bce75ap+1);
    double kf = GELU_MA64(t, s, 0x1.8p+52);
    double nk = 0x1.8p+52 - kf;
    double r = GELU_MA64(t, s, nk);
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
    double w = t * E;
    double Q = E + 0x1p+0;
    double g = w / Q;
    double y0 = R - g;
    float y1 = (float)y0;
    float y = gelu_nan(y1, a);
    float y_1 = gelu_patch(x, 0xc0773385u, 0xb90b96f9u, y);
    float y_2 = gelu_patch(x, 0xb7b0a46fu, 0xb730a3adu, y_1);
    float y_3 = gelu_patch(x, 0x00000001u, 0x00000001u, y_2);
    float y_4 = gelu_patch(x, 0x37b0a46fu, 0x3730a531u, y_3);
    return y_4;
}
GELU_KERNEL void tanh_value_float32(const float *__restrict x, float *__restrict y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = tanh_value_float32_one(x[i]);
}
#endif
