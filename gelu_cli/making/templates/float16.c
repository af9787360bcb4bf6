GELU_INLINE uint16_t ${name}_one(uint16_t x) {
    return gelu_to_half(${name}_float(gelu_from_half(x)));
}
