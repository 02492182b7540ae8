/* methods.cu - ways to give the device many equal products. */
#include "methods.h"

#include <math.h>

#include "lab.h"
#include "spans.h"
#include "text.h"

static int n;
static cudaStream_t streams[MAX_PRODUCTS];
static cudaEvent_t fork_event, join_event[MAX_PRODUCTS];
static cudaGraphExec_t graph;

void methods_begin(int products) {
    n = products;
    CUDA_CHECK(cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming));
    for (int i = 0; i < n; i++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&join_event[i], cudaEventDisableTiming));
    }
}

void methods_end(void) {
    CUDA_CHECK(cudaEventDestroy(fork_event));
    for (int i = 0; i < n; i++) {
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
        CUDA_CHECK(cudaEventDestroy(join_event[i]));
    }
}

static void one_stream(struct products *products) {
    for (int i = 0; i < n; i++)
        multiply(products, i, streams[0]);
}

static void n_streams(struct products *products) {
    for (int i = 0; i < n; i++)
        multiply(products, i, streams[i]);
}

/* Captured, not run: from streams[0] to all streams and back, so that the products become nodes
 * that depend on nothing (CUDA programming guide, "Creating a Graph Using Stream Capture"). */
static void capture(struct products *products) {
    cudaGraph_t captured;
    CUDA_CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    CUDA_CHECK(cudaEventRecord(fork_event, streams[0]));
    for (int i = 1; i < n; i++)
        CUDA_CHECK(cudaStreamWaitEvent(streams[i], fork_event, 0));
    n_streams(products);
    for (int i = 1; i < n; i++) {
        CUDA_CHECK(cudaEventRecord(join_event[i], streams[i]));
        CUDA_CHECK(cudaStreamWaitEvent(streams[0], join_event[i], 0));
    }
    CUDA_CHECK(cudaStreamEndCapture(streams[0], &captured));
    CUDA_CHECK(cudaGraphInstantiate(&graph, captured, 0));
    CUDA_CHECK(cudaGraphDestroy(captured));
}

static void launch_graph(struct products *products) {
    (void)products;
    event_span_begin(streams[0], SPAN_KERNEL, "graph");
    CUDA_CHECK(cudaGraphLaunch(graph, streams[0]));
    event_span_end(streams[0]);
}

static void one_batch(struct products *p) {
    static const double one = 1, zero = 0;
    long long stride = (long long)p->stride;
    CUBLAS_CHECK(cublasSetStream(experiment_cublas(), streams[0]));
    event_span_begin(streams[0], SPAN_KERNEL, "batched dgemm");
    CUBLAS_CHECK(cublasDgemmStridedBatched(experiment_cublas(), CUBLAS_OP_N, CUBLAS_OP_N, p->dim,
                                           p->dim, p->dim, &one, p->a, p->dim, stride, p->b, p->dim,
                                           stride, &zero, p->c, p->dim, stride, n));
    event_span_end(streams[0]);
}

static const struct {
    const char *name;
    void (*queue)(struct products *products);
} methods[METHODS] = {{"one-stream", one_stream},
                      {"n-streams", n_streams},
                      {"graph", launch_graph},
                      {"batched", one_batch}};

const char *method_name(enum method method) {
    return methods[method].name;
}

struct round {
    enum method method;
    struct products *products;
    struct samples *total;
};

static void queue_and_wait(void *state) {
    struct round *round = (struct round *)state;
    int64_t entered_ns = wall_ns();
    methods[round->method].queue(round->products);
    CUDA_CHECK(cudaDeviceSynchronize());
    keep(round->total, (double)(wall_ns() - entered_ns));
}

void method_measure(enum method method, struct products *products, struct method_run *run,
                    struct tally *tally) {
    static struct round round;
    const char *name = methods[method].name;
    const char *part = timeline_name(text("e-%s-%d", name, products->dim));
    run->total.n = 0;
    round.method = method;
    round.products = products;
    round.total = &run->total;
    n_streams(products); /* no shape's first use, and no stream's, under capture */
    CUDA_CHECK(cudaDeviceSynchronize());
    products_clear(products);
    if (method == BY_GRAPH)
        capture(products);
    int64_t start_ns = wall_ns();
    queue_and_wait(&round);
    int64_t round_ns = wall_ns() - start_ns;
    run->total.n = 0;
    quiet_rounds(part, repeats(round_ns), 1, queue_and_wait, &round);
    if (method == BY_GRAPH)
        CUDA_CHECK(cudaGraphExecDestroy(graph));
    verify(products, tally);
    int64_t makespan_ns = device_makespan_ns(part);
    run->makespan_ns = makespan_ns > 0 ? (double)makespan_ns : NAN;
    result("e", text("total %s %d", name, products->dim), "ns", &run->total);
    if (makespan_ns > 0)
        result_value("e", text("makespan %s %d", name, products->dim), "ns", run->makespan_ns);
}

double method_expected_ns(enum method method, const struct study *alone, int products) {
    double call_ns = median_of(&alone->call), kernel_ns = alone->facts.kernel_ns;
    double first_ns = median_of(&alone->alone_total), others = products - 1;
    double packed =
        fmax(packed_ns(&alone->facts, products), products_floor_ns(products, alone->dim));
    double rest_ns = fmax(0, packed - kernel_ns); /* the device, after the first product */
    if (method == BY_ONE_STREAM)
        return first_ns + others * fmax(call_ns, kernel_ns);
    if (method == BY_N_STREAMS)
        return first_ns + fmax(others * call_ns, rest_ns);
    return first_ns + rest_ns;
}
