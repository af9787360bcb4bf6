/* The results of four GELUs in bfloat16 for every bit pattern, in their order.
 *
 *     cc -O2 -ffp-contract=off -o gelu_c gelu.c
 *     ./gelu_c rational > rational.bin
 *     ./gelu_c logistic > logistic.bin
 *     ./gelu_c careful > careful.bin
 *     ./gelu_c rounded > rounded.bin
 *     gelu check rational.bin --all --dtype bfloat16 --form tanh
 *     gelu check rounded.bin --all --dtype bfloat16 --form tanh --max-ulp 0.5
 */
#include <stdint.h>
#include <stdio.h>
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

/* To the nearest bfloat16, ties to even; a NaN stays one. */
static uint16_t round_to_bfloat16(float x) {
    uint32_t bits = to_bits(x);
    if (x != x)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float inner(float x) { /* u = sqrt(2/pi) (x + 0.044715 x^3) */
    return 0.7978845608f * (x + 0.044715f * x * x * x);
}

/* x/2 (1 + tanh u), with tanh u = u (27 + u^2)/(27 + 9 u^2), cut off at 3. */
static float rational(float x) {
    float u = inner(x);
    if (u > 3.0f)
        return x;
    if (u < -3.0f)
        return 0.0f;
    return 0.5f * x * (1.0f + u * (27.0f + u * u) / (27.0f + 9.0f * u * u));
}

/* 2^t to 22 bits: 2^k by its bits, 2^f for |f| <= 1/2 by its Taylor sum. */
static float power_of_2(float t) {
    if (t > 127.0f)
        return from_bits(0x7f800000);
    if (t < -126.0f)
        return 0.0f;
    int k = (int)(t + (t < 0 ? -0.5f : 0.5f));
    float f = t - (float)k;
    float p = 1.5403530e-4f;
    p = p * f + 1.3333558e-3f;
    p = p * f + 9.6181291e-3f;
    p = p * f + 5.5504109e-2f;
    p = p * f + 2.4022651e-1f;
    p = p * f + 6.9314718e-1f;
    p = p * f + 1.0f;
    return p * from_bits((uint32_t)(k + 127) << 23);
}

/* x sigma(2u), the same function: nothing cancels on the left. */
static float logistic(float x) {
    return x / (1.0f + power_of_2(-2.0f * 1.4426950409f * inner(x)));
}

/* The same, down to the least subnormal number and at -inf. */
static float careful(float x) {
    float t = -2.0f * 1.4426950409f * inner(x);
    if (x < -11.0f)
        return -0.0f;
    if (t < 64.0f)
        return x / (1.0f + power_of_2(t));
    float root = power_of_2(-0.5f * t); /* 1/(1 + 2^t) is 2^-t, which may be subnormal */
    return x * root * root;
}

/* The same, correctly rounded: around 0, GELU is x/2 and a little more, which decides ties. */
static float rounded(float x) {
    float y = careful(x);
    return x > -1.0f && x != 0.0f ? y + from_bits(1) : y; /* from_bits(1) is 2^-149 */
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    float (*gelu)(float) = strcmp(name, "rational") == 0   ? rational
                           : strcmp(name, "logistic") == 0 ? logistic
                           : strcmp(name, "careful") == 0  ? careful
                           : strcmp(name, "rounded") == 0  ? rounded
                                                           : NULL;
    if (!gelu) {
        fprintf(stderr, "usage: gelu_c rational|logistic|careful|rounded\n");
        return 2;
    }
    for (uint32_t bits = 0; bits < 65536; bits++) {
        uint16_t result = round_to_bfloat16(gelu(from_bits(bits << 16)));
        unsigned char bytes[2] = {(unsigned char)result, (unsigned char)(result >> 8)};
        fwrite(bytes, 1, 2, stdout);
    }
    return 0;
}
