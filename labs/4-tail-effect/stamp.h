/* stamp.h - the kernels of lab 4 and the work they are given. */
#ifndef STAMP_H
#define STAMP_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pieces of work that one launch runs; each is a spin of so many cycles of the SM's clock. */
struct work {
    int pieces;
    int64_t *cycles;      /* device memory: how long each piece spins */
    struct stamp *stamps; /* pinned memory: the device writes, the host reads */
    int *next;            /* device memory: the persistent kernel's counter, else NULL */
    int blocks; /* in the grid: one a piece, or persistent ones that take pieces in turn */
};

/* Pieces of lengths_ns[i] each; persistent_blocks is 0 if each is to have a block of its own. */
struct work stamp_work_new(int pieces, const double *lengths_ns, int persistent_blocks);
void stamp_work_free(struct work *work);

/* Queues stamp_kernel, or persistent_kernel. */
void stamp_work_launch(const struct work *work, int threads, cudaStream_t stream);

/* Blocks of the whole device at once: of stamp_kernel, and of persistent_kernel. */
int stamp_capacity(int threads);
int persistent_capacity(int threads);

#ifdef __cplusplus
}
#endif
#endif
