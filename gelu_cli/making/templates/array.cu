#ifdef __cplusplus
extern "C"
#endif
__global__ void $name(const $type *__restrict__ x, $type *__restrict__ y, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;  /* of any grid */
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = ${name}_one(x[i]);
}
