/* sim_graph.c - graphs and stream capture on the simulated GPU. */
#include <stdlib.h>

#include "core.h"
#include "tap.h"

enum { KERNEL_NS = 1000 * 1000, BYTES = 4096, WIDE = 20 };

static void unit_plan(struct sim_launch *launch, struct sim_plan *plan) {
    (void)launch;
    plan->block_ns = KERNEL_NS;
}

static void add_effect(struct sim_launch *launch) {
    *SIM_ARG(launch, 0, int *) += SIM_ARG(launch, 1, int);
}

SIM_KERNEL_MODEL(add_number, .arg_bytes = {sizeof(int *), sizeof(int)}, .registers = 16,
                 .plan = unit_plan, .effect = add_effect);

static int *sum;
static cudaStream_t stream, side[WIDE];

static cudaError_t add_in(cudaStream_t in, int number) {
    dim3 one = {1, 1, 1};
    void *args[] = {&sum, &number};
    cudaError_t error = sim_library_enter("launch");
    if (error)
        return error;
    error = sim_launch(&sim_model_add_number, one, one, args, 0, in);
    sim_library_leave(1000);
    return error;
}

static void prepare(void) {
    if (sum)
        return;
    cudaMalloc((void **)&sum, BYTES);
    cudaStreamCreate(&stream);
    for (int i = 0; i < WIDE; i++)
        cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking);
    add_in(stream, 0);
    cudaDeviceSynchronize();
}

static int value(void) {
    int number = -1;
    cudaDeviceSynchronize();
    cudaMemcpy(&number, sum, sizeof number, cudaMemcpyDefault);
    return number;
}

/* Captures `wide` kernels beside each other, forked from the stream and joined to it. */
static cudaGraph_t fork_and_join(int wide) {
    cudaEvent_t fork, join;
    cudaGraph_t graph = NULL;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    EXPECT_INT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_INT(cudaMemsetAsync(sum, 0, sizeof *sum, stream), cudaSuccess);
    EXPECT_INT(cudaEventRecord(fork, stream), cudaSuccess);
    for (int i = 0; i < wide; i++) {
        EXPECT_INT(cudaStreamWaitEvent(side[i], fork, 0), cudaSuccess);
        EXPECT_INT(add_in(side[i], 1), cudaSuccess);
        EXPECT_INT(cudaEventRecord(join, side[i]), cudaSuccess);
        EXPECT_INT(cudaStreamWaitEvent(stream, join, 0), cudaSuccess);
    }
    EXPECT_INT(add_in(stream, 100), cudaSuccess);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    return graph;
}

static int64_t run_ns(cudaGraphExec_t exec) {
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT(sim_now_ns() - start_ns < KERNEL_NS / 2);
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    return sim_now_ns() - start_ns;
}

static void parallel_nodes_run_beside_each_other(void) {
    cudaGraphExec_t exec;
    size_t nodes = 0, roots = 0;
    prepare();
    cudaGraph_t graph = fork_and_join(WIDE);
    EXPECT_INT(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
    EXPECT_INT(nodes, WIDE + 2);
    EXPECT_INT(cudaGraphGetRootNodes(graph, NULL, &roots), cudaSuccess);
    EXPECT_INT(roots, 1);
    EXPECT_INT(value(), 0); /* capturing runs nothing */
    EXPECT_INT(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    EXPECT_INT(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_NEAR((double)run_ns(exec), 2 * KERNEL_NS, 0.2 * KERNEL_NS);
    EXPECT_INT(value(), WIDE + 100);
    run_ns(exec);
    EXPECT_INT(value(), WIDE + 100); /* the memset is one of its nodes */
    EXPECT_INT(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_INT(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
}

/* A graph's launches follow each other even in two streams; destroyed, it still runs to its end. */
static void launches_of_one_graph_are_in_order(void) {
    cudaGraphExec_t exec;
    prepare();
    cudaGraph_t graph = fork_and_join(2);
    EXPECT_INT(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaGraphLaunch(exec, side[0]), cudaSuccess);
    EXPECT_INT(cudaGraphLaunch(exec, side[1]), cudaSuccess);
    EXPECT_INT(cudaGraphExecDestroy(exec), cudaSuccess);
    cudaDeviceSynchronize();
    EXPECT_NEAR((double)(sim_now_ns() - start_ns), 4 * KERNEL_NS, 0.2 * KERNEL_NS);
    EXPECT_INT(value(), 102);
    EXPECT_INT(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_INT(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    EXPECT_INT(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
}

static int called;

static void count_call(void *data) {
    called += *(int *)data;
}

static void graph_made_of_nodes(void) {
    cudaGraph_t graph;
    cudaGraphNode_t nodes[4], root;
    cudaGraphExec_t exec;
    static int two = 2, host[2];
    struct cudaMemsetParams set = {
        .dst = sum, .value = 7, .elementSize = 4, .width = 2, .height = 1};
    struct cudaHostNodeParams call = {.fn = count_call, .userData = &two};
    size_t count = 1;
    enum cudaGraphNodeType type;
    prepare();
    called = 0;
    EXPECT_INT(cudaGraphCreate(&graph, 0), cudaSuccess);
    EXPECT_INT(cudaGraphAddMemcpyNode1D(&nodes[1], graph, NULL, 0, host, sum, sizeof host,
                                        cudaMemcpyDefault),
               cudaSuccess);
    EXPECT_INT(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &set), cudaSuccess);
    EXPECT_INT(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], NULL, 1), cudaSuccess);
    EXPECT_INT(cudaGraphAddHostNode(&nodes[2], graph, &nodes[1], 1, &call), cudaSuccess);
    EXPECT_INT(cudaGraphAddEmptyNode(&nodes[3], graph, nodes, 3), cudaSuccess);
    EXPECT_INT(cudaGraphGetRootNodes(graph, &root, &count), cudaSuccess);
    EXPECT(count == 1 && root == nodes[0]);
    EXPECT_INT(cudaGraphNodeGetType(nodes[2], &type), cudaSuccess);
    EXPECT_INT(type, cudaGraphNodeTypeHost);
    EXPECT_INT(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    EXPECT_INT(cudaGraphLaunch(exec, stream), cudaSuccess);
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT(host[0] == 7 && host[1] == 7);
    EXPECT_INT(called, 2);
    EXPECT_INT(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_INT(cudaGraphAddDependencies(graph, &nodes[3], &nodes[0], NULL, 1), cudaSuccess);
    EXPECT_INT(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue); /* a circle */
    EXPECT_INT(cudaGraphDestroy(graph), cudaSuccess);
}

/* Each call with a graph, a node or an executable graph that was destroyed, or is none. */
static void graph_errors(void) {
    static int nothing;
    cudaGraph_t graph, gone, none = (cudaGraph_t)(void *)&nothing;
    cudaGraphNode_t a, b, twice[2], of_another, other = (cudaGraphNode_t)(void *)&nothing;
    cudaGraphExec_t exec;
    struct cudaKernelNodeParams kernel = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    struct cudaMemsetParams set = {.dst = sum, .elementSize = 3, .width = 1, .height = 1};
    struct cudaHostNodeParams call = {0};
    enum cudaGraphNodeType type;
    size_t count = 0;
    const cudaError_t bad = cudaErrorInvalidValue;
    prepare();
    EXPECT_INT(cudaGraphCreate(NULL, 0), bad);
    EXPECT_INT(cudaGraphCreate(&graph, 1), bad);
    EXPECT_INT(cudaGraphCreate(&graph, 0), cudaSuccess);
    EXPECT_INT(cudaGraphCreate(&gone, 0), cudaSuccess);
    EXPECT_INT(cudaGraphAddEmptyNode(&of_another, gone, NULL, 0), cudaSuccess);
    EXPECT_INT(cudaGraphAddEmptyNode(NULL, graph, NULL, 0), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&a, none, NULL, 0), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&a, NULL, NULL, 0), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&a, graph, NULL, 1), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&a, graph, &other, 1), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&a, graph, &of_another, 1), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&a, graph, NULL, 0), cudaSuccess);
    twice[0] = twice[1] = a;
    EXPECT_INT(cudaGraphAddEmptyNode(&b, graph, twice, 2), bad);
    EXPECT_INT(cudaGraphAddEmptyNode(&b, graph, &a, 1), cudaSuccess);
    EXPECT_INT(cudaGraphAddDependencies(graph, &a, &b, NULL, 1), bad); /* there already */
    EXPECT_INT(cudaGraphAddDependencies(graph, &a, &a, NULL, 1), bad);
    EXPECT_INT(cudaGraphAddDependencies(graph, NULL, &b, NULL, 1), bad);
    EXPECT_INT(cudaGraphAddKernelNode(&b, graph, NULL, 0, NULL), bad);
    EXPECT_INT(cudaGraphAddKernelNode(&b, graph, NULL, 0, &kernel), cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaGraphAddMemsetNode(&b, graph, NULL, 0, NULL), bad);
    EXPECT_INT(cudaGraphAddMemsetNode(&b, graph, NULL, 0, &set), bad);
    EXPECT_INT(cudaGraphAddHostNode(&b, graph, NULL, 0, &call), bad);
    EXPECT_INT(cudaGraphAddMemcpyNode1D(&b, graph, NULL, 0, NULL, sum, 4, cudaMemcpyDefault), bad);
    EXPECT_INT(cudaGraphAddMemcpyNode1D(&b, graph, NULL, 0, sum, sum, BYTES + 1, cudaMemcpyDefault),
               bad);
    EXPECT_INT(cudaGraphGetNodes(graph, NULL, NULL), bad);
    EXPECT_INT(cudaGraphGetRootNodes(none, NULL, &count), bad);
    EXPECT_INT(cudaGraphNodeGetType(other, &type), bad);
    EXPECT_INT(cudaGraphNodeGetType(a, NULL), bad);
    EXPECT_INT(cudaGraphInstantiate(NULL, graph, 0), bad);
    EXPECT_INT(cudaGraphInstantiate(&exec, graph, 1 << 10), bad);
    EXPECT_INT(cudaGraphDestroy(gone), cudaSuccess);
    EXPECT_INT(cudaGraphInstantiate(&exec, gone, 0), bad);
    EXPECT_INT(cudaGraphNodeGetType(of_another, &type), bad); /* went with its graph */
    EXPECT_INT(cudaGraphLaunch(NULL, stream), bad);
    EXPECT_INT(cudaGraphUpload((cudaGraphExec_t)(void *)graph, stream), bad);
    EXPECT_INT(cudaGraphDestroy(NULL), bad);
    EXPECT_INT(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
}

static enum cudaStreamCaptureStatus status_of(cudaStream_t of) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_INT(cudaStreamIsCapturing(of, &status), cudaSuccess);
    return status;
}

static void capture_errors(void) {
    cudaGraph_t graph;
    cudaEvent_t event;
    void *memory;
    prepare();
    cudaEventCreate(&event);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
    EXPECT_INT(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
               cudaErrorStreamCaptureUnsupported);

    /* What may not be called meanwhile, and ends the capture. */
    EXPECT_INT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_INT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    EXPECT_INT(status_of(stream), cudaStreamCaptureStatusActive);
    EXPECT_INT(add_in(NULL, 1), cudaErrorStreamCaptureImplicit);
    EXPECT_INT(cudaStreamSynchronize(NULL), cudaErrorStreamCaptureImplicit);
    EXPECT_INT(cudaStreamQuery(NULL), cudaErrorStreamCaptureImplicit);
    enum cudaStreamCaptureStatus null_status;
    EXPECT_INT(cudaStreamIsCapturing(NULL, &null_status), cudaErrorStreamCaptureImplicit);
    EXPECT_INT(status_of(stream), cudaStreamCaptureStatusActive); /* none of these ends it */
    EXPECT_INT(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_INT(status_of(stream), cudaStreamCaptureStatusInvalidated);
    EXPECT_INT(add_in(stream, 1), cudaErrorStreamCaptureInvalidated);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT(graph == NULL);
    EXPECT_INT(status_of(stream), cudaStreamCaptureStatusNone);

    /* Relaxed mode allows what other modes call unsafe. */
    EXPECT_INT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    EXPECT_INT(cudaMalloc(&memory, 16), cudaSuccess);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_INT(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_INT(cudaFree(memory), cudaSuccess);

    /* A stream that was not joined back. */
    EXPECT_INT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_INT(cudaEventRecord(event, stream), cudaSuccess);
    EXPECT_INT(cudaStreamWaitEvent(side[0], event, 0), cudaSuccess);
    EXPECT_INT(add_in(side[0], 1), cudaSuccess);
    EXPECT_INT(cudaEventQuery(event), cudaErrorCapturedEvent);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
    EXPECT_INT(status_of(side[0]), cudaStreamCaptureStatusNone);

    /* Work from outside the capture. */
    EXPECT_INT(add_in(side[1], 1), cudaSuccess);
    EXPECT_INT(cudaEventRecord(event, side[1]), cudaSuccess);
    EXPECT_INT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_INT(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
    EXPECT_INT(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_INT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_INT(cudaEventDestroy(event), cudaSuccess);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"parallel nodes run beside each other", parallel_nodes_run_beside_each_other},
        {"launches of one graph are in order", launches_of_one_graph_are_in_order},
        {"a graph made of nodes", graph_made_of_nodes},
        {"errors of graphs", graph_errors},
        {"errors of capture", capture_errors},
    };
    return TAP_RUN(tests);
}
