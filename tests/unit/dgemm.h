/* dgemm.h - products of square matrices on the simulated GPU, for the tests of cuBLAS. */
#ifndef DGEMM_H
#define DGEMM_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

static cublasHandle_t handle; /* the test makes and destroys it */
static const double one = 1, zero = 0;

/* Three dim x dim matrices; big ones are never touched. */
static double *matrices(int dim) {
    double *a = NULL;
    cudaMalloc((void **)&a, 3 * (size_t)dim * (size_t)dim * sizeof *a);
    return a;
}

static cublasStatus_t dgemm(double *a, int dim, cudaStream_t stream) {
    size_t n = (size_t)dim * (size_t)dim;
    cublasSetStream(handle, stream);
    return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, dim, dim, dim, &one, a, dim, a + n, dim,
                       &zero, a + 2 * n, dim);
}

#endif
