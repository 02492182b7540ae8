/* sim_cublas.c - cuBLAS on the simulated GPU: the numbers of small products, and the errors. */
#include <stdlib.h>

#include "device.h"
#include "dgemm.h"
#include "gemm.h"
#include "tap.h"

static cudaStream_t stream;

static double *managed(size_t n) {
    double *x = NULL;
    cudaMallocManaged((void **)&x, n * sizeof *x, cudaMemAttachGlobal);
    return x;
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
    enum { M = 5, N = 7, K = 6, LD = 9, SIZE = LD * LD, ALL = 3 * SIZE };
    double before[SIZE], alpha = 2, beta = 0.5;
    double *a = managed(ALL), *b = a + SIZE, *c = b + SIZE;
    for (int t = 0; t < 4; t++) {
        bool ta = t & 1, tb = t & 2;
        fill(a, ALL, 7 + (unsigned)t);
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
    enum { DIM = 64, N = DIM * DIM, C = 2 * N, ALL = 3 * N };
    double *a = managed(ALL);
    for (int round = 0; round < 3; round++) {
        fill(a, C, round == 1 ? 5 : 6);
        for (int i = 0; i < N; i++)
            a[C + i] = NAN;
        dgemm(a, DIM, NULL);
        cudaDeviceSynchronize();
        double wanted = 0;
        for (int l = 0; l < DIM; l++)
            wanted += a[l * DIM + 3] * a[N + 4 * DIM + l];
        EXPECT_NEAR(a[C + 4 * DIM + 3], wanted, 1e-12);
    }
    cudaFree(a);
}

static void batched_products(void) {
    enum { DIM = 16, N = DIM * DIM, BATCH = 3, ADDRESSES = 3 * BATCH };
    enum { B = BATCH * N, C = 2 * B, D = 3 * B, ALL = 4 * B };
    double *a = managed(ALL), **of = (double **)(void *)managed(ADDRESSES);
    fill(a, ALL, 3);
    for (int i = 0; i < ADDRESSES; i++)
        of[i] = a + (size_t)i * N;
    cublasSetStream(handle, stream);
    EXPECT_INT(cublasDgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, &one,
                                  (const double *const *)of, DIM,
                                  (const double *const *)(of + BATCH), DIM, &zero,
                                  of + BATCH + BATCH, DIM, BATCH),
               CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, &one, a,
                                         DIM, N, a + B, DIM, N, &zero, a + D, DIM, N, BATCH),
               CUBLAS_STATUS_SUCCESS);
    cudaDeviceSynchronize();
    double worst = 0, wanted = 0;
    for (int i = 0; i < B; i++)
        worst = fmax(worst, fabs(a[C + i] - a[D + i]));
    EXPECT_NEAR(worst, 0, 0);
    for (int l = 0; l < DIM; l++)
        wanted += a[N + l * DIM + 1] * a[B + N + 2 * DIM + l];
    EXPECT_NEAR(a[C + N + 2 * DIM + 1], wanted, 1e-13);
    cudaFree(a);
    cudaFree(of);
}

static void scalars_in_device_memory(void) {
    enum { DIM = 8, N = DIM * DIM, C = 2 * N, ALPHA = 3 * N, BETA, ALL };
    double *a = managed(ALL);
    fill(a, ALPHA, 1);
    a[ALPHA] = 3;
    a[BETA] = 0;
    cublasSetStream(handle, NULL);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, a + ALPHA, a, DIM, a + N, DIM,
                a + BETA, a + C, DIM);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    cudaDeviceSynchronize();
    double wanted = 0;
    for (size_t l = 0; l < DIM; l++)
        wanted += a[ALPHA] * a[l * DIM] * a[N + l];
    EXPECT_NEAR(a[C], wanted, 1e-13);
    cudaFree(a);
}

/* Captured, a product is a node: nothing is computed before the graph is launched. */
static void captured_products(void) {
    enum { DIM = 32, N = DIM * DIM, C = 2 * N, ALL = 3 * N };
    double *a = managed(ALL);
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    size_t nodes = 0;
    fill(a, ALL, 2);
    double before = a[C], wanted = 0;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    EXPECT_INT(dgemm(a, DIM, stream), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(dgemm(a, DIM, stream), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_INT(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
    EXPECT_INT(nodes, 2);
    cudaDeviceSynchronize();
    EXPECT_NEAR(a[C], before, 0);
    EXPECT_INT(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    a[0] = 7; /* the numbers are those of the launch */
    EXPECT_INT(cudaGraphLaunch(exec, stream), cudaSuccess);
    cudaDeviceSynchronize();
    for (size_t l = 0; l < DIM; l++)
        wanted += a[l * DIM] * a[N + l];
    EXPECT_NEAR(a[C], wanted, 1e-13);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
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
    EXPECT_INT(cublasDgemm(handle, 0, 0, 4, 4, 4, &one, a, 4, a, 4, NULL, a, 4),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemm(handle, 0, 0, 4, 4, 4, &one, a, 4, a, 4, &zero, NULL, 4),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemmStridedBatched(handle, 0, 0, 4, 4, 4, &one, a, 4, 16, a, 4, 16, &zero, a,
                                         4, 16, -1),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasDgemmBatched(handle, 0, 0, 4, 4, 4, &one, NULL, 3, NULL, 4, &zero, NULL, 4, 1),
               CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasSetPointerMode(handle, (cublasPointerMode_t)7), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasGetStream(handle, NULL), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_INT(cublasGetVersion(handle, NULL), CUBLAS_STATUS_INVALID_VALUE);
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
    EXPECT_INT(cublasDestroy(NULL), CUBLAS_STATUS_NOT_INITIALIZED);
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
        {"transposed factors, leading dimensions, alpha and beta", transposed_products},
        {"beta = 0 does not read C", not_a_number_does_not_stay},
        {"batched and strided products are the same", batched_products},
        {"alpha and beta in device memory", scalars_in_device_memory},
        {"captured products are nodes of a graph", captured_products},
        {"above the limit C stays as it was", above_the_limit},
        {"wrong arguments", wrong_arguments},
        {"a destroyed handle", destroyed_handle},
        {"a freed matrix breaks the context", illegal_address},
    };
    setenv("GPU", "h200", 1);
    unsetenv("SIM_HOST");
    cublasCreate(&handle);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return TAP_RUN(tests);
}
