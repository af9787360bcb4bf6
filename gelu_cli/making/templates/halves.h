#ifndef GELU_HALVES
#define GELU_HALVES
GELU_INLINE uint32_t gelu_choose(int c, uint32_t a, uint32_t b) {
    uint32_t mask = 0u - (uint32_t)c;
    return (a & mask) | (b & ~mask);
}
GELU_INLINE float gelu_from_half(uint16_t h) {
    uint32_t m = h & 0x7fffu;
    float small = gelu_float((m << 13) + (113u << 23)) - gelu_float(113u << 23);
    uint32_t large = (m << 13) + gelu_choose(m < 0x7c00u, 112u << 23, 224u << 23);
    uint32_t u = gelu_choose(m < 0x400u, gelu_bits(small), large);
    return gelu_float(u | (uint32_t)(h & 0x8000u) << 16);
}
GELU_INLINE uint16_t gelu_to_half(float f) {
    uint32_t u = gelu_bits(f) & 0x7fffffffu;
    uint32_t small = gelu_bits(gelu_float(u) + 0.5f) - (126u << 23);
    uint32_t large = (u + 0xfffu + (u >> 13 & 1u) - (112u << 23)) >> 13;
    uint32_t special = gelu_choose(u > 0x7f800000u, 0x7e00u, 0x7c00u);
    uint32_t r = gelu_choose(u < 0x7f800000u, large, special);
    return (uint16_t)(gelu_choose(u < 113u << 23, small, r) | (gelu_bits(f) >> 31 << 15));
}
#endif
