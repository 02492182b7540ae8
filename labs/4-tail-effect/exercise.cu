/* Exercise 4: do not let the GPU run empty.
 *
 * The items are equally long, and there are enough of them to keep the GPU full nearly twelve times
 * over. This program gives each block eight of them. That makes one and a half waves: while the
 * last one runs, more than half of the GPU has nothing to do.
 *
 * Goal     the device is at work for at most 1/0.9 of the time that it would need with no place
 *          ever empty (90 % of the bound); each item is done once.
 * Yours    everything in this file: which kernels of items.h, how many blocks, how many items a
 *          block. A block has ITEM_THREADS threads.
 * Try      make exercise-4
 */
#include "exercise.h"

enum { ITEMS_A_BLOCK = 8 };

static cudaStream_t stream;

void exercise_setup(struct exercise *x) {
    (void)x;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

void exercise_queue(struct exercise *x) {
    int blocks = (x->items.n + ITEMS_A_BLOCK - 1) / ITEMS_A_BLOCK;
    range_kernel<<<blocks, ITEM_THREADS, 0, stream>>>(x->items, 0, ITEMS_A_BLOCK);
    LAUNCH_CHECK();
}

void exercise_cleanup(struct exercise *x) {
    (void)x;
    CUDA_CHECK(cudaStreamDestroy(stream));
}
