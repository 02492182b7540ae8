/* sim_gemm.c - cuBLAS on the simulated GPU: the grids, times and overlaps measured on an H200
 * (driver 580.159.04, CUDA 13.0), the numbers of small products, and the errors of the calls. */
#include <cublas_v2.h>
#include <stdlib.h>

#include "clock.h"
#include "device.h"
#include "gemm.h"
#include "tap.h"
#include "timeline.h"
#include "tracer.h"

static cublasHandle_t handle;
static cudaStream_t streams[2];
static const double one = 1, zero = 0;

static void begin(void) {
    setenv("GPU", "h200", 1);
    unsetenv("SIM_HOST");
    tracer_init();
    cublasCreate(&handle);
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
}

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

/* Two products, traced. */
static void traced_pair(const char *part, int dim, cudaStream_t first, cudaStream_t second) {
    double *a = matrices(dim), *b = matrices(dim);
    dgemm(a, dim, first); /* loads the kernel */
    cudaDeviceSynchronize();
    trace_begin(part);
    dgemm(a, dim, first);
    dgemm(b, dim, second);
    trace_end();
    cudaFree(a);
    cudaFree(b);
}

static const struct span *kernel(const char *part, int nth) {
    return timeline_find(part, SPAN_KERNEL, nth);
}

/* ---- against the measurements -----------------------------------------------------------------
 */

static void grids_and_times(void) {
    static const struct {
        int dim, grid_x, grid_y;
        double kernel_us;
    } measured[] = {{16, 1, 1, 2.3},       {64, 2, 2, 2.4},     {256, 8, 8, 3.9},
                    {512, 16, 8, 8.0},     {768, 24, 12, 24},   {1024, 8, 16, 42},
                    {1536, 48, 24, 127},   {2048, 16, 32, 284}, {4096, 32, 64, 2180},
                    {8192, 64, 128, 17000}};
    for (int i = 0; i < 10; i++) {
        char part[32];
        snprintf(part, sizeof part, "grid-%d", measured[i].dim);
        traced_pair(part, measured[i].dim, streams[0], streams[0]);
        const struct span *span = kernel(part, 0);
        EXPECT_INT(span->grid[0], measured[i].grid_x);
        EXPECT_INT(span->grid[1], measured[i].grid_y);
        EXPECT_NEAR((double)span_ns(span) / 1000, measured[i].kernel_us,
                    0.15 * measured[i].kernel_us);
    }
}

static void overlap_of_two_streams(void) {
    static const struct {
        int dim;
        double overlap;
    } measured[] = {{1536, 0.32}, {2048, 0.47}, {4096, 0.12}, {8192, 0.03}};
    traced_pair("small", 64, streams[0], streams[1]);
    EXPECT(kernel("small", 1)->start_ns > kernel("small", 0)->end_ns);
    for (int i = 0; i < 4; i++) {
        char part[32];
        snprintf(part, sizeof part, "two-%d", measured[i].dim);
        traced_pair(part, measured[i].dim, streams[0], streams[1]);
        EXPECT_NEAR(span_overlap(kernel(part, 0), kernel(part, 1)), measured[i].overlap, 0.04);
    }
}

static void one_stream_never_overlaps(void) {
    traced_pair("one", 8192, streams[0], streams[0]);
    EXPECT_NEAR((double)(kernel("one", 1)->start_ns - kernel("one", 0)->end_ns), 1400, 200);
}

static double total_us(int dim, int products, bool own_streams) {
    cudaStream_t stream[32];
    double *a = matrices(dim);
    for (int i = 0; i < products; i++)
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    dgemm(a, dim, stream[0]);
    cudaDeviceSynchronize();
    int64_t start_ns = wall_ns();
    for (int i = 0; i < products; i++)
        dgemm(a, dim, stream[own_streams ? i : 0]);
    cudaDeviceSynchronize();
    double total = (double)(wall_ns() - start_ns) / 1000;
    for (int i = 0; i < products; i++)
        cudaStreamDestroy(stream[i]);
    cudaFree(a);
    return total;
}

static void many_products(void) {
    EXPECT_NEAR(total_us(64, 32, false), 283, 42);
    EXPECT_NEAR(total_us(64, 32, true), 306, 46);
    EXPECT_NEAR(total_us(256, 32, false), 289, 43);
    EXPECT_NEAR(total_us(256, 32, true), 292, 44);
    EXPECT_NEAR(total_us(1024, 32, false), 1397, 209);
    EXPECT_NEAR(total_us(1024, 32, true), 1278, 192);
}

static double strided_us(int dim) {
    long long n = (long long)dim * dim;
    double *a = NULL;
    cudaMalloc((void **)&a, 3 * 32 * (size_t)n * sizeof *a);
    cublasSetStream(handle, streams[0]);
    double total = 0;
    for (int i = 0; i < 2; i++) { /* the first loads the kernel */
        int64_t start_ns = wall_ns();
        cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, dim, dim, dim, &one, a, dim, n,
                                  a + 32 * n, dim, n, &zero, a + 64 * n, dim, n, 32);
        cudaDeviceSynchronize();
        total = (double)(wall_ns() - start_ns) / 1000;
    }
    cudaFree(a);
    return total;
}

static void strided_batches(void) {
    EXPECT_NEAR(strided_us(64), 17, 2.6);
    EXPECT_NEAR(strided_us(256), 41, 6.2);
    EXPECT_NEAR(strided_us(1024), 1155, 173);
}

/* ---- the numbers ------------------------------------------------------------------------------
 */

static void fill(double *x, size_t n, unsigned seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)(seed >> 8) / (1 << 23) - 1;
    }
}

static double op(const double *x, int ld, bool transposed, int i, int j) {
    return transposed ? x[(size_t)i * (size_t)ld + (size_t)j]
                      : x[(size_t)j * (size_t)ld + (size_t)i];
}

/* C (5 x 7) = 2 op(A) op(B) + 0.5 C, with leading dimensions larger than the matrices. */
static void transposed_products(void) {
    enum { M = 5, N = 7, K = 6, LD = 9 };
    double *a, *b, *c, before[LD * LD];
    double alpha = 2, beta = 0.5;
    cudaMallocManaged((void **)&a, 3 * LD * LD * sizeof *a, cudaMemAttachGlobal);
    b = a + LD * LD;
    c = b + LD * LD;
    for (int t = 0; t < 4; t++) {
        bool ta = t & 1, tb = t & 2;
        fill(a, 3 * LD * LD, 7 + (unsigned)t);
        memcpy(before, c, sizeof before);
        cublasSetStream(handle, NULL);
        EXPECT_INT(cublasDgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N,
                               tb ? CUBLAS_OP_C : CUBLAS_OP_N, M, N, K, &alpha, a, LD, b, LD, &beta,
                               c, LD),
                   CUBLAS_STATUS_SUCCESS);
        cudaDeviceSynchronize();
        double worst = 0;
        for (int j = 0; j < LD; j++)
            for (int i = 0; i < LD; i++) {
                double wanted = before[j * LD + i];
                if (i < M && j < N) {
                    wanted *= 0.5;
                    for (int l = 0; l < K; l++)
                        wanted += 2 * op(a, LD, ta, i, l) * op(b, LD, tb, l, j);
                }
                worst = fmax(worst, fabs(c[j * LD + i] - wanted));
            }
        EXPECT_NEAR(worst, 0, 1e-13);
    }
    cudaFree(a);
}

/* beta = 0 does not read C; a remembered product is not given for other numbers. */
static void not_a_number_does_not_stay(void) {
    enum { DIM = 64, N = DIM * DIM };
    double *a;
    cudaMallocManaged((void **)&a, 3 * N * sizeof *a, cudaMemAttachGlobal);
    for (int round = 0; round < 3; round++) {
        fill(a, 2 * N, round == 1 ? 5 : 6);
        for (int i = 0; i < N; i++)
            a[2 * N + i] = NAN;
        dgemm(a, DIM, NULL);
        cudaDeviceSynchronize();
        double wanted = 0;
        for (int l = 0; l < DIM; l++)
            wanted += a[l * DIM + 3] * a[N + 4 * DIM + l];
        EXPECT_NEAR(a[2 * N + 4 * DIM + 3], wanted, 1e-12);
    }
    cudaFree(a);
}

static void batched_products(void) {
    enum { DIM = 16, N = DIM * DIM, BATCH = 3 };
    double *a, **of;
    cudaMallocManaged((void **)&a, 4 * BATCH * N * sizeof *a, cudaMemAttachGlobal);
    cudaMallocManaged((void **)&of, 3 * BATCH * sizeof *of, cudaMemAttachGlobal);
    fill(a, 4 * BATCH * N, 3);
    for (int i = 0; i < 3 * BATCH; i++)
        of[i] = a + (size_t)i * N;
    cublasSetStream(handle, streams[0]);
    EXPECT_INT(cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, &one,
                                  (const double *const *)of, DIM,
                                  (const double *const *)(of + BATCH), DIM, &zero, of + 2 * BATCH,
                                  DIM, BATCH),
               CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, &one, a,
                                         DIM, N, a + BATCH * N, DIM, N, &zero, a + 3 * BATCH * N,
                                         DIM, N, BATCH),
               CUBLAS_STATUS_SUCCESS);
    cudaDeviceSynchronize();
    EXPECT(!memcmp(a + 2 * BATCH * N, a + 3 * BATCH * N, BATCH * N * sizeof *a));
    double wanted = 0;
    for (int l = 0; l < DIM; l++)
        wanted += a[N + l * DIM + 1] * a[BATCH * N + N + 2 * DIM + l];
    EXPECT_NEAR(a[2 * BATCH * N + N + 2 * DIM + 1], wanted, 1e-13);
    cudaFree(a);
    cudaFree(of);
}

static void scalars_in_device_memory(void) {
    enum { DIM = 8, N = DIM * DIM };
    double *a;
    cudaMallocManaged((void **)&a, (3 * N + 2) * sizeof *a, cudaMemAttachGlobal);
    fill(a, 3 * N, 1);
    a[3 * N] = 3;
    a[3 * N + 1] = 0;
    cublasSetStream(handle, NULL);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, a + 3 * N, a, DIM, a + N, DIM,
                a + 3 * N + 1, a + 2 * N, DIM);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    cudaDeviceSynchronize();
    double wanted = 0;
    for (int l = 0; l < DIM; l++)
        wanted += 3 * a[l * DIM] * a[N + l];
    EXPECT_NEAR(a[2 * N], wanted, 1e-13);
    cudaFree(a);
}

static void above_the_limit(void) {
    EXPECT_INT(max_verified_dim(), PRODUCT_MAX_DIM);
    int dim = PRODUCT_MAX_DIM + 1;
    double *a = matrices(dim);
    double *last = a + 3 * (size_t)dim * (size_t)dim - 1, mark = 42, now = 0;
    cudaMemcpy(last, &mark, sizeof mark, cudaMemcpyDefault);
    EXPECT_INT(dgemm(a, dim, NULL), CUBLAS_STATUS_SUCCESS);
    cudaMemcpy(&now, last, sizeof now, cudaMemcpyDefault);
    EXPECT_NEAR(now, 42, 0);
    cudaFree(a);
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static void wrong_arguments(void) {
    double *a = matrices(64);
    EXPECT_INT(cublasCreate(NULL), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(NULL, 0, 0, 1, 1, 1, &one, a, 1, a, 1, &zero, a, 1),
               CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_INT(cublasDgemm(handle, 0, 0, -1, 1, 1, &one, a, 1, a, 1, &zero, a, 1),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(handle, 0, 0, 4, 4, 4, &one, a, 3, a, 4, &zero, a, 4),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(handle, 0, 0, 4, 4, 4, &one, a, 4, a, 4, &zero, a, 3),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(handle, 7, 0, 4, 4, 4, &one, a, 4, a, 4, &zero, a, 4),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(handle, 0, 0, 4, 4, 4, NULL, a, 4, a, 4, &zero, a, 4),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(handle, 0, 0, 0, 4, 4, &one, a, 4, a, 4, &zero, a, 4),
               CUBLAS_STATUS_SUCCESS);
    cudaFree(a);
}

static void destroyed_handle(void) {
    cublasHandle_t other;
    int version = 0;
    EXPECT_INT(cublasCreate(&other), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cublasGetVersion(other, &version), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(version, CUBLAS_VERSION);
    EXPECT_INT(cublasDestroy(other), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cublasDestroy(other), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_INT(cublasSetStream(other, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_TEXT(cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED),
                "CUBLAS_STATUS_NOT_INITIALIZED");
    EXPECT_TEXT(cublasGetStatusName((cublasStatus_t)2), "unrecognized status");
}

static void freed_matrix(void *state) {
    (void)state;
    double *a = matrices(64);
    cudaFree(a);
    if (dgemm(a, 64, NULL) != CUBLAS_STATUS_SUCCESS)
        _exit(1);
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress)
        _exit(2);
    if (cudaMalloc((void **)&a, 64) != cudaErrorIllegalAddress)
        _exit(3);
}

static void illegal_address(void) {
    EXPECT_INT(tap_child(freed_matrix, NULL), 0);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"grids and kernel times as measured", grids_and_times},
        {"overlap of two streams as measured", overlap_of_two_streams},
        {"one stream never overlaps, gap as measured", one_stream_never_overlaps},
        {"32 products, one stream and 32, as measured", many_products},
        {"strided batches of 32 as measured", strided_batches},
        {"transposed factors, leading dimensions, alpha and beta", transposed_products},
        {"beta = 0 does not read C", not_a_number_does_not_stay},
        {"batched and strided products are the same", batched_products},
        {"alpha and beta in device memory", scalars_in_device_memory},
        {"above the limit C stays as it was", above_the_limit},
        {"wrong arguments", wrong_arguments},
        {"a destroyed handle", destroyed_handle},
        {"a freed matrix breaks the context", illegal_address},
    };
    begin();
    return TAP_RUN(tests);
}
