/* experiment.h - one dim of lab 3: a product alone, and equal products queued together. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "concurrency.h"
#include "matrix.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_COUNT = 32, TRACED_ROUNDS = 5, TRACED_ALONE = 3 };

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

/* Products that were checked, in one part of the lab. */
struct tally {
    int right, wrong;
    int unverified_dim; /* smallest dim that this device does not compute; 0: all were checked */
    double worst;       /* largest error, as a share of what is allowed */
};

void experiment_begin(int count, uint64_t seed);
void experiment_end(void);
int experiment_count(void);

/* Whether the products fit this device's free memory, and one takes under a second. */
bool dim_fits(int dim);

/* The largest dim / 2^n that does, and says so if it is not dim itself. 0 if none. */
int fitting_dim(int dim);

/* Allocates the matrices, loads the kernels in every stream, and measures one product alone. */
void study_begin(struct study *study, char part, int dim);
void study_end(struct study *study);

void study_predict(struct study *study, enum mode mode);

/* Queues the products this way in `rounds` measured and TRACED_ROUNDS traced rounds, checks them,
 * and stores the results of the part. */
void study_run(struct study *study, char part, enum mode mode, int rounds, struct tally *tally);

/* Puts the streams' products into `tally`. */
void verify(struct products *products, struct tally *tally);

/* C i of the products, by cuBLAS, in this stream. */
void multiply(struct products *products, int i, cudaStream_t stream);
cublasHandle_t experiment_cublas(void);

/* How much later a second stream starts than the first when one gate holds both, ns: measured with
 * two sleep kernels of one block. 0 without a tracer. */
double release_ns(void);

#ifdef __cplusplus
}
#endif
#endif
