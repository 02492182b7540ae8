/* experiment.h - what the products of lab 3 run on: cuBLAS, a stream for each product, a gate. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_COUNT = 32 };

/* Products that were checked, in one part of the lab. */
struct tally {
    int right, wrong;
    int unverified_dim; /* smallest dim that this device does not compute; 0: all were checked */
    double worst;       /* largest error, as a share of what is allowed */
};

void experiment_begin(int count, uint64_t seed);
void experiment_end(void);
int experiment_count(void);
cublasHandle_t experiment_cublas(void);
cudaStream_t experiment_stream(int i); /* of product i */

/* The gate has a stream of its own; the products' streams wait for the event behind it. Open it
 * when all is queued. */
void experiment_gate_close(void);
void experiment_gate_open(void);

/* n products, filled with the numbers of the run's seed; free them with products_free. */
struct products *experiment_products(int n, int dim);

/* Whether the products fit this device's free memory, and one takes under a second. */
bool dim_fits(int dim);

/* The largest dim / 2^n that does, and says so if it is not dim itself. 0 if none. */
int fitting_dim(int dim);

/* Puts the streams' products into `tally`. */
void verify(struct products *products, struct tally *tally);

/* C i of the products, by cuBLAS, in this stream. */
void multiply(struct products *products, int i, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
