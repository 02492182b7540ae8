/* Solution 2: pieces. While piece k is in the kernel, piece k + 1 comes in and piece k - 1 goes
 * out. Three streams are enough: one piece in each of the three stages. */
#include "exercise.h"

enum { STREAMS = 3, PIECES = 16 };

static uint32_t *device;
static cudaStream_t stream[STREAMS];

void exercise_setup(struct exercise *x) {
    CUDA_CHECK(cudaMalloc((void **)&device, x->words * sizeof *device));
    for (int i = 0; i < STREAMS; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
}

void exercise_queue(struct exercise *x) {
    size_t words = x->words / PIECES, bytes = words * sizeof *device;
    for (int i = 0; i < PIECES; i++) {
        size_t at = (size_t)i * words;
        cudaStream_t s = stream[i % STREAMS];
        CUDA_CHECK(cudaMemcpyAsync(device + at, x->in + at, bytes, cudaMemcpyHostToDevice, s));
        transform_kernel<<<transform_blocks(words), TRANSFORM_THREADS, 0, s>>>(device + at, words,
                                                                               x->transform);
        LAUNCH_CHECK();
        CUDA_CHECK(cudaMemcpyAsync(x->out + at, device + at, bytes, cudaMemcpyDeviceToHost, s));
    }
}

void exercise_cleanup(struct exercise *x) {
    (void)x;
    CUDA_CHECK(cudaFree(device));
    for (int i = 0; i < STREAMS; i++)
        CUDA_CHECK(cudaStreamDestroy(stream[i]));
}
