/* exercise.h - lab 1's exercise: what exercise.cu gets and what it must define. Not modifiable. */
#ifndef LAB_1_EXERCISE_H
#define LAB_1_EXERCISE_H

#include "error.h"
#include "transform.h"

struct exercise {
    size_t words;               /* 32-bit words of data */
    struct transform transform; /* hand it to transform_kernel as it is */

    /* Set by exercise_setup: */
    uint32_t *host; /* the judge writes the words here before each round and reads them after */
    uint32_t *device;
    cudaStream_t stream;
};

/* Before the rounds, not timed: allocate and create what is needed, set host. */
void exercise_setup(struct exercise *x);

/* Timed. Queues: the words at x->host to the device, transform_kernel over them, the words back to
 * x->host. The judge synchronises the device after it has returned. */
void exercise_queue(struct exercise *x);

/* After the last round: free it all. */
void exercise_cleanup(struct exercise *x);

#endif
