/* exercise.h - lab 6's exercise: what exercise.cu gets and what it must define. Not modifiable. */
#ifndef LAB_6_EXERCISE_H
#define LAB_6_EXERCISE_H

#include "error.h"
#include "transform.h"

/* One GPU's side of the field: its edge, which the other GPU needs, and the rest, inner words. */
struct side {
    int gpu; /* as CUDA counts */
    /* Device memory of this GPU. */
    uint32_t *edge, *inner;
    uint32_t *halo; /* as many words as an edge: a copy of the other GPU's edge goes here */
};

struct exercise {
    struct side side[2];
    size_t edge_words, inner_words;
    struct transform transform; /* hand it to transform_kernel as it is */
};

/* Before the steps, not timed: create what is needed. */
void exercise_setup(struct exercise *x);

/* Queues one step: on each GPU transform_kernel over each word of edge and inner once, and then
 * (when it has been transformed) the edge to the other GPU's halo. The judge synchronises both
 * devices after it has returned. */
void exercise_step(struct exercise *x);

/* After the last step: free it all. */
void exercise_cleanup(struct exercise *x);

#endif
