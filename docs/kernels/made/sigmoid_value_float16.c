/* sigmoid_value_float16: value of sigmoid, x·σ(β·x), β = 1.702, in float16, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make sigmoid --quantity value --dtype float16 --max-ulp 0.5 --language c
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float32; degree: 5; operations: 20; patched: 2. Results are listed for the float32
 * inputs 0x33800000, 0xc0c74000.
 *
 * Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
 *     largest error 0.500000 ULP at x = 5.96046448e-08, 0 misrounded
 *     SHA-256 3c7195687b7ae890a3ecb307bb478a49f16913223a5118c46b3870376b311d5d
 *         gcc 12.2.0: -O2, -O3, -O2 -march=native (fused), -O3 -march=native (fused)
 *         clang 18.1.6: -O2, -O3, -O2 -march=native (fused), -O3 -march=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_sigmoid_value_float16
#define GELU_MADE_sigmoid_value_float16
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
#ifndef GELU_HALVES
#define GELU_HALVES
GELU_INLINE uint32_t gelu_choose(int c, uint32_t a, uint32_t b) {
    uint32_t mask = 0u - (uint32_t)c;
    return (a & mask) | (b & ~mask);
}
GELU_INLINE float gelu_from_half(uint16_t h) {
    uint32_t m = h & 0x7fffu;
    float small = gelu_float((m << 13) + (113u << 23)) - gelu_float(113u << 23);
    uint32_t large = (m << 13) + gelu_choose(m < 0x7c00u, 112u << 23, 224u << 23);
    uint32_t u = gelu_choose(m < 0x400u, gelu_bits(small), large);
    return gelu_float(u | (uint32_t)(h & 0x8000u) << 16);
}
GELU_INLINE uint16_t gelu_to_half(float f) {
    uint32_t u = gelu_bits(f) & 0x7fffffffu;
    uint32_t small = gelu_bits(gelu_float(u) + 0.5f) - (126u << 23);
    uint32_t large = (u + 0xfffu + (u >> 13 & 1u) - (112u << 23)) >> 13;
    uint32_t special = gelu_choose(u > 0x7f800000u, 0x7e00u, 0x7c00u);
    uint32_t r = gelu_choose(u < 0x7f800000u, large, special);
    return (uint16_t)(gelu_choose(u < 113u << 23, small, r) | (gelu_bits(f) >> 31 << 15));
}
#endif
GELU_INLINE float sigmoid_value_float16_float(float x) {
    float a = gelu_abs(x);
    float t = gelu_clamp(a, 0x1.74p+3f);
    float R = gelu_positive(x);
    float kf = GELU_MA(t, -0x1.3a4cbep+1f, 0x1.8p+23f);
    float nk = 0x1.8p+23f - kf;
    float r0 = GELU_MA(t, -0x1.3a5p+1f, nk);
    float r = GELU_MA(t, 0x1.a11c08p-14f, r0);
    float X_4 = GELU_MA(0x1.5f08b8p-10f, r, 0x1.3d0fc4p-7f);
    float X_3 = GELU_MA(X_4, r, 0x1.c6aef4p-5f);
    float X_2 = GELU_MA(X_3, r, 0x1.ebf8eap-3f);
    float X_1 = GELU_MA(X_2, r, 0x1.62e428p-1f);
    float X = GELU_MA(X_1, r, 0x1p+0f);
    float E = gelu_scale(X, kf);
    float w = t * E;
    float Q = E + 0x1p+0f;
    float g = w / Q;
    float y0 = R - g;
    float y = gelu_nan(y0, a);
    float y_1 = gelu_patch(x, 0x33800000u, 0x33800000u, y);
    float y_2 = gelu_patch(x, 0xc0c74000u, 0xb9232000u, y_1);
    return y_2;
}
GELU_INLINE uint16_t sigmoid_value_float16_one(uint16_t x) {
    return gelu_to_half(sigmoid_value_float16_float(gelu_from_half(x)));
}
#ifdef __F16C__
#include <immintrin.h>
GELU_KERNEL void sigmoid_value_float16(const uint16_t *__restrict x, uint16_t *__restrict y, size_t n) {
    float b[64];
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        for (int j = 0; j < 64; j += 8)
            _mm256_storeu_ps(b + j, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i + j))));
        for (int j = 0; j < 64; j++) b[j] = sigmoid_value_float16_float(b[j]);
        for (int j = 0; j < 64; j += 8)
            _mm_storeu_si128((__m128i *)(y + i + j), _mm256_cvtps_ph(_mm256_loadu_ps(b + j), 0));
    }
    for (; i < n; i++) y[i] = sigmoid_value_float16_one(x[i]);
}
#else
GELU_KERNEL void sigmoid_value_float16(const uint16_t *__restrict x, uint16_t *__restrict y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = sigmoid_value_float16_one(x[i]);
}
#endif
#endif
