/* blocks.h - what block stamps say: how long, how many at once, in which wave, and what an ideal
 * GPU would have needed. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdint.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One piece of work as the GPU ran it. Times by the GPU's globaltimer, which all SMs share. */
struct stamp {
    int64_t start_ns, end_ns;
    int sm;    /* %smid */
    int block; /* blockIdx.x of the block that ran it */
};

int64_t stamps_start_ns(const struct stamp *stamps, int n); /* of the first to start */
int64_t stamps_end_ns(const struct stamp *stamps, int n);   /* of the last to end */

struct lengths {
    double shortest_ns, longest_ns, sum_ns;
};
struct lengths stamps_lengths(const struct stamp *stamps, int n);

/* The largest number of stamps that one SM held at any instant. A piece that starts in the tick
 * in which another ends does not count as beside it. */
int stamps_most_resident(const struct stamp *stamps, int n);

/* Fills wave[i]: 0 for the first `resident` pieces an SM started, 1 for the next, and so on.
 * slot[i]: which of the SM's places it had, 0 to resident - 1. Returns the number of waves. */
int stamps_waves(const struct stamp *stamps, int n, int resident, int *wave, int *slot);

/* No scheduler can be faster than this: all places busy all the time, and no less than the
 * longest piece. The bound of a work-conserving GPU that can cut work anywhere. */
double bound_ns(const struct stamp *stamps, int n, int capacity);

/* What a scheduler needs that starts the next piece, in order, in the first place that is free:
 * list scheduling, which is what the hardware is said to do with blocks. */
double in_order_ns(const struct stamp *stamps, int n, int capacity);

/* Adds one span a stamp to the timeline: kind block, stream = SM, grid[0] = block, block[0] = the
 * place on the SM. offset_ns is added to the GPU's time to get the host's. name as in "kernel 1".
 * kernel gives part, device and correlation. */
void stamps_to_timeline(const struct stamp *stamps, int n, int resident, const char *name,
                        const struct span *kernel, int64_t offset_ns);

#ifdef __cplusplus
}
#endif
#endif
