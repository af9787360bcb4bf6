/* tanh_value_float32: value of tanh, ½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715,
 * d = 0, in float32, within 0.501 ULP.
 *
 * SPDX-License-Identifier: 0BSD
 *
 * Made and proved by gelu 0.2.0, which makes it anew:
 *     gelu make tanh --quantity value --dtype float32 --max-ulp 0.501 --language cuda
 * and proves this file again:
 *     gelu make --check FILE
 *
 * Inside: float64; degree: 8; operations: 25; patched: 0.
 *
 * Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
 * included:
 *     largest error 0.500012 ULP at x = -5.09662342, 572 misrounded
 *     SHA-256 684b916139977737160b94edfa42070fd1dd74b1763447736667eb401f2bb790
 *         NVIDIA H200 by nvcc 13.0: -O3 -arch=native (fused)
 *
 * Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
 * than to nearest, or fast-math modes.
 */
#ifndef GELU_MADE_tanh_value_float32
#define GELU_MADE_tanh_value_float32
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
GELU_INLINE float tanh_value_float32_one(float x) {
    float a = gelu_abs(x);
    float t0 = gelu_clamp(a, 0x1.58aaf4p+3f);
    double t = (double)t0;
    float R0 = gelu_positive(x);
    double R = (double)R0;
    double z = __dmul_rn(t, t);
    double s = __fma_rn(z, -0x1.a5a7cf7572a98p-4, -0x1.26aec21bce75ap+1);
    double kf = __fma_rn(t, s, 0x1.8p+52);
    double nk = __dsub_rn(0x1.8p+52, kf);
    double r = __fma_rn(t, s, nk);
    double X_7 = __fma_rn(0x1.63d136366db24p-20, r, 0x1.00dc4a532fb8ep-16);
    double X_6 = __fma_rn(X_7, r, 0x1.4308ac85aa947p-13);
    double X_5 = __fma_rn(X_6, r, 0x1.5d8745a728441p-10);
    double X_4 = __fma_rn(X_5, r, 0x1.3b2ab7181b755p-7);
    double X_3 = __fma_rn(X_4, r, 0x1.c6b08dd6fd234p-5);
    double X_2 = __fma_rn(X_3, r, 0x1.ebfbdff823cedp-3);
    double X_1 = __fma_rn(X_2, r, 0x1.62e42fef84cfp-1);
    double X = __fma_rn(X_1, r, 0x1.fffffffffffffp-1);
    double E = gelu_scale64(X, kf);
    double w = __dmul_rn(t, E);
    double Q = __dadd_rn(E, 0x1p+0);
    double g = __ddiv_rn(w, Q);
    double y0 = __dsub_rn(R, g);
    float y1 = __double2float_rn(y0);
    float y = gelu_float(gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : gelu_bits(y1));
    return y;
}
#ifdef __cplusplus
extern "C"
#endif
__global__ void tanh_value_float32(const float *__restrict__ x, float *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = tanh_value_float32_one(x[i]);
}
#endif
