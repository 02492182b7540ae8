/* methods.h - ways to give the device many equal products. */
#ifndef METHODS_H
#define METHODS_H

#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_PRODUCTS = 256 };
enum method { BY_ONE_STREAM, BY_N_STREAMS, BY_GRAPH, BY_BATCH, METHODS };

const char *method_name(enum method method); /* "n-streams", as in results and timeline */

struct method_run {
    struct samples total; /* from entering the first call to all products done, ns */
    double makespan_ns;   /* traced: from the first product's start to the last one's end; or NaN */
};

void methods_begin(int products);
void methods_end(void);

/* Measures one method as part e, checks the products, stores the result. */
void method_measure(enum method method, struct products *products, struct method_run *run,
                    struct tally *tally);

/* What it should take, from one product alone: `n` calls that the host queues one after another,
 * or one; and blocks that the device's capacity and FP64 units let through. */
double method_expected_ns(enum method method, const struct study *alone, int n);

#ifdef __cplusplus
}
#endif
#endif
