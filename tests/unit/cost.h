/* cost.h - what code costs beside other code. A limit in seconds fails on a busy or a slow machine;
 * a ratio of two costs of one process, taken one right after the other, holds on any. */
#ifndef COST_H
#define COST_H

#include <stdlib.h>
#include <time.h>

#include "tap.h"

enum { COST_ROUNDS = 15 };

/* CPU time, for others may use this CPU as well. */
static inline double cost_of(void (*work)(void)) {
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    work();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

static inline int cost_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What `work` costs, as a multiple of what `reference` costs: the median of COST_ROUNDS rounds of
 * both. Prints it with its spread. */
static inline double cost_ratio(void (*work)(void), void (*reference)(void)) {
    double ratios[COST_ROUNDS];
    for (int i = 0; i < COST_ROUNDS; i++) {
        double other_s = cost_of(reference);
        ratios[i] = cost_of(work) / other_s;
    }
    qsort(ratios, COST_ROUNDS, sizeof ratios[0], cost_order);
    printf("# %.2f times the reference (%.2f to %.2f, %d rounds)\n", ratios[COST_ROUNDS / 2],
           ratios[0], ratios[COST_ROUNDS - 1], COST_ROUNDS);
    return ratios[COST_ROUNDS / 2];
}

#endif
