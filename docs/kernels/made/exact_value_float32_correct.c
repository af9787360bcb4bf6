/* exact_value_float32: value of exact, x·Φ(x), in float32, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make exact --quantity value --dtype float32 --max-ulp 0.5 --language c
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 10 17; operations: 74; patched: 28. Results are listed for the float32
 * inputs 0xc13ced3a, 0xc1092947, 0xc0f95bde, 0xc02fe332, 0xc0186373, 0xbfa76c4c, 0xbe9f431c,
 * 0xbe493cc6, 0xbe3b1d21, 0xbcd2bcd8, 0xbc70b2ce, 0xb8ca1be2, 0xb8028e89, 0xb7f5c377, 0xb7b0a46f,
 * 0xb66c4759, 0xb34aa765, 0x334aa765, 0x366c4759, 0x37b0a46f, 0x37f5c377, 0x38028e89, 0x38ca1be2,
 * 0x3c70b2ce, 0x3cd2bcd8, 0x3e3b1d21, 0x3e493cc6, 0x3e60b687.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500000 ULP at x = 1.40129846e-45, 0 misrounded
 *     SHA-256 4ea392e58922c87eb36f02f59e95d8bff16c33f98f069d90e8c96e5e8fa988b6
 *         gcc 12.2.0: -O2, -O3 -march=native (fused)
 *
 * Not for machines that flush subnormal numbers to zero, other roundings than to nearest, or
 * -ffast-math.
 */
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
    double X_9 = GELU_MA64(0x1.d11745d1745d1p-28, r, 0x1.b662e8ba2e8bap-24);
    double X_8 = GELU_MA64(X_9, r, 0x1.62cbfa2e8ba31p-20);
    double X_7 = GELU_MA64(X_8, r, 0x1.ffcb67ba2e8b4p-17);
    double X_6 = GELU_MA64(X_7, r, 0x1.43090e251745cp-13);
    double X_5 = GELU_MA64(X_6, r, 0x1.5d87fe96b1747p-10);
    double X_4 = GELU_MA64(X_5, r, 0x1.3b2ab6fd3e2e9p-7);
    double X_3 = GELU_MA64(X_4, r, 0x1.c6b08d70404e9p-5);
    double X_2 = GELU_MA64(X_3, r, 0x1.ebfbdff82b926p-3);
    double X_1 = GELU_MA64(X_2, r, 0x1.62e42fefa3a0ap-1);
    double X = GELU_MA64(X_1, r, 0x1.ffffffffffffcp-1);
    double E = gelu_scale64(X, kf);
    double d = t + 0x1.4p+2;
    double i = 0x1p+0 / d;
    double v = GELU_MA64(-0x1.4p+3, i, 0x1p+0);
    double N_16 = GELU_MA64(-0x1.a490efa93205cp-24, v, -0x1.72be2fbef0912p-22);
    double N_15 = GELU_MA64(N_16, v, 0x1.0978277fce927p-21);
    double N_14 = GELU_MA64(N_15, v, 0x1.7695e718e9cefp-19);
    double N_13 = GELU_MA64(N_14, v, -0x1.119bb10c7732bp-18);
    double N_12 = GELU_MA64(N_13, v, -0x1.18a9a2ab4a6e9p-16);
    double N_11 = GELU_MA64(N_12, v, 0x1.a1a1860cccb51p-15);
    double N_10 = GELU_MA64(N_11, v, 0x1.f23d43444fa24p-15);
    double N_9 = GELU_MA64(N_10, v, -0x1.1daf58e569f38p-11);
    double N_8 = GELU_MA64(N_9, v, 0x1.a24fc0bee12d8p-11);
    double N_7 = GELU_MA64(N_8, v, 0x1.88590d9be74b4p-9);
    double N_6 = GELU_MA64(N_7, v, -0x1.54b4d49d7ae44p-6);
    double N_5 = GELU_MA64(N_6, v, 0x1.1b1c254e46a25p-4);
    double N_4 = GELU_MA64(N_5, v, -0x1.51f6329f7a243p-3);
    double N_3 = GELU_MA64(N_4, v, 0x1.410ed5f871679p-2);
    double N_2 = GELU_MA64(N_3, v, -0x1.fb31653876084p-2);
    double N_1 = GELU_MA64(N_2, v, 0x1.54ad03f27ca5ap-1);
    double N = GELU_MA64(N_1, v, -0x1.89d3abe1f9563p-1);
    double w0 = E * t;
    double w = w0 * i;
    double y0 = GELU_MA64(w, N, R);
    float y1 = (float)y0;
    float y = gelu_nan(y1, a);
    float y_1 = gelu_patch(x, 0xc13ced3au, 0x8c882138u, y);
    float y_2 = gelu_patch(x, 0xc1092947u, 0xa44807e4u, y_1);
    float y_3 = gelu_patch(x, 0xc0f95bdeu, 0xa8e69ecdu, y_2);
    float y_4 = gelu_patch(x, 0xc02fe332u, 0xbc06e45au, y_3);
    float y_5 = gelu_patch(x, 0xc0186373u, 0xbca85bb1u, y_4);
    float y_6 = gelu_patch(x, 0xbfa76c4cu, 0xbdffa7f9u, y_5);
    float y_7 = gelu_patch(x, 0xbe9f431cu, 0xbdf0ba03u, y_6);
    float y_8 = gelu_patch(x, 0xbe493cc6u, 0xbda9e297u, y_7);
    float y_9 = gelu_patch(x, 0xbe3b1d21u, 0xbd9ffc01u, y_8);
    float y_10 = gelu_patch(x, 0xbcd2bcd8u, 0xbc4e69a5u, y_9);
    float y_11 = gelu_patch(x, 0xbc70b2ceu, 0xbbede08du, y_10);
    float y_12 = gelu_patch(x, 0xb8ca1be2u, 0xb84a17e8u, y_11);
    float y_13 = gelu_patch(x, 0xb8028e89u, 0xb7828db5u, y_12);
    float y_14 = gelu_patch(x, 0xb7f5c377u, 0xb775c1ffu, y_13);
    float y_15 = gelu_patch(x, 0xb7b0a46fu, 0xb730a3adu, y_14);
    float y_16 = gelu_patch(x, 0xb66c4759u, 0xb5ec472eu, y_15);
    float y_17 = gelu_patch(x, 0xb34aa765u, 0xb2caa765u, y_16);
    float y_18 = gelu_patch(x, 0x334aa765u, 0x32caa765u, y_17);
    float y_19 = gelu_patch(x, 0x366c4759u, 0x35ec4784u, y_18);
    float y_20 = gelu_patch(x, 0x37b0a46fu, 0x3730a531u, y_19);
    float y_21 = gelu_patch(x, 0x37f5c377u, 0x3775c4efu, y_20);
    float y_22 = gelu_patch(x, 0x38028e89u, 0x37828f5du, y_21);
    float y_23 = gelu_patch(x, 0x38ca1be2u, 0x384a1fdcu, y_22);
    float y_24 = gelu_patch(x, 0x3c70b2ceu, 0x3bf3850fu, y_23);
    float y_25 = gelu_patch(x, 0x3cd2bcd8u, 0x3c57100bu, y_24);
    float y_26 = gelu_patch(x, 0x3e3b1d21u, 0x3dd63e41u, y_25);
    float y_27 = gelu_patch(x, 0x3e493cc6u, 0x3de896f5u, y_26);
    float y_28 = gelu_patch(x, 0x3e60b687u, 0x3e03df5fu, y_27);
    return y_28;
}
GELU_KERNEL void exact_value_float32(const float *__restrict x, float *__restrict y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = exact_value_float32_one(x[i]);
}
