/* transform.h - the kernel of the exercises: it changes every word of its data, so that missing or
 * doubled work shows, and takes a time that the exercise's judge chooses. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRANSFORM_THREADS = 1024, TRANSFORM_WORDS = 4096 }; /* threads, and words a block works on */

/* Passed to the kernel as it is. */
struct transform {
    uint32_t key;
    int64_t block_cycles; /* each block takes this long */
    struct spin_guard *guard;
};

#ifdef __CUDACC__
/* data[i] = data[i] * 747796405 + key for each of the words. Launch it with
 * transform_blocks(words) blocks of TRANSFORM_THREADS threads. */
__global__ void transform_kernel(uint32_t *data, size_t words, struct transform transform);
#endif

int transform_blocks(size_t words);
int transform_capacity(void); /* blocks the device holds at once */

/* What the kernel does to one word, for the judge. */
uint32_t transformed(uint32_t word, const struct transform *transform);

#ifdef __cplusplus
}
#endif
#endif
