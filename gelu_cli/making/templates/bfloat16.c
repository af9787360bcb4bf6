GELU_INLINE uint16_t ${name}_one(uint16_t x) {
    uint32_t u = gelu_bits(${name}_float(gelu_float((uint32_t)x << 16)));
    return (uint16_t)((u + 0x8000u - (u >> 31)) >> 16);  /* f(x) > x/2: ties go up */
}
