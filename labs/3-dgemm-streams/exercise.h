/* exercise.h - lab 3's exercise: what exercise.cu gets and what it must define. Not modifiable. */
#ifndef LAB_3_EXERCISE_H
#define LAB_3_EXERCISE_H

#include <cublas_v2.h>

#include "error.h"

struct exercise {
    int products; /* 32 */
    int dim;      /* 64: each matrix is dim x dim, column by column */
    /* Device memory; the matrices of product i begin at [i * dim * dim]. */
    const double *a, *b;
    double *c;
    cublasHandle_t cublas;
};

/* Before the rounds, not timed: create what is needed. */
void exercise_setup(struct exercise *x);

/* Queues: C_i = A_i * B_i for each of the products. The judge synchronises the device after it has
 * returned, and changes the matrices between rounds. */
void exercise_queue(struct exercise *x);

/* After the last round: free it all. */
void exercise_cleanup(struct exercise *x);

#endif
