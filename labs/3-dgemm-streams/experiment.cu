/* experiment.cu - what the products of lab 3 run on: cuBLAS, streams, a gate. */
#include "experiment.h"

#include <math.h>

#include "lab.h"

static const double LONG_PRODUCT_NS = 0.6e9;

static int count;
static uint64_t seed;
static cublasHandle_t cublas;
static cudaStream_t streams[MAX_COUNT], gate_stream;
static cudaEvent_t gate_event;
static struct gate *gate;

/* One handle, as in the documents' program. Sharing it between streams does not put the products
 * in order: cublasSetStream also gives the handle back its default workspace (cuBLAS, 2.4.7). */
void experiment_begin(int products, uint64_t random_seed) {
    count = products;
    seed = random_seed;
    CUBLAS_CHECK(cublasCreate(&cublas));
    for (int i = 0; i < count; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&gate_stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&gate_event, cudaEventDisableTiming));
    gate = gate_new();
}

void experiment_end(void) {
    gate_free(gate);
    CUDA_CHECK(cudaEventDestroy(gate_event));
    CUDA_CHECK(cudaStreamDestroy(gate_stream));
    for (int i = 0; i < count; i++)
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
    CUBLAS_CHECK(cublasDestroy(cublas));
}

int experiment_count(void) {
    return count;
}

cudaStream_t experiment_stream(int i) {
    return streams[i];
}

cublasHandle_t experiment_cublas(void) {
    return cublas;
}

void experiment_gate_close(void) {
    gate_close(gate, gate_stream);
    CUDA_CHECK(cudaEventRecord(gate_event, gate_stream));
    for (int i = 0; i < count; i++)
        CUDA_CHECK(cudaStreamWaitEvent(streams[i], gate_event, 0));
}

void experiment_gate_open(void) {
    gate_open(gate);
}

struct products *experiment_products(int n, int dim) {
    return products_new(n, dim, seed);
}

/* A tenth of the memory is left to cuBLAS and to the driver. */
static bool memory_fits(int dim) {
    return (double)products_bytes(count, dim) <= 0.9 * (double)device_free_bytes();
}

bool dim_fits(int dim) {
    return memory_fits(dim) && products_floor_ns(1, dim) <= LONG_PRODUCT_NS;
}

int fitting_dim(int dim) {
    int room = dim, fit;
    while (room > 0 && !memory_fits(room))
        room /= 2;
    if (room < dim)
        say("dim %d needs %s of device memory, free are %s: at most dim %d.", dim,
            show_bytes((double)products_bytes(count, dim)), show_bytes((double)device_free_bytes()),
            room);
    for (fit = room; fit > 0 && !dim_fits(fit);)
        fit /= 2;
    if (fit < room)
        say("dim %d takes this device's FP64 units at least %s a product: at most dim %d.", room,
            show_time(products_floor_ns(1, room)), fit);
    return fit;
}

void multiply(struct products *p, int i, cudaStream_t stream) {
    static const double one = 1, zero = 0;
    size_t at = (size_t)i * p->stride;
    CUBLAS_CHECK(cublasSetStream(cublas, stream));
    event_span_begin(stream, SPAN_KERNEL, "dgemm");
    CUBLAS_CHECK(cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, p->dim, p->dim, p->dim, &one,
                             p->a + at, p->dim, p->b + at, p->dim, &zero, p->c + at, p->dim));
    event_span_end(stream);
}

void verify(struct products *p, struct tally *tally) {
    double error;
    if (!p->computed) {
        if (tally->unverified_dim == 0 || p->dim < tally->unverified_dim)
            tally->unverified_dim = p->dim;
        return;
    }
    int wrong = products_wrong(p, &error);
    tally->wrong += wrong;
    tally->right += p->count - wrong;
    tally->worst = fmax(tally->worst, error);
}
