/* exact_value_float32: value of exact, x·Φ(x), in float32, within 0.501 ULP.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make exact --quantity value --dtype float32 --max-ulp 0.501 --language cuda
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 8 12; operations: 39; patched: 0.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500677 ULP at x = -11.2765388, 6,926 misrounded
 *     SHA-256 23cfa6b61535451ce26e22c04eab8c55a66f6ec4540fb5fbc399e7c218399b32
 *         NVIDIA H200 by nvcc 13.0: -O3 -arch=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_exact_value_float32
#define GELU_MADE_exact_value_float32
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
GELU_INLINE float exact_value_float32_one(float x) {
    float a = gelu_abs(x);
    float t0 = gelu_clamp(a, 0x1.cb64eap+3f);
    double t = (double)t0;
    float R0 = gelu_positive(x);
    double R = (double)R0;
    double z = __dmul_rn(t, t);
    double kf = __fma_rn(z, -0x1.71547652b82fep-1, 0x1.8p+52);
    double nk = __dsub_rn(0x1.8p+52, kf);
    double r0 = __fma_rn(z, -0x1.7p-1, nk);
    double r = __fma_rn(z, -0x1.547652b82fep-9, r0);
    double X_7 = __fma_rn(0x1.63d136366db24p-20, r, 0x1.00dc4a532fb8ep-16);
    double X_6 = __fma_rn(X_7, r, 0x1.4308ac85aa947p-13);
    double X_5 = __fma_rn(X_6, r, 0x1.5d8745a728441p-10);
    double X_4 = __fma_rn(X_5, r, 0x1.3b2ab7181b755p-7);
    double X_3 = __fma_rn(X_4, r, 0x1.c6b08dd6fd234p-5);
    double X_2 = __fma_rn(X_3, r, 0x1.ebfbdff823cedp-3);
    double X_1 = __fma_rn(X_2, r, 0x1.62e42fef84cfp-1);
    double X = __fma_rn(X_1, r, 0x1.fffffffffffffp-1);
    double E = gelu_scale64(X, kf);
    double d = __dadd_rn(t, 0x1p+2);
    double i = __ddiv_rn(0x1p+0, d);
    double v = __fma_rn(-0x1p+3, i, 0x1p+0);
    double N_11 = __fma_rn(-0x1.11b95204da294p-17, v, -0x1.27c253f91fecep-15);
    double N_10 = __fma_rn(N_11, v, 0x1.04c94c896e037p-17);
    double N_9 = __fma_rn(N_10, v, 0x1.ea9d175e42897p-13);
    double N_8 = __fma_rn(N_9, v, -0x1.1a9d65bd2d4f7p-13);
    double N_7 = __fma_rn(N_8, v, -0x1.abd3a24d4126dp-10);
    double N_6 = __fma_rn(N_7, v, 0x1.c819c3365f27bp-9);
    double N_5 = __fma_rn(N_6, v, 0x1.ee2aa6aec8e3ap-8);
    double N_4 = __fma_rn(N_5, v, -0x1.eec4c6e8ddfe9p-5);
    double N_3 = __fma_rn(N_4, v, 0x1.7dff2a50c3c52p-3);
    double N_2 = __fma_rn(N_3, v, -0x1.8c6dbf3bf63cfp-2);
    double N_1 = __fma_rn(N_2, v, 0x1.373e3a8b3609p-1);
    double N = __fma_rn(N_1, v, -0x1.82b4bb8c88274p-1);
    double w0 = __dmul_rn(E, t);
    double w = __dmul_rn(w0, i);
    double y0 = __fma_rn(w, N, R);
    float y1 = __double2float_rn(y0);
    float y = gelu_float(gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : gelu_bits(y1));
    return y;
}
#ifdef __cplusplus
extern "C"
#endif
__global__ void exact_value_float32(const float *__restrict__ x, float *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = exact_value_float32_one(x[i]);
}
#endif
