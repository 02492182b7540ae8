/* items.cu - the kernels of lab 4's exercise. */
#include "items.h"

#include "device.h"
#include "piece.cuh"

static __host__ __device__ uint32_t step(uint32_t word, uint32_t key) {
    return word * 747796405u + key;
}

/* The thread that works: the others only hold their places on the SM. */
static __device__ void do_item(const struct items *items, int i) {
    run_piece(items->item_cycles, &items->stamps[i], items->guard);
    items->word[i] = step(items->word[i], items->key);
}

extern "C" __global__ void range_kernel(struct items items, int first, int per_block) {
    if (blockDim.x != ITEM_THREADS)
        return;
    int64_t begin = first + (int64_t)blockIdx.x * per_block, end = begin + per_block;
    if (threadIdx.x == 0) {
        for (int64_t i = begin; i < end && i < items.n; i++)
            do_item(&items, (int)i);
    }
    __syncthreads();
}

extern "C" __global__ void counter_kernel(struct items items, int *next) {
    __shared__ int item;
    if (blockDim.x != ITEM_THREADS)
        return;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1);
        __syncthreads();
        if (item < 0 || item >= items.n)
            return;
        if (threadIdx.x == 0)
            do_item(&items, item);
        __syncthreads();
    }
}

int items_capacity(void) {
    int range = device_capacity((const void *)range_kernel, ITEM_THREADS, 0);
    int counter = device_capacity((const void *)counter_kernel, ITEM_THREADS, 0);
    return range > counter ? range : counter;
}

uint32_t item_done(uint32_t word, uint32_t key) {
    return step(word, key);
}
