/* Solution 1: memory that the device can reach by itself, allocated beforehand; one stream keeps
 * the order; nobody waits. */
#include "exercise.h"

void exercise_setup(struct exercise *x) {
    size_t bytes = x->words * sizeof *x->host;
    CUDA_CHECK(cudaMallocHost((void **)&x->host, bytes));
    CUDA_CHECK(cudaMalloc((void **)&x->device, bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&x->stream, cudaStreamNonBlocking));
}

void exercise_queue(struct exercise *x) {
    size_t bytes = x->words * sizeof *x->host;
    CUDA_CHECK(cudaMemcpyAsync(x->device, x->host, bytes, cudaMemcpyHostToDevice, x->stream));
    transform_kernel<<<transform_blocks(x->words), TRANSFORM_THREADS, 0, x->stream>>>(
        x->device, x->words, x->transform);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpyAsync(x->host, x->device, bytes, cudaMemcpyDeviceToHost, x->stream));
}

void exercise_cleanup(struct exercise *x) {
    CUDA_CHECK(cudaFreeHost(x->host));
    CUDA_CHECK(cudaFree(x->device));
    CUDA_CHECK(cudaStreamDestroy(x->stream));
}
