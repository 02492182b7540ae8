/* experiment.h - one or two launches of stamping kernels, run again and again, and judged. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include <stdint.h>

#include "stamp.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct experiment {
    const struct work *first, *second; /* second: NULL if there is one launch */
    cudaStream_t first_stream, second_stream;
    int threads;             /* a block */
    int capacity;            /* blocks that the device holds at once */
    struct samples makespan; /* ns, from the first block's start to the last one's end */
    struct samples bound;    /* ns, see bound_ns */
    struct samples in_order; /* ns, see in_order_ns */
    struct samples gap;      /* ns, from the first kernel's end to the second one's start */
    struct samples early;    /* ns, the second kernel's start before the first one's end: -gap */
    struct samples shortest, longest; /* ns, a block */
    int most_resident;                /* blocks on one SM, in any round */
};

/* Waves that all blocks of the experiment need together. */
int experiment_waves(const struct experiment *e);

/* Runs it in `rounds` rounds as timeline part `part`, adds the traced round's blocks to the
 * timeline, stores its results under the part's letter, with `cut` as their last word if it is not
 * NULL, and checks what holds for every cut: no SM holds more blocks than fit, and the GPU needs as
 * long as a scheduler that fills each place as it comes free. The stamps of the traced round stay.
 */
void experiment_run(struct experiment *e, const char *part, const char *cut, int rounds);

#ifdef __cplusplus
}
#endif
#endif
