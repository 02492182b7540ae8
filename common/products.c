/* products.c - matrices on the device: made, cleared and checked in panels of columns that fit the
 * host's cache, so that 8192 x 8192 takes little memory and little time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "error.h"
#include "matrix.h"

enum { PANEL_BYTES = 2 * 1024 * 1024 };

static double *panel; /* pinned: copies at full speed; made once, lives as long as the program */

static void *host_zeros(size_t n, size_t bytes) {
    void *memory = calloc(n, bytes);
    if (!memory)
        die(EXIT_ENVIRONMENT, "matrices: out of host memory; ask for fewer or smaller products");
    return memory;
}

static int panel_columns(int dim) {
    size_t columns = PANEL_BYTES / ((size_t)dim * sizeof(double));
    return columns < 1 ? 1 : columns > (size_t)dim ? dim : (int)columns;
}

size_t products_bytes(int count, int dim) {
    return 3 * (size_t)count * (size_t)dim * (size_t)dim * sizeof(double);
}

/* Element e of matrix number m (A and B of product i are 2 i and 2 i + 1) is element
 * m * dim * dim + e of the sequence. Fills the matrix, and adds it times x to y. */
static void fill(double *device, uint64_t seed, size_t matrix, int dim, const double *x,
                 double *y) {
    int width = panel_columns(dim);
    for (int j = 0; j < dim; j += width) {
        int columns = width < dim - j ? width : dim - j;
        size_t offset = (size_t)j * (size_t)dim, n = (size_t)columns * (size_t)dim;
        matrix_random(panel, seed, matrix * (size_t)dim * (size_t)dim + offset, n);
        CUDA_CHECK(cudaMemcpy(device + offset, panel, n * sizeof *panel, cudaMemcpyHostToDevice));
        matrix_add_product(dim, columns, panel, x + j, y);
    }
}

/* The whole product, from the same numbers made again. */
static void expect_product(double *expected, uint64_t seed, int i, int dim) {
    size_t n = (size_t)dim * (size_t)dim;
    double *a = (double *)host_zeros(2 * n, sizeof *a), *b = a + n;
    matrix_random(a, seed, 2 * (size_t)i * n, n);
    matrix_random(b, seed, (2 * (size_t)i + 1) * n, n);
    matrix_multiply(dim, a, b, expected);
    free(a);
}

static void fill_and_expect(struct products *p, uint64_t seed) {
    int dim = p->dim, full = dim <= FULL_CHECK_DIM;
    double *bx = (double *)host_zeros((size_t)dim, sizeof *bx);
    double *abx = (double *)host_zeros((size_t)dim, sizeof *abx);
    p->x = (double *)host_zeros((size_t)dim, sizeof *p->x);
    p->expected = (double *)host_zeros((size_t)p->count * (full ? p->stride : (size_t)dim),
                                       sizeof *p->expected);
    matrix_random(p->x, ~seed, 0, (size_t)dim);
    for (int i = 0; i < p->count; i++) {
        size_t at = (size_t)i * p->stride;
        memset(bx, 0, (size_t)dim * sizeof *bx);
        memset(abx, 0, (size_t)dim * sizeof *abx);
        fill(p->b + at, seed, 2 * (size_t)i + 1, dim, p->x, bx);
        fill(p->a + at, seed, 2 * (size_t)i, dim, bx, abx);
        if (full)
            expect_product(p->expected + at, seed, i, dim);
        else
            memcpy(p->expected + (size_t)i * (size_t)dim, abx, (size_t)dim * sizeof *abx);
    }
    free(bx);
    free(abx);
}

struct products *products_new(int count, int dim, uint64_t seed) {
    struct products *p = (struct products *)host_zeros(1, sizeof *p);
    if (!panel)
        CUDA_CHECK(cudaMallocHost((void **)&panel, PANEL_BYTES));
    p->count = count;
    p->dim = dim;
    p->stride = (size_t)dim * (size_t)dim;
    p->computed = dim <= max_verified_dim();
    size_t bytes = (size_t)count * p->stride * sizeof(double);
    CUDA_CHECK(cudaMalloc((void **)&p->a, bytes));
    CUDA_CHECK(cudaMalloc((void **)&p->b, bytes));
    CUDA_CHECK(cudaMalloc((void **)&p->c, bytes));
    if (p->computed)
        fill_and_expect(p, seed);
    return p;
}

void products_free(struct products *p) {
    CUDA_CHECK(cudaFree(p->a));
    CUDA_CHECK(cudaFree(p->b));
    CUDA_CHECK(cudaFree(p->c));
    free(p->x);
    free(p->expected);
    free(p);
}

/* A double of all ones is a NaN. */
void products_clear(struct products *p) {
    if (p->computed)
        CUDA_CHECK(cudaMemset(p->c, 0xff, (size_t)p->count * p->stride * sizeof(double)));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static double error_of(const struct products *p, int i, double *cx) {
    int dim = p->dim, full = dim <= FULL_CHECK_DIM, width = panel_columns(dim);
    const double *c = p->c + (size_t)i * p->stride, *expected = p->expected;
    double worst = 0;
    memset(cx, 0, (size_t)dim * sizeof *cx);
    for (int j = 0; j < dim; j += width) {
        int columns = width < dim - j ? width : dim - j;
        size_t offset = (size_t)j * (size_t)dim, n = (size_t)columns * (size_t)dim;
        CUDA_CHECK(cudaMemcpy(panel, c + offset, n * sizeof *panel, cudaMemcpyDeviceToHost));
        if (full)
            worst =
                fmax(worst, matrix_distance(n, panel, expected + (size_t)i * p->stride + offset));
        else
            matrix_add_product(dim, columns, panel, p->x + j, cx);
    }
    if (full)
        return worst / matrix_tolerance(dim);
    return matrix_distance((size_t)dim, cx, expected + (size_t)i * (size_t)dim) /
           matrix_vector_tolerance(dim);
}

int products_wrong(struct products *p, double *error) {
    int wrong = 0;
    double *cx = (double *)host_zeros((size_t)p->dim, sizeof *cx);
    *error = 0;
    for (int i = 0; i < p->count; i++) {
        double e = p->computed ? error_of(p, i, cx) : INFINITY;
        wrong += !(e <= 1);
        *error = fmax(*error, e);
    }
    free(cx);
    return wrong;
}

/* No SM so far does more than 256 FP32 operations a cycle (128 fused multiply-adds), and tensor
 * cores, where they do FP64, double the FP64 rate that cudaDevAttrSingleToDoublePrecisionPerfRatio
 * implies (H100: 256 a cycle). */
double products_floor_ns(int count, int dim) {
    int clock_khz = 0, ratio = 0, index = device()->index;
    if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, index) != cudaSuccess ||
        cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, index) !=
            cudaSuccess ||
        clock_khz <= 0 || ratio <= 0) {
        cudaGetLastError();
        return 0;
    }
    double per_ns = 512.0 / ratio * device()->sms * clock_khz * 1e-6;
    return 2.0 * count * pow(dim, 3) / per_ns;
}
