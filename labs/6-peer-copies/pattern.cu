/* pattern.cu - kernels that write a pattern into device memory and count what differs from it. */
#include "error.h"
#include "pattern.h"

enum { BLOCKS = 256, THREADS = 256 };

extern "C" __global__ void fill_kernel(uint64_t *words, uint64_t n, uint64_t seed) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        words[i] = pattern_word(seed, i);
}

extern "C" __global__ void count_wrong_kernel(const uint64_t *words, uint64_t n, uint64_t seed,
                                              unsigned long long *wrong_bytes) {
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long wrong = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        for (uint64_t bits = words[i] ^ pattern_word(seed, i); bits; bits >>= 8)
            wrong += (bits & 0xff) != 0;
    if (wrong)
        atomicAdd(wrong_bytes, wrong);
}

void pattern_fill(void *memory, size_t bytes, uint64_t seed) {
    fill_kernel<<<BLOCKS, THREADS>>>((uint64_t *)memory, bytes / 8, seed);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaDeviceSynchronize());
}

uint64_t pattern_wrong_bytes(const void *memory, size_t bytes, uint64_t seed) {
    unsigned long long *wrong, found;
    CUDA_CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    CUDA_CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    count_wrong_kernel<<<BLOCKS, THREADS>>>((const uint64_t *)memory, bytes / 8, seed, wrong);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(wrong));
    return found;
}
