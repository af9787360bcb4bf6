/* GEGLU and SwiGLU in one pass, for docs/pairs.md: float32 inside, rounded once. And SwiGLU's
 * gradients, for an upstream gradient of 1. Numbers are float, or the bits of bfloat16 or float16.
 *
 *     cc -O2 -ffp-contract=off -shared -fPIC -o libglu.so glu.c -lm
 *     gelu sweep ./libglu.so:geglu_bfloat16 --glu --dtype bfloat16 --range=-4:8 --up=0.5,-3
 *     gelu sweep ./libglu.so:geglu_float16 --glu --dtype float16 --range=-4:8 --up=0.5,-3
 *     gelu sweep ./libglu.so:swiglu_float32 --glu --form silu --range=-4:8 --up=0.5,-3
 *     gelu sweep ./libglu.so:swiglu_gate_bfloat16 --glu --form silu --quantity gate_gradient --dtype bfloat16 --range=-4:8 --up=3
 *     gelu sweep ./libglu.so:swiglu_up_bfloat16 --glu --form silu --quantity up_gradient --dtype bfloat16 --range=-4:8 --up=1
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t to_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float from_float32(float x) { return x; }
static float to_float32(float x) { return x; }

static float from_bfloat16(uint16_t bits) { return from_bits((uint32_t)bits << 16); }

/* To the nearest bfloat16, ties to even; a NaN stays one. */
static uint16_t to_bfloat16(float x) {
    uint32_t bits = to_bits(x);
    if (isnan(x))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The exponent is 112 less, which a product with 2^112 mends, subnormal numbers included. */
static float from_float16(uint16_t bits) {
    uint32_t size = bits & 0x7fff, sign = (uint32_t)(bits & 0x8000) << 16;
    float x = from_bits(size << 13) * 0x1p112f;
    if (size >= 0x7c00)
        x = from_bits(size << 13 | 0x7f800000);
    return from_bits(to_bits(x) | sign);
}

/* To the nearest float16, ties to even: a sum rounds subnormal numbers, integers the others. */
static uint16_t to_float16(float x) {
    uint32_t bits = to_bits(x), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (isnan(x))
        return (uint16_t)(sign | 0x7e00);
    if (size >= 0x477ff000) /* 65520 */
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) /* 2^-14 */
        return (uint16_t)(sign | (to_bits(from_bits(size) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}

/* Phi(x): nothing cancels on the left. */
static float phi(float x) { return 0.5f * erfcf(-0.70710678f * x); }

/* Without an infinity on the left. */
static float logistic(float x) {
    float e = expf(-fabsf(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* The gate comes last: its product with the factor may be subnormal where the result is not. */
static float geglu(float gate, float up) { return gate * (phi(gate) * up); }

static float swiglu(float gate, float up) { return gate * (logistic(gate) * up); }

static float swiglu_gate(float gate, float up) {
    return (1.0f + gate * logistic(-gate)) * (logistic(gate) * up);
}

static float swiglu_up(float gate, float up) {
    (void)up;
    return gate * logistic(gate);
}

#define OF(function, format, number)                                                           \
    void function##_##format(const number *gate, const number *up, number *y, size_t n) {      \
        for (size_t i = 0; i < n; i++)                                                         \
            y[i] = to_##format(function(from_##format(gate[i]), from_##format(up[i])));        \
    }
#define OF_EACH(function)                                                                      \
    OF(function, float32, float)                                                               \
    OF(function, bfloat16, uint16_t)                                                           \
    OF(function, float16, uint16_t)

OF_EACH(geglu)
OF_EACH(swiglu)
OF_EACH(swiglu_gate)
OF_EACH(swiglu_up)
