/* exercise.h - lab 5's exercise: what exercise.cu gets and what it must define. Not modifiable. */
#ifndef LAB_5_EXERCISE_H
#define LAB_5_EXERCISE_H

#include <cublas_v2.h>

#include "clock.h" /* wall_ns */
#include "error.h"

enum { LEAST_READINGS = 11, MOST_READINGS = 101 };

struct exercise {
    int dim;             /* each matrix is dim x dim, column by column */
    int products;        /* one reading is of so many products C = A B */
    const double *a, *b; /* host memory */
    double *c;           /* host memory: a product's result is to be here at the end */

    /* Set by exercise_benchmark: how long each reading took on the host's clock (wall_ns), from
     * before the first of its products is queued until the device has done the last, in the order
     * of the readings. */
    int readings;
    int64_t ns[MOST_READINGS];
};

/* Says how long x->products products take on this device once everything is ready for them. The
 * judge calls it in a process that has not used cuBLAS before, and compares what it says with a
 * benchmark of its own; it calls it again with a tracer. */
void exercise_benchmark(struct exercise *x);

#endif
