/* Exercise 2: make the copies disappear behind the kernel.
 *
 * 64 MiB go to the device, through a kernel, and back, in one piece. While they are copied the SMs
 * do nothing; while the kernel runs both copy engines do nothing. Make them work at the same time.
 *
 * Goal     the device is done in at most 0.6 of the time this program takes; at least half of the
 *          copies' time passes while a kernel runs; the words are right.
 * Yours    everything in this file. The kernel and the words a block works on stay as they are.
 * Try      make exercise-2
 */
#include "exercise.h"

static uint32_t *device;
static cudaStream_t stream;

void exercise_setup(struct exercise *x) {
    CUDA_CHECK(cudaMalloc((void **)&device, x->words * sizeof *device));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

void exercise_queue(struct exercise *x) {
    size_t bytes = x->words * sizeof *device;
    CUDA_CHECK(cudaMemcpyAsync(device, x->in, bytes, cudaMemcpyHostToDevice, stream));
    transform_kernel<<<transform_blocks(x->words), TRANSFORM_THREADS, 0, stream>>>(device, x->words,
                                                                                   x->transform);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpyAsync(x->out, device, bytes, cudaMemcpyDeviceToHost, stream));
}

void exercise_cleanup(struct exercise *x) {
    (void)x;
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaStreamDestroy(stream));
}
