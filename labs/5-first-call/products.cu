/* products.cu - first products in a fresh process, and one benchmark done in two ways. */
#include <cublas_v2.h>
#include <stdlib.h>

#include "first.h"
#include "lab.h"
#include "matrix.h"

static const double one = 1, zero = 0;

static cublasHandle_t time_create(struct numbers *out) {
    cublasHandle_t handle;
    int64_t start_ns = wall_ns();
    CUBLAS_CHECK(cublasCreate(&handle));
    numbers_add(out, wall_ns() - start_ns);
    return handle;
}

static void multiply(cublasHandle_t handle, const struct products *p) {
    CUBLAS_CHECK(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->dim, p->dim, p->dim, &one, p->a,
                             p->dim, p->b, p->dim, &zero, p->c, p->dim));
}

/* How many products were checked and how many of those were wrong: a simulated device computes
 * only small ones. */
struct verified {
    int checked, wrong;
};

static void verify(struct verified *verified, struct products *p) {
    double error;
    if (!p->computed)
        return;
    verified->checked++;
    verified->wrong += products_wrong(p, &error);
}

static void add_verified(struct numbers *out, const struct verified *verified) {
    numbers_add(out, verified->checked);
    numbers_add(out, verified->wrong);
}

void first_products(struct numbers *out, const char *dims) {
    struct verified verified = {0, 0};
    CUDA_CHECK(cudaFree(0));
    cublasHandle_t handle = time_create(out);
    time_create(out);
    for (char *rest = (char *)dims; *rest; rest += *rest == ',') {
        struct products *p = products_new(1, (int)strtol(rest, &rest, 10), 1);
        for (int i = 0; i < 2; i++) {
            products_clear(p);
            int64_t start_ns = wall_ns();
            multiply(handle, p);
            CUDA_CHECK(cudaDeviceSynchronize());
            numbers_add(out, wall_ns() - start_ns);
            verify(&verified, p);
        }
        products_free(p);
    }
    add_verified(out, &verified);
}

/* ---- one benchmark, twice -------------------------------------------------------------------- */

/* Everything inside the timer, one shot. host: a and b, and room for c. */
static void naive_benchmark(struct numbers *out, int dim, double *host) {
    size_t n = (size_t)dim * (size_t)dim, size = n * sizeof *host;
    struct products p = {};
    int64_t start_ns = wall_ns();
    p.dim = dim;
    numbers_add(out, start_ns);
    CUDA_CHECK(cudaMalloc((void **)&p.a, size));
    CUDA_CHECK(cudaMalloc((void **)&p.b, size));
    CUDA_CHECK(cudaMalloc((void **)&p.c, size));
    numbers_add(out, wall_ns() - start_ns);
    int64_t copy_ns = wall_ns();
    CUDA_CHECK(cudaMemcpy(p.a, host, size, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p.b, host + n, size, cudaMemcpyHostToDevice));
    numbers_add(out, wall_ns() - copy_ns);
    cublasHandle_t handle = time_create(out);
    int64_t product_ns = wall_ns();
    multiply(handle, &p);
    CUDA_CHECK(cudaDeviceSynchronize());
    numbers_add(out, wall_ns() - product_ns);
    TIME(out, cudaMemcpy(host + 2 * n, p.c, size, cudaMemcpyDeviceToHost));
    numbers_add(out, wall_ns() - start_ns);
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Everything made and warmed before, many products to one reading of the clock, the median of
 * many readings. Adds the first reading and the median. */
static void right_benchmark(struct numbers *out, const struct products *p) {
    enum { ROUNDS = 11, PRODUCTS = 50 };
    int64_t ns[ROUNDS];
    cublasHandle_t handle;
    CUBLAS_CHECK(cublasCreate(&handle));
    for (int round = -1; round < ROUNDS; round++) {
        int64_t start_ns = wall_ns();
        for (int i = 0; i < PRODUCTS; i++)
            multiply(handle, p);
        CUDA_CHECK(cudaDeviceSynchronize());
        if (round >= 0)
            ns[round] = (wall_ns() - start_ns) / PRODUCTS;
    }
    numbers_add(out, ns[0]);
    qsort(ns, ROUNDS, sizeof *ns, by_value);
    numbers_add(out, ns[ROUNDS / 2]);
}

void first_naive(struct numbers *out, const char *dim_text) {
    int dim = (int)strtol(dim_text, NULL, 10);
    size_t n = (size_t)dim * (size_t)dim;
    double *host = (double *)calloc(3 * n, sizeof *host);
    if (!host)
        die(EXIT_ENVIRONMENT, "no host memory for matrices of dim %d; use a smaller --dim", dim);
    matrix_random(host, 1, 0, 2 * n); /* the A and B that products_new makes from this seed */
    naive_benchmark(out, dim, host);
    struct products *p = products_new(1, dim, 1);
    CUDA_CHECK(cudaMemcpy(p->c, host + 2 * n, n * sizeof *host, cudaMemcpyHostToDevice));
    struct verified verified = {0, 0};
    verify(&verified, p);
    add_verified(out, &verified);
}

void first_right(struct numbers *out, const char *dim) {
    struct products *p = products_new(1, (int)strtol(dim, NULL, 10), 1);
    struct verified verified = {0, 0};
    products_clear(p);
    right_benchmark(out, p);
    verify(&verified, p);
    add_verified(out, &verified);
}
