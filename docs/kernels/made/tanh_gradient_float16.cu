/* tanh_gradient_float16: gradient of tanh, ½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c =
 * 0.044715, d = 0, in float16, correctly rounded.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make tanh --quantity gradient --dtype float16 --max-ulp 0.5 --language cuda
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float32; degree: 5; operations: 33; patched: 1. Results are listed for the float32
 * inputs 0x3a70a000.
 *
 * Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
 *     largest error 0.499995 ULP at x = 0.0781860352, 0 misrounded
 *     SHA-256 71a5d5c6c683c2aa57c59fc21c1663d5d4cd9f1866601e7dd75b45a90e47ccd4
 *         NVIDIA H200 by nvcc 13.0: -O3 -arch=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_tanh_gradient_float16
#define GELU_MADE_tanh_gradient_float16
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
GELU_INLINE float tanh_gradient_float16_float(float x) {
    float a = gelu_abs(x);
    float t = gelu_clamp(a, 0x1.64p+2f);
    float R = gelu_step(x);
    float z = __fmul_rn(t, t);
    float s = __fmaf_rn(z, -0x1.a5a7dp-4f, -0x1.26aec2p+1f);
    float kf = __fmaf_rn(t, s, 0x1.8p+23f);
    float nk = __fsub_rn(0x1.8p+23f, kf);
    float h = gelu_cut(z);
    float l = __fsub_rn(z, h);
    float u = __fmul_rn(t, h);
    float d0 = __fmaf_rn(t, -0x1.26bp+1f, nk);
    float d1 = __fmaf_rn(u, -0x1.8p-4f, d0);
    float v0 = __fmaf_rn(h, -0x1.2d3e7cp-7f, 0x1.3de432p-15f);
    float v = __fmaf_rn(l, -0x1.a5a7dp-4f, v0);
    float r = __fmaf_rn(t, v, d1);
    float X_4 = __fmaf_rn(0x1.5f084cp-10f, r, 0x1.3d103ep-7f);
    float X_3 = __fmaf_rn(X_4, r, 0x1.c6af58p-5f);
    float X_2 = __fmaf_rn(X_3, r, 0x1.ebf938p-3f);
    float X_1 = __fmaf_rn(X_2, r, 0x1.62e438p-1f);
    float X = __fmaf_rn(X_1, r, 0x1p+0f);
    float E = gelu_scale(X, kf);
    float D = __fmaf_rn(E, 0x1p+0f, 0x1p+0f);
    float h0 = __fmaf_rn(t, -0x1.988p+0f, D);
    float t3 = __fmul_rn(t, z);
    float h1 = __fmaf_rn(t3, -0x1.b6676cp-3f, h0);
    float h2 = __fmaf_rn(t, -0x1.14cf5p-14f, h1);
    float w = __fmul_rn(E, h2);
    float DD = __fmul_rn(D, D);
    float g = __fdiv_rn(w, DD);
    float gs = gelu_flip(g, x);
    float y0 = __fmaf_rn(gs, 0x1p+0f, R);
    float y = gelu_float(gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : gelu_bits(y0));
    float y_1 = gelu_patch(x, 0x3a70a000u, 0x3f002000u, y);
    return y_1;
}
GELU_INLINE uint16_t tanh_gradient_float16_one(uint16_t x) {
    return gelu_to_half(tanh_gradient_float16_float(gelu_from_half(x)));
}
#ifdef __cplusplus
extern "C"
#endif
__global__ void tanh_gradient_float16(const uint16_t *__restrict__ x, uint16_t *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = tanh_gradient_float16_one(x[i]);
}
#endif
