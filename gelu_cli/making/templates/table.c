static GELU_TABLE uint8_t ${name}_table[256] = {
$rows};
GELU_INLINE uint8_t ${name}_one(uint8_t x) { return ${name}_table[x]; }
