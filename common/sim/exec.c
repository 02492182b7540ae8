/* exec.c - executable graphs: one call queues all nodes, and nodes that do not wait for each
 * other run beside each other, each chain like a stream of its own (manual: graph management). */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct exec_node {
    struct work work;
    int *after;
    int after_count;
    int chain; /* nodes of a chain follow each other: they share a stream's number in the trace */
};

struct exec {
    struct handle handle;
    struct exec_node *nodes; /* each after those it waits for */
    int count, chains;
    int *lanes;      /* the tracer's number of each chain but the first, which has the stream's */
    struct op *last; /* the end of the last launch, if it has not come */
};

static struct handles execs = {.bytes = sizeof(struct exec)};

static void *array(int count, size_t bytes) {
    return need_memory((size_t)count + 1, bytes);
}

/* place[i]: where the ith node of the graph comes when each follows those it waits for. False if
 * nodes wait for each other in a circle. */
static bool topological_order(const struct graph *graph, int *place) {
    int placed = 0;
    for (int i = 0; i < graph->count; i++)
        place[i] = -1;
    for (bool progress = true; progress && placed < graph->count;) {
        progress = false;
        for (int i = 0; i < graph->count; i++) {
            const struct node *node = graph->nodes[i];
            bool ready = place[i] < 0;
            for (int j = 0; ready && j < node->after_count; j++)
                ready = place[node->after[j]->index] >= 0;
            if (!ready)
                continue;
            place[i] = placed++;
            progress = true;
        }
    }
    return placed == graph->count;
}

/* A node continues the chain of the first node before it that nobody has continued yet. */
static void make_chains(struct exec *exec) {
    bool *continued = array(exec->count, sizeof *continued);
    for (int i = 0; i < exec->count; i++) {
        struct exec_node *node = &exec->nodes[i];
        node->chain = -1;
        for (int j = 0; j < node->after_count && node->chain < 0; j++) {
            int before = node->after[j];
            if (continued[before])
                continue;
            continued[before] = true;
            node->chain = exec->nodes[before].chain;
        }
        if (node->chain < 0)
            node->chain = exec->chains++;
    }
    free(continued);
    exec->lanes = array(exec->chains, sizeof *exec->lanes);
    for (int i = 1; i < exec->chains; i++)
        exec->lanes[i] = new_lane();
}

static void copy_nodes(struct exec *exec, const struct graph *graph, const int *place) {
    exec->count = graph->count;
    exec->nodes = array(graph->count, sizeof *exec->nodes);
    for (int i = 0; i < graph->count; i++) {
        const struct node *from = graph->nodes[i];
        struct exec_node *to = &exec->nodes[place[i]];
        work_copy(&to->work, &from->work);
        to->after = array(from->after_count, sizeof *to->after);
        to->after_count = from->after_count;
        for (int j = 0; j < from->after_count; j++)
            to->after[j] = place[from->after[j]->index];
        if (from->work.kind == WORK_KERNEL)
            load_module(current_device(), from->work.kernel.model);
    }
}

static cudaError_t instantiate(cudaGraphExec_t *handle, cudaGraph_t graph_handle,
                               unsigned long long flags) {
    const struct sim_profile *profile = sim_profile();
    const struct graph *graph = (struct graph *)graph_handle;
    if (!handle || !graph_live(graph) || flags > 15)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return cudaErrorNotSupported;
    int *place = array(graph->count, sizeof *place);
    if (!topological_order(graph, place)) {
        free(place);
        return cudaErrorInvalidValue;
    }
    call_cost(profile->instantiate_ns + graph->count * profile->instantiate_node_ns);
    struct exec *exec = handle_new(&execs);
    copy_nodes(exec, graph, place);
    free(place);
    make_chains(exec);
    *handle = (cudaGraphExec_t)exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    if (call_enter("cudaGraphInstantiate"))
        return call_leave();
    return call_done(instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    if (call_enter("cudaGraphInstantiateWithFlags"))
        return call_leave();
    return call_done(instantiate(exec, graph, flags));
}

/* Between an empty operation that waits for what is in the stream and one that what follows in
 * the stream waits for. A launch also waits for the launch before of the same graph (manual). */
static cudaError_t launch(struct exec *exec, struct stream *stream) {
    struct work empty = {.kind = WORK_EMPTY};
    cudaError_t error;
    struct op *begin = stream_op(stream, &empty, &error);
    if (!begin)
        return error;
    struct op *end = stream_op(stream, &empty, &error);
    struct op **ops = array(exec->count, sizeof(struct op *));
    op_after(begin, exec->last);
    for (int i = 0; i < exec->count; i++) {
        const struct exec_node *node = &exec->nodes[i];
        ops[i] = op_new(&node->work, stream, true);
        if (node->chain > 0)
            ops[i]->lane = exec->lanes[node->chain];
        op_after(ops[i], begin);
        for (int j = 0; j < node->after_count; j++)
            op_after(ops[i], ops[node->after[j]]);
        op_after(end, ops[i]);
    }
    if (exec->last)
        exec->last->named_by = NULL;
    exec->last = end;
    end->named_by = &exec->last;
    for (int i = 0; i < exec->count; i++)
        op_submit(ops[i]);
    op_submit(end);
    op_submit(begin);
    free(ops);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    const struct sim_profile *profile = sim_profile();
    struct exec *exec = (struct exec *)handle;
    struct stream *stream;
    if (call_enter("cudaGraphLaunch"))
        return call_leave();
    cudaError_t error = stream_of(stream_handle, &stream);
    if (!error && !handle_live(&execs, exec))
        error = cudaErrorInvalidValue;
    if (!error)
        error = capture_forbids_stream(stream); /* child graphs are not modelled */
    if (error)
        return call_done(error);
    call_cost(profile->graph_launch_ns + exec->count * profile->graph_launch_node_ns);
    return call_done(launch(exec, stream));
}

/* Manual: does the part of the first launch that need not wait for it; here that costs nothing. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle) {
    struct stream *stream;
    if (call_enter("cudaGraphUpload"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error && !handle_live(&execs, exec))
        error = cudaErrorInvalidValue;
    return call_done(error);
}

/* What is queued of it still runs: each launch has copies of its nodes. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    struct exec *exec = (struct exec *)handle;
    if (call_enter("cudaGraphExecDestroy"))
        return call_leave();
    if (!handle_live(&execs, exec))
        return call_done(cudaErrorInvalidValue);
    call_cost(sim_profile()->call_ns);
    if (exec->last)
        exec->last->named_by = NULL;
    for (int i = 0; i < exec->count; i++) {
        work_free(&exec->nodes[i].work);
        free(exec->nodes[i].after);
    }
    free(exec->nodes);
    free(exec->lanes);
    handle_free(exec);
    return call_done(cudaSuccess);
}
