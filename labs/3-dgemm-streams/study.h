/* study.h - one dim of lab 3: a product alone (alone.cu), and equal products queued together
 * (together.cu). */
#ifndef STUDY_H
#define STUDY_H

#include "concurrency.h"
#include "experiment.h"
#include "matrix.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRACED_ROUNDS = 5, TRACED_ALONE = 3 };

/* Where the products go. With more than two, "two streams" are as many as there are products. */
enum mode { DEFAULT_STREAM, ONE_STREAM, TWO_STREAMS, ONE_STREAM_GATED, TWO_STREAMS_GATED, MODES };

const char *mode_name(enum mode mode); /* "two-streams", as in results and timeline */

/* What queueing the products one way showed. */
struct outcome {
    struct pair_prediction predicted;
    struct samples queued_after; /* from the first call's return to the second's, ns */
    struct samples total;        /* from entering the first call to all products done, ns */
    struct samples overlap;      /* of the first two, one for each traced round */
    struct pair_seen seen;       /* what most traced rounds showed */
    int early;                   /* traced rounds in which all were queued before the first ended */
    int rounds;                  /* traced rounds with usable records; 0: seen means nothing */
};

struct study {
    int dim;
    struct products *products;
    /* One product alone. */
    struct samples call;        /* cublasSetStream and cublasDgemm, until they return, ns */
    struct samples alone_total; /* ... until the product is done */
    int kernels;                /* that one call launches; 0: no usable record */
    struct pair_facts facts;    /* of a pair in two streams without a gate */
    struct outcome outcome[MODES];
};

/* Allocates the matrices, loads the kernels in every stream, and measures one product alone. */
void study_begin(struct study *study, char part, int dim);
void study_end(struct study *study);

void study_predict(struct study *study, enum mode mode);

/* Queues the products this way in `rounds` measured and TRACED_ROUNDS traced rounds, checks them,
 * and stores the results of the part. */
void study_run(struct study *study, char part, enum mode mode, int rounds, struct tally *tally);

/* How much later a second stream starts than the first when one gate holds both, ns: measured with
 * two sleep kernels of one block. 0 without a tracer. */
double release_ns(void);

#ifdef __cplusplus
}
#endif
#endif
