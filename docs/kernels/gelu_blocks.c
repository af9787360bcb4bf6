/* GELU in its tanh form, eight numbers at a time, with another formula for what is left at the end.
 *
 *     cc -O2 -ffp-contract=off -shared -fPIC -o libblocks.so gelu_blocks.c -lm
 *     gelu sweep ./libblocks.so:gelu_blocks --range -4:4 --form tanh --shapes
 */
#include <math.h>
#include <stddef.h>

static float inner(float x) { /* u = sqrt(2/pi) (x + 0.044715 x^3) */
    return 0.7978845608f * (x + 0.044715f * x * x * x);
}

void gelu_blocks(const float *x, float *y, size_t n) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = i; k < i + 8; k++)
            y[k] = x[k] / (1.0f + expf(-2.0f * inner(x[k])));
    for (; i < n; i++) { /* the same function, but 1 + t cancels */
        float t = 1.0f - 2.0f / (1.0f + expf(2.0f * inner(x[i])));
        y[i] = 0.5f * x[i] * (1.0f + t);
    }
}
