/* exercise.h - lab 2's exercise: what exercise.cu gets and what it must define. Not modifiable. */
#ifndef LAB_2_EXERCISE_H
#define LAB_2_EXERCISE_H

#include "error.h"
#include "transform.h"

struct exercise {
    size_t words;               /* 32-bit words of data, 64 MiB in all */
    struct transform transform; /* hand it to transform_kernel as it is */
    const uint32_t *in;         /* pinned host memory: the words to transform */
    uint32_t *out;              /* pinned host memory: where the transformed words go */
};

/* Before the rounds, not timed: allocate and create what is needed. */
void exercise_setup(struct exercise *x);

/* Queues: the words at x->in to the device, transform_kernel over each of them once, and back to
 * x->out. The judge synchronises the device after it has returned. */
void exercise_queue(struct exercise *x);

/* After the last round: free it all. */
void exercise_cleanup(struct exercise *x);

#endif
