/* gemm.h - the model of a double-precision matrix product, between cublas.c (the calls) and gemm.c
 * (grid, time, effect), and product.c (the numbers). */
#ifndef GEMM_H
#define GEMM_H

#include <stdbool.h>
#include <stddef.h>

#include "sim.h"

/* What cublasDgemm and its batched forms were asked for. Lies in the launch's arguments. */
struct gemm {
    bool transposed_a, transposed_b;
    int m, n, k, lda, ldb, ldc, batch;
    /* Plain and strided: the first matrices, and how far the next ones are (elements). */
    const double *a, *b;
    double *c;
    long long stride_a, stride_b, stride_c;
    /* Batched: arrays of addresses, in device memory. NULL otherwise. */
    const double *const *a_of, *const *b_of;
    double *const *c_of;
    /* In device memory if not NULL (CUBLAS_POINTER_MODE_DEVICE); else the values. */
    const double *device_alpha, *device_beta;
    double alpha, beta;
};

/* Queues the product's kernel in the stream. */
cudaError_t gemm_launch(const struct gemm *gemm, cudaStream_t stream);

/* What the call takes the host, before the kernel is queued. */
double gemm_call_ns(const struct gemm *gemm);

/* The largest m, n and k for which the numbers are computed. Above, C is left as it was. */
enum { PRODUCT_MAX_DIM = 512 };

/* c = alpha op(a) op(b) + beta c, column-major. Products of the same numbers are remembered, so
 * that measuring one 11 times costs one computation. */
void product(const struct gemm *gemm, const double *a, const double *b, double *c, double alpha,
             double beta);

#endif
