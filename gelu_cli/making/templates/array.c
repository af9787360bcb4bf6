GELU_KERNEL void $name(const $type *__restrict x, $type *__restrict y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = ${name}_one(x[i]);
}
