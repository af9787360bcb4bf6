/* The results of a GELU kernel in bfloat16 for every bit pattern, as `gelu check --all` reads them.
 *
 *     nvcc -O2 -o gelu_cu gelu.cu
 *     ./gelu_cu > kernel.bin
 */
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>

__global__ void gelu(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float z = __bfloat162float(x[i]);
        float u = 0.7978845608f * (z + 0.044715f * z * z * z);
        y[i] = __float2bfloat16(0.5f * z * (1.0f + tanhf(u)));
    }
}

int main() {
    const int n = 1 << 16;
    static uint16_t bits[n];
    for (int i = 0; i < n; i++)
        bits[i] = static_cast<uint16_t>(i);
    __nv_bfloat16 *x, *y;
    cudaMalloc(&x, sizeof bits);
    cudaMalloc(&y, sizeof bits);
    cudaMemcpy(x, bits, sizeof bits, cudaMemcpyHostToDevice);
    gelu<<<n / 256, 256>>>(x, y, n);
    cudaError_t error = cudaMemcpy(bits, y, sizeof bits, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    return std::fwrite(bits, sizeof bits, 1, stdout) == 1 ? 0 : 1;
}
