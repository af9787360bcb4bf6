/* GELU in its tanh form on a GPU, in bfloat16, with a function for arrays of the host.
 *
 *     nvcc -O2 -shared -Xcompiler -fPIC -o libgelu_cuda.so gelu.cu
 *     gelu sweep ./libgelu_cuda.so:gelu --dtype bfloat16 --form tanh
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>

__global__ void kernel(const __nv_bfloat16 *x, __nv_bfloat16 *y, size_t n) {
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float z = __bfloat162float(x[i]);
        float u = 0.7978845608f * (z + 0.044715f * z * z * z);
        y[i] = __float2bfloat16(0.5f * z * (1.0f + tanhf(u)));
    }
}

static void require(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

extern "C" void gelu(const uint16_t *x, uint16_t *y, size_t n) {
    const unsigned threads = 256;
    const size_t size = n * sizeof *x;
    __nv_bfloat16 *input, *output;
    require(cudaMalloc(&input, size));
    require(cudaMalloc(&output, size));
    require(cudaMemcpy(input, x, size, cudaMemcpyHostToDevice));
    kernel<<<(n + threads - 1) / threads, threads>>>(input, output, n);
    require(cudaGetLastError());
    require(cudaMemcpy(y, output, size, cudaMemcpyDeviceToHost));
    cudaFree(input);
    cudaFree(output);
}
