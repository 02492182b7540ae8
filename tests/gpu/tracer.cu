/* The tracer records every launch and copy, says what each was, and puts it where it happened. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"

enum { LAUNCHES = 200, NODES = 16, BYTES = 1 << 20, DIM = 256 };

struct work {
    cudaStream_t stream[2];
    char *pageable, *pinned, *device, *device2;
    double *matrix;
    cublasHandle_t cublas;
    cudaGraphExec_t graph;
};

static cudaGraphExec_t graph_of_sleeps(cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < NODES; i++)
        queue_sleep(1000, 1, stream);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void prepare(struct work *w) {
    for (int i = 0; i < 2; i++)
        w->stream[i] = new_stream();
    w->pageable = (char *)calloc(BYTES, 1);
    CUDA_CHECK(cudaMallocHost((void **)&w->pinned, BYTES));
    CUDA_CHECK(cudaMalloc((void **)&w->device, BYTES));
    CUDA_CHECK(cudaMalloc((void **)&w->device2, BYTES));
    CUDA_CHECK(cudaMalloc((void **)&w->matrix, 3 * DIM * DIM * sizeof(double)));
    CUDA_CHECK(cudaMemset(w->matrix, 0, 3 * DIM * DIM * sizeof(double)));
    CUBLAS_CHECK(cublasCreate(&w->cublas));
    CUBLAS_CHECK(cublasSetStream(w->cublas, w->stream[0]));
    w->graph = graph_of_sleeps(w->stream[0]);
}

static void release(struct work *w) {
    CUDA_CHECK(cudaGraphExecDestroy(w->graph));
    CUBLAS_CHECK(cublasDestroy(w->cublas));
    CUDA_CHECK(cudaFree(w->matrix));
    CUDA_CHECK(cudaFree(w->device));
    CUDA_CHECK(cudaFree(w->device2));
    CUDA_CHECK(cudaFreeHost(w->pinned));
    free(w->pageable);
    for (int i = 0; i < 2; i++)
        CUDA_CHECK(cudaStreamDestroy(w->stream[i]));
}

static void copies(struct work *w) {
    cudaStream_t s = w->stream[0];
    CUDA_CHECK(cudaMemcpyAsync(w->device, w->pageable, BYTES, cudaMemcpyDefault, s));
    CUDA_CHECK(cudaMemcpyAsync(w->device, w->pinned, BYTES, cudaMemcpyDefault, s));
    CUDA_CHECK(cudaMemcpyAsync(w->pinned, w->device, BYTES, cudaMemcpyDefault, s));
    CUDA_CHECK(cudaMemcpyAsync(w->device2, w->device, BYTES, cudaMemcpyDefault, s));
    CUDA_CHECK(cudaMemsetAsync(w->device, 0, BYTES / 2, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
}

static void launches(struct work *w) {
    for (int i = 0; i < LAUNCHES; i++)
        queue_sleep(1000, 1 + i % 2, w->stream[i % 2]);
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* cuBLAS takes other kernels, launched in other ways, for other sizes. */
static void gemm(struct work *w) {
    const double one = 1, zero = 0;
    double *a = w->matrix, *b = a + DIM * DIM, *c = b + DIM * DIM;
    for (int dim = 16; dim <= DIM; dim *= 2)
        CUBLAS_CHECK(cublasDgemm(w->cublas, CUBLAS_OP_N, CUBLAS_OP_N, dim, dim, dim, &one, a, dim,
                                 b, dim, &zero, c, dim));
    CUDA_CHECK(cudaStreamSynchronize(w->stream[0]));
}

static void inside(const char *part, int64_t begin_ns, int64_t end_ns) {
    int outside = 0, orphans = 0, work = 0;
    for (size_t i = 0; i < timeline_count(); i++) {
        const struct span *s = timeline_at(i);
        if (strcmp(s->part, part) != 0)
            continue;
        outside += s->start_ns < begin_ns || s->end_ns > end_ns;
        work += s->kind != SPAN_API;
        orphans += s->kind != SPAN_API && !timeline_call_of(s);
    }
    expect(outside == 0, "part %s: %d spans outside the wall clock's window", part, outside);
    expect(orphans == 0, "part %s: %d of %d without a call", part, orphans, work);
}

/* Runs the work once warm and once traced. */
static void traced(const char *part, void (*run)(struct work *), struct work *w) {
    run(w);
    trace_begin(part);
    int64_t begin_ns = wall_ns();
    run(w);
    int64_t end_ns = wall_ns();
    trace_end();
    inside(part, begin_ns, end_ns);
}

static void expect_copy(enum span_kind kind, int nth, enum memory_kind src, enum memory_kind dst,
                        uint64_t bytes) {
    const struct span *s = timeline_find("copies", kind, nth);
    expect(s && s->src == src && s->dst == dst && s->bytes == bytes,
           "%s: %s to %s, %s (recorded: %s to %s, %s)", span_kind_name(kind), memory_kind_name(src),
           memory_kind_name(dst), show_bytes((double)bytes),
           s ? memory_kind_name(s->src) : "nothing", s ? memory_kind_name(s->dst) : "nothing",
           show_bytes(s ? (double)s->bytes : 0));
}

static void copies_are_told_apart(struct work *w) {
    traced("copies", copies, w);
    expect_copy(SPAN_H2D, 0, MEMORY_PAGEABLE, MEMORY_DEVICE, BYTES);
    expect_copy(SPAN_H2D, 1, MEMORY_PINNED, MEMORY_DEVICE, BYTES);
    expect_copy(SPAN_D2H, 0, MEMORY_DEVICE, MEMORY_PINNED, BYTES);
    expect_copy(SPAN_D2D, 0, MEMORY_DEVICE, MEMORY_DEVICE, BYTES);
    expect_copy(SPAN_MEMSET, 0, MEMORY_NONE, MEMORY_DEVICE, BYTES / 2);
}

static void launches_are_all_there(struct work *w) {
    traced("launches", launches, w);
    const struct span *first = timeline_find("launches", SPAN_KERNEL, 0);
    const struct span *second = timeline_find("launches", SPAN_KERNEL, 1);
    expect(timeline_count_of("launches", SPAN_KERNEL) == LAUNCHES, "%d launches, %d kernels",
           LAUNCHES, timeline_count_of("launches", SPAN_KERNEL));
    expect(timeline_count_of("launches", SPAN_API) == LAUNCHES + 1, "and a call for each");
    if (!first || !second)
        return;
    expect(strcmp(first->name, "sleep_kernel") == 0, "by its name: %s", first->name);
    expect(first->grid[0] == 1 && second->grid[0] == 2 && first->block[0] == 128,
           "with its grid and block");
    expect(first->registers > 0, "and registers: %d", first->registers);
    expect(first->stream != second->stream, "two streams have two numbers");
    expect(span_ns(timeline_call_of(second)) < 500000, "launches are in their steady state: %s",
           show_time((double)span_ns(timeline_call_of(first))));
}

static struct gate *gate;
static void gated(struct work *w) {
    gate_close(gate, w->stream[0]);
    for (int i = 0; i < LAUNCHES; i++)
        queue_sleep(1000, 1, w->stream[0]);
    gate_open(gate);
    CUDA_CHECK(cudaStreamSynchronize(w->stream[0]));
    spin_check();
}

static void graph(struct work *w) {
    CUDA_CHECK(cudaGraphLaunch(w->graph, w->stream[0]));
    CUDA_CHECK(cudaStreamSynchronize(w->stream[0]));
}

static void libraries_graphs_and_gates(struct work *w) {
    traced("gemm", gemm, w);
    const struct span *kernel = timeline_find("gemm", SPAN_KERNEL, 0);
    const struct span *call = kernel ? timeline_call_of(kernel) : NULL;
    expect(kernel && call, "cublasDgemm: %s by %s", kernel ? kernel->name : "no kernel",
           call ? call->name : "no call");
    expect(kernel && device_capacity_of(kernel) > 0, "%d of its blocks fit on the device",
           kernel ? device_capacity_of(kernel) : 0);
    traced("graph", graph, w);
    expect(timeline_count_of("graph", SPAN_KERNEL) == NODES, "a graph of %d: %d kernels", NODES,
           timeline_count_of("graph", SPAN_KERNEL));
    gate = gate_new();
    traced("gated", gated, w);
    expect(timeline_count_of("gated", SPAN_KERNEL) == LAUNCHES + 1, "behind a gate: %d kernels",
           timeline_count_of("gated", SPAN_KERNEL));
    gate_free(gate);
}

int main(void) {
    struct work w;
    gpu_begin("tracer");
    expect(tracer_works(), "the tracer is %s", tracer_name());
    prepare(&w);
    copies_are_told_apart(&w);
    launches_are_all_there(&w);
    libraries_graphs_and_gates(&w);
    for (int i = 0; i < 20; i++) {
        trace_begin("again");
        launches(&w);
        trace_end();
    }
    expect(timeline_count_of("again", SPAN_KERNEL) == 20 * LAUNCHES, "20 traces in a row: %d",
           timeline_count_of("again", SPAN_KERNEL));
    expect(rejected_total(timeline_rejected()) == 0, "%d records unusable",
           rejected_total(timeline_rejected()));
    release(&w);
    kernels_free();
    return expect_end();
}
