#include <stdint.h>
#include <string.h>

static float from_float16(uint16_t bits)
{
    uint32_t magnitude = bits & 0x7fff;
    float x = (float)magnitude * 0x1p-24f; /* subnormal */
    if (magnitude >= 0x0400) {
        uint32_t wide = (magnitude << 13) + (magnitude < 0x7c00 ? 0x38000000 : 0x70000000);
        memcpy(&x, &wide, sizeof x);
    }
    return bits & 0x8000 ? -x : x;
}

/* To nearest, ties to even; a NaN stays one. */
static uint16_t to_float16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* half way from the largest number to 2^16, or beyond */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* subnormal: the sum has the unit 2^-24 in its last place */
        float sum = fabsf(x) + 0.5f;
        memcpy(&bits, &sum, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
}
