#ifdef __cplusplus
extern "C"
#endif
__global__ void $name(const $type *x, $type *y, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = ${name}_one(x[i]);
}
