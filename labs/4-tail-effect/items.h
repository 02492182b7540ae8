/* items.h - the work of lab 4's exercise: items of equal length, and two kernels that do them. */
#ifndef ITEMS_H
#define ITEMS_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "blocks.h"
#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ITEM_THREADS = 1024 }; /* in each block; blocks of another size do nothing */

/* Passed to the kernels as it is. */
struct items {
    int n;
    int64_t item_cycles; /* each item takes this long */
    uint32_t *word;      /* device memory, one an item: doing it changes the word */
    uint32_t key;
    struct stamp *stamps; /* pinned memory, one an item: when and where it was done */
    struct spin_guard *guard;
};

#ifdef __CUDACC__
/* Block b does items first + b * per_block to first + (b + 1) * per_block - 1, one after another;
 * items from items.n on are none. */
__global__ void range_kernel(struct items items, int first, int per_block);

/* Each block takes one item after another, until none is left. *next, in device memory, is the item
 * to take next: 0 at the start. */
__global__ void counter_kernel(struct items items, int *next);
#endif

/* Blocks of either kernel that the device holds at once. */
int items_capacity(void);

/* What doing an item makes of its word. */
uint32_t item_done(uint32_t word, uint32_t key);

#ifdef __cplusplus
}
#endif
#endif
