/* GELU in its tanh form, x·σ(2u), as a library has it: for arrays, and for one number.
 *
 *     cc -O2 -ffp-contract=off -shared -fPIC -o libgelu.so gelu_library.c -lm
 *     gelu sweep ./libgelu.so:gelu_bf16 --dtype bfloat16 --form tanh
 *     gelu sweep ./libgelu.so:gelu_bf16_of --signature scalar --dtype bfloat16 --form tanh
 *     gelu sweep ./libgelu.so:gelu_f32 --form tanh
 *     gelu sweep ./libgelu.so:gelu_bf16_to_f32 --dtype bfloat16 --result float32 --form tanh
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static float from_bfloat16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* To the nearest bfloat16, ties to even; a NaN stays one. */
static uint16_t to_bfloat16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float gelu_f32_of(float x) {
    float u = 0.7978845608f * (x + 0.044715f * x * x * x);
    return x / (1.0f + expf(-2.0f * u));
}

uint16_t gelu_bf16_of(uint16_t x) {
    return to_bfloat16(gelu_f32_of(from_bfloat16(x)));
}

void gelu_f32(const float *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = gelu_f32_of(x[i]);
}

void gelu_bf16(const uint16_t *x, uint16_t *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = gelu_bf16_of(x[i]);
}

void gelu_bf16_to_f32(const uint16_t *x, float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = gelu_f32_of(from_bfloat16(x[i]));
}
