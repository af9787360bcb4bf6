$text
template <class T>
static const char *gelu_run(void (*kernel)(const T *, T *, size_t), const void *x, void *y, size_t n) {
    T *from, *to;
    cudaMalloc(&from, n * sizeof(T));
    cudaMalloc(&to, n * sizeof(T));
    cudaMemcpy(from, x, n * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(to, y, n * sizeof(T), cudaMemcpyHostToDevice);
    kernel<<<(unsigned)((n + 255) / 256), 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}
extern "C" const char *${name}_here(const void *x, void *y, size_t n) {
    return gelu_run($name, x, y, n);
}
