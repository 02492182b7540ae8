/* sim_gone.c - the simulated GPU and memory that is not there (any more): freed under queued work,
 * freed before its graph is launched, never the device's, or of a size that no memory has. */
#include <stdint.h>
#include <stdlib.h>

#include "core.h"
#include "cublas_v2.h"
#include "tap.h"
#include "transform.h"

enum { BYTES = 8192 };

/* What transform_kernel<<<>>> launches. */
void __device_stub__transform_kernel(uint32_t *data, size_t words, struct transform transform);

/* Each runs in a process of its own: the fault would stay. */
static int after_device_wait(cudaError_t expected) {
    return cudaDeviceSynchronize() == expected && cudaGetLastError() == expected ? 0 : 1;
}

static void freed_in_another_stream(void *copy) {
    cudaStream_t first, second;
    void *memory, *other, *host;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaMallocAsync(&memory, BYTES, first);
    cudaMalloc(&other, 64 << 20);
    cudaMallocHost(&host, BYTES);
    cudaDeviceSynchronize();
    cudaMemsetAsync(other, 1, 64 << 20, second);
    if (copy)
        cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, second);
    else
        cudaMemsetAsync(memory, 1, BYTES, second);
    cudaFreeAsync(memory, first);
    _exit(after_device_wait(cudaErrorIllegalAddress));
}

static void freed_before_its_graph(void *from_host) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    void *memory, *host;
    cudaMalloc(&memory, BYTES);
    cudaMallocHost(&host, BYTES);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(memory, host, BYTES, cudaMemcpyHostToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    int wrong = from_host ? cudaFreeHost(host) : cudaFree(memory);
    wrong += cudaGraphLaunch(exec, stream) != cudaSuccess;
    _exit(wrong + after_device_wait(cudaErrorIllegalAddress));
}

static void transform_of(void *address) {
    dim3 grid = {1, 1, 1}, block = {TRANSFORM_THREADS, 1, 1};
    size_t words = 1000;
    struct transform transform = {0};
    void *args[] = {address, &words, &transform};
    int wrong = cudaLaunchKernel((const void *)__device_stub__transform_kernel, grid, block, args,
                                 0, NULL) != cudaSuccess;
    _exit(wrong + after_device_wait(cudaErrorIllegalAddress));
}

static void product_at(void *offset) {
    cublasHandle_t handle;
    char *memory;
    double one = 1;
    cudaMalloc((void **)&memory, BYTES);
    cublasCreate(&handle);
    double *c = (double *)(memory + *(int *)offset);
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, c, 8, c, 8, &one, c, 8);
    _exit(after_device_wait(cudaErrorMisalignedAddress));
}

static void freed_under_queued_work(void) {
    EXPECT_INT(tap_child(freed_in_another_stream, NULL), 0);
    EXPECT_INT(tap_child(freed_in_another_stream, ""), 0);
}

static void a_graph_whose_memory_is_gone(void) {
    EXPECT_INT(tap_child(freed_before_its_graph, NULL), 0);
    EXPECT_INT(tap_child(freed_before_its_graph, ""), 0);
}

static void a_kernel_on_memory_of_the_host(void) {
    uint32_t *nothing = NULL, *pageable = calloc(1000, sizeof *pageable);
    EXPECT_INT(tap_child(transform_of, &nothing), 0);
    EXPECT_INT(tap_child(transform_of, &pageable), 0);
    free(pageable);
}

static void a_misaligned_matrix(void) {
    int offset = 4;
    EXPECT_INT(tap_child(product_at, &offset), 0);
}

static void matrices_without_elements(void) {
    cublasHandle_t handle;
    double one = 1;
    EXPECT_INT(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &one, NULL, 1, NULL, 1, &one,
                           NULL, 1),
               CUBLAS_STATUS_SUCCESS);
    double *c, host[16];
    EXPECT_INT(cudaMalloc((void **)&c, sizeof host), cudaSuccess);
    EXPECT_INT(cudaMemset(c, 0xff, sizeof host), cudaSuccess);
    double zero = 0;
    EXPECT_INT(
        cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 0, &one, NULL, 4, NULL, 1, &zero, c, 4),
        CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cudaMemcpy(host, c, sizeof host, cudaMemcpyDefault), cudaSuccess);
    EXPECT(host[0] == 0 && host[15] == 0);
    EXPECT_INT(cudaFree(c), cudaSuccess);
    EXPECT_INT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_INT(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

static void sizes_that_no_memory_has(void) {
    static char pageable[16], target[16];
    void *memory;
    EXPECT_INT(cudaMallocHost(&memory, SIZE_MAX), cudaErrorMemoryAllocation);
    EXPECT_INT(cudaMalloc(&memory, SIZE_MAX), cudaErrorMemoryAllocation);
    EXPECT_INT(cudaMalloc(&memory, BYTES), cudaSuccess);
    EXPECT_INT(cudaMemcpy(target, pageable, SIZE_MAX, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(memory, pageable, SIZE_MAX, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemset(memory, 0, SIZE_MAX), cudaErrorInvalidValue);
    /* Products of sizes that are small again once they have run over. */
    size_t half = (size_t)1 << 63;
    EXPECT_INT(cudaMemset2D(memory, half, 0, 16, 3), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy2D(memory, half, memory, half, 16, 3, cudaMemcpyDefault),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy2D(memory, half, memory, half, half, 2, cudaMemcpyDefault),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaFree(memory), cudaSuccess);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"memory freed in another stream under queued work", freed_under_queued_work},
        {"a graph whose memory was freed", a_graph_whose_memory_is_gone},
        {"a kernel on memory that is not the device's", a_kernel_on_memory_of_the_host},
        {"a misaligned matrix", a_misaligned_matrix},
        {"matrices without elements", matrices_without_elements},
        {"sizes that no memory has", sizes_that_no_memory_has},
    };
    return TAP_RUN(tests);
}
