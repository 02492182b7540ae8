/* sim_gemm.c - cuBLAS on the simulated GPU against what was measured on an H200 (driver 580.159.04,
 * CUDA 13.0): grids, times, overlaps. */
#include <stdlib.h>

#include "clock.h"
#include "dgemm.h"
#include "tap.h"
#include "timeline.h"
#include "tracer.h"

static cudaStream_t streams[2];

static void begin(void) {
    setenv("GPU", "h200", 1);
    unsetenv("SIM_HOST");
    tracer_init();
    cublasCreate(&handle);
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
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
    cudaMalloc((void **)&a, 96 * (size_t)n * sizeof *a);
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

int main(void) {
    static const struct tap_test tests[] = {
        {"grids and kernel times as measured", grids_and_times},
        {"overlap of two streams as measured", overlap_of_two_streams},
        {"one stream never overlaps, gap as measured", one_stream_never_overlaps},
        {"32 products, one stream and 32, as measured", many_products},
        {"strided batches of 32 as measured", strided_batches},
    };
    begin();
    return TAP_RUN(tests);
}
