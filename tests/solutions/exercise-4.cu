/* Solution 4: a persistent kernel. As many blocks as fit take items from a counter until none is
 * left, so that no place is empty for longer than one item. One item a block, or one wave of blocks
 * with twelve each, would do as well. */
#include "exercise.h"

static cudaStream_t stream;
static int *next;

void exercise_setup(struct exercise *x) {
    (void)x;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMalloc((void **)&next, sizeof *next));
}

void exercise_queue(struct exercise *x) {
    CUDA_CHECK(cudaMemsetAsync(next, 0, sizeof *next, stream));
    counter_kernel<<<x->capacity, ITEM_THREADS, 0, stream>>>(x->items, next);
    LAUNCH_CHECK();
}

void exercise_cleanup(struct exercise *x) {
    (void)x;
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(next));
}
