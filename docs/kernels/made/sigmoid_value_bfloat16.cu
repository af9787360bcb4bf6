/* sigmoid_value_bfloat16: value of sigmoid, x·σ(β·x), β = 1.702, in bfloat16, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make sigmoid --quantity value --dtype bfloat16 --max-ulp 0.5 --language cuda
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float32; degree: 4; operations: 18; patched: 1. Results are listed for the float32
 * inputs 0xc13b0000.
 *
 * Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
 *     largest error 0.500000 ULP at x = 9.18354962e-41, 0 misrounded
 *     SHA-256 4786e2d67ac493e76b1288a1737d5e55eae2177f16d42bc84aa31c3ae0a6af5a
 *         NVIDIA H200 by nvcc 13.0: -O3 -arch=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_sigmoid_value_bfloat16
#define GELU_MADE_sigmoid_value_bfloat16
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
GELU_INLINE float sigmoid_value_bfloat16_float(float x) {
    float a = gelu_abs(x);
    float t = gelu_clamp(a, 0x1.c8p+5f);
    float R = gelu_positive(x);
    float kf = __fmaf_rn(t, -0x1.3a4cbep+1f, 0x1.8p+23f);
    float nk = __fsub_rn(0x1.8p+23f, kf);
    float r0 = __fmaf_rn(t, -0x1.3a4cp+1f, nk);
    float r = __fmaf_rn(t, -0x1.7b8fdcp-16f, r0);
    float X_3 = __fmaf_rn(0x1.3cbfd2p+57f, r, 0x1.ca1d9p+59f);
    float X_2 = __fmaf_rn(X_3, r, 0x1.ebfa6ap+61f);
    float X_1 = __fmaf_rn(X_2, r, 0x1.62e04ap+63f);
    float X = __fmaf_rn(X_1, r, 0x1.ffffdap+63f);
    float E = gelu_scale(X, kf);
    float w = __fmul_rn(t, E);
    float Q = __fadd_rn(E, 0x1p+64f);
    float g = __fdiv_rn(w, Q);
    float y0 = __fsub_rn(R, g);
    float y = gelu_float(gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : gelu_bits(y0));
    float y_1 = gelu_patch(x, 0xc13b0000u, 0xb2e70000u, y);
    return y_1;
}
GELU_INLINE uint16_t sigmoid_value_bfloat16_one(uint16_t x) {
    uint32_t u = gelu_bits(sigmoid_value_bfloat16_float(gelu_float((uint32_t)x << 16)));
    return (uint16_t)((u + 0x8000u - (u >> 31)) >> 16);  /* f(x) > x/2: ties go up */
}
#ifdef __cplusplus
extern "C"
#endif
__global__ void sigmoid_value_bfloat16(const uint16_t *__restrict__ x, uint16_t *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = sigmoid_value_bfloat16_one(x[i]);
}
#endif
