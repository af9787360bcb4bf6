/* silu_value_float32: value of silu, x·σ(x), in float32, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make silu --quantity value --dtype float32 --max-ulp 0.5 --language cuda
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 10; operations: 34; patched: 8. Results are listed for the float32
 * inputs 0xb6600000, 0xb6200000, 0xb5400000, 0xb3800000, 0x00000001, 0x35400000, 0x36200000,
 * 0x36600000.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500000 ULP at x = 1.40129846e-45, 0 misrounded
 *     SHA-256 37ff5ff700d5cdcf8e0cf979412a5e2fede46b72e5be768fe4a50276b7b6287e
 *         NVIDIA H200 by nvcc 13.0: -O3 -arch=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_silu_value_float32
#define GELU_MADE_silu_value_float32
#include <stddef.h>
#include <stdint.h>
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif
#ifndef GELU_INLINE
#define GELU_INLINE __device__ __forceinline__
#define GELU_TABLE __constant__ const
#define gelu_float __uint_as_float
#define gelu_bits __float_as_uint
#define gelu_double(u) __longlong_as_double((long long)(u))
#define gelu_bits64(f) ((uint64_t)__double_as_longlong(f))
#define gelu_from_half(h) __half2float(__ushort_as_half(h))
#define gelu_to_half(f) __half_as_ushort(__float2half_rn(f))
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
    double kf = __fma_rn(t, -0x1.71547652b82fep+0, 0x1.8p+52);
    double nk = __dsub_rn(0x1.8p+52, kf);
    double r0 = __fma_rn(t, -0x1.7154765p+0, nk);
    double r = __fma_rn(t, -0x1.5c17fp-31, r0);
    double X_9 = __fma_rn(0x1.e6063f7217bc6p-28, r, 0x1.b675bca4eeebbp-24);
    double X_8 = __fma_rn(X_9, r, 0x1.62bfd47773353p-20);
    double X_7 = __fma_rn(X_8, r, 0x1.ffcb54062e698p-17);
    double X_6 = __fma_rn(X_7, r, 0x1.430913096fd9fp-13);
    double X_5 = __fma_rn(X_6, r, 0x1.5d87fe9d7a584p-10);
    double X_4 = __fma_rn(X_5, r, 0x1.3b2ab6fba1ddap-7);
    double X_3 = __fma_rn(X_4, r, 0x1.c6b08d703ce49p-5);
    double X_2 = __fma_rn(X_3, r, 0x1.ebfbdff82c598p-3);
    double X_1 = __fma_rn(X_2, r, 0x1.62e42fefa3a19p-1);
    double X = __fma_rn(X_1, r, 0x1.fffffffffffffp-1);
    double E = gelu_scale64(X, kf);
    double w = __dmul_rn(t, E);
    double Q = __dadd_rn(E, 0x1p+0);
    double g = __ddiv_rn(w, Q);
    double y0 = __dsub_rn(R, g);
    float y1 = __double2float_rn(y0);
    float y = gelu_float(gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : gelu_bits(y1));
    float y_1 = gelu_patch(x, 0xb6600000u, 0xb5dfffe8u, y);
    float y_2 = gelu_patch(x, 0xb6200000u, 0xb59ffff4u, y_1);
    float y_3 = gelu_patch(x, 0xb5400000u, 0xb4bffffcu, y_2);
    float y_4 = gelu_patch(x, 0xb3800000u, 0xb3000000u, y_3);
    float y_5 = gelu_patch(x, 0x00000001u, 0x00000001u, y_4);
    float y_6 = gelu_patch(x, 0x35400000u, 0x34c00004u, y_5);
    float y_7 = gelu_patch(x, 0x36200000u, 0x35a0000cu, y_6);
    float y_8 = gelu_patch(x, 0x36600000u, 0x35e00018u, y_7);
    return y_8;
}
#ifdef __cplusplus
extern "C"
#endif
__global__ void silu_value_float32(const float *__restrict__ x, float *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = silu_value_float32_one(x[i]);
}
#endif
