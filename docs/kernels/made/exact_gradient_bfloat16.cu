/* exact_gradient_bfloat16: gradient of exact, x·Φ(x), in bfloat16, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make exact --quantity gradient --dtype bfloat16 --max-ulp 0.5 --language cuda
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float32; degree: 4 4; operations: 26; patched: 0.
 *
 * Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
 *     largest error 0.499922 ULP at x = 0.91015625, 0 misrounded
 *     SHA-256 37232b253d91027a66c121b18bc9e3f78523c510b4a08a84c573b9decaf52125
 *         NVIDIA H200 by nvcc 13.0: -O3 -arch=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_exact_gradient_bfloat16
#define GELU_MADE_exact_gradient_bfloat16
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
GELU_INLINE float exact_gradient_bfloat16_float(float x) {
    float a = gelu_abs(x);
    float t = gelu_clamp(a, 0x1.bap+3f);
    float R = gelu_step(x);
    float z = __fmul_rn(t, t);
    float kf = __fmaf_rn(z, -0x1.715476p-1f, 0x1.8p+23f);
    float nk = __fsub_rn(0x1.8p+23f, kf);
    float r0 = __fmaf_rn(z, -0x1.72p-1f, nk);
    float r = __fmaf_rn(z, 0x1.57135ap-10f, r0);
    float X_3 = __fmaf_rn(0x1.3cbf6p+57f, r, 0x1.ca1ce2p+59f);
    float X_2 = __fmaf_rn(X_3, r, 0x1.ebfa4cp+61f);
    float X_1 = __fmaf_rn(X_2, r, 0x1.62e0c2p+63f);
    float X = __fmaf_rn(X_1, r, 0x1p+64f);
    float E = gelu_scale(X, kf);
    float d = __fadd_rn(t, 0x1.4p+1f);
    float i = __fdiv_rn(0x1p+0f, d);
    float v = __fmaf_rn(-0x1.4p+2f, i, 0x1p+0f);
    float N_3 = __fmaf_rn(0x1.5cabb6p-73f, v, 0x1.16b566p-72f);
    float N_2 = __fmaf_rn(N_3, v, -0x1.6f1184p-69f);
    float N_1 = __fmaf_rn(N_2, v, 0x1.083c8p-67f);
    float N = __fmaf_rn(N_1, v, -0x1.f56846p-66f);
    float s0 = __fadd_rn(t, -0x1.80ead2p-1f);
    float s1 = __fadd_rn(s0, 0x1.a03fd4p-27f);
    float w = __fmul_rn(E, s1);
    float sw = gelu_flip(w, x);
    float y0 = __fmaf_rn(sw, N, R);
    float y = gelu_float(gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : gelu_bits(y0));
    return y;
}
GELU_INLINE uint16_t exact_gradient_bfloat16_one(uint16_t x) {
    uint32_t u = gelu_bits(exact_gradient_bfloat16_float(gelu_float((uint32_t)x << 16)));
    return (uint16_t)((u + 0x8000u - (u >> 31)) >> 16);  /* f(x) > x/2: ties go up */
}
#ifdef __cplusplus
extern "C"
#endif
__global__ void exact_gradient_bfloat16(const uint16_t *__restrict__ x, uint16_t *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = exact_gradient_bfloat16_one(x[i]);
}
#endif
