/* exercise.h - lab 4's exercise: what exercise.cu gets and what it must define. Not modifiable. */
#ifndef LAB_4_EXERCISE_H
#define LAB_4_EXERCISE_H

#include "error.h"
#include "items.h" /* the two kernels, and how many blocks the device holds */

struct exercise {
    struct items items; /* items.n of them; hand it to the kernels as it is */
    int capacity;       /* blocks of ITEM_THREADS threads that the device holds at once */
};

/* Before the rounds, not timed: allocate and create what is needed. */
void exercise_setup(struct exercise *x);

/* Queues kernels that do each of the items once. The judge synchronises the device after it has
 * returned, and changes the items' words between rounds. */
void exercise_queue(struct exercise *x);

/* After the last round: free it all. */
void exercise_cleanup(struct exercise *x);

#endif
