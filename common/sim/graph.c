/* graph.c - graphs made node by node (manual: graph management). */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

static struct handles graphs = {.bytes = sizeof(struct graph)};
static struct handles nodes = {.bytes = sizeof(struct node)};

static void *graph_grown(void *array, int count, int *capacity, size_t bytes) {
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 4;
    array = more_memory(array, (size_t)*capacity * bytes);
    return array;
}

struct graph *graph_new(void) {
    return handle_new(&graphs);
}

bool graph_live(const void *handle) {
    return handle_live(&graphs, handle);
}

void graph_free(struct graph *graph) {
    for (int i = 0; i < graph->count; i++) {
        work_free(&graph->nodes[i]->work);
        free(graph->nodes[i]->after);
        handle_free(graph->nodes[i]);
    }
    free(graph->nodes);
    handle_free(graph);
}

static bool comes_after(const struct node *node, const struct node *earlier) {
    for (int i = 0; i < node->after_count; i++)
        if (node->after[i] == earlier)
            return true;
    return false;
}

static void node_add_after(struct node *node, struct node *earlier) {
    if (comes_after(node, earlier))
        return;
    node->after =
        graph_grown(node->after, node->after_count, &node->after_capacity, sizeof(struct node *));
    node->after[node->after_count++] = earlier;
}

struct node *graph_add(struct graph *graph, const struct work *work, struct node *const *after,
                       int after_count) {
    struct node *node = handle_new(&nodes);
    node->graph = graph;
    work_copy(&node->work, work);
    for (int i = 0; i < after_count; i++)
        node_add_after(node, after[i]);
    graph->nodes = graph_grown(graph->nodes, graph->count, &graph->capacity, sizeof(struct node *));
    node->index = graph->count;
    graph->nodes[graph->count++] = node;
    return node;
}

static bool node_of(const struct graph *graph, const void *handle) {
    return handle_live(&nodes, handle) && ((const struct node *)handle)->graph == graph;
}

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t handle, const cudaGraphNode_t *after,
                       size_t after_count, const struct work *work) {
    struct graph *graph = (struct graph *)handle;
    if (!node || !graph_live(graph) || (after_count > 0 && !after))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < after_count; i++) {
        if (!node_of(graph, after[i]))
            return cudaErrorInvalidValue;
        for (size_t j = 0; j < i; j++) /* manual: no duplicate entries */
            if (after[j] == after[i])
                return cudaErrorInvalidValue;
    }
    call_cost(sim_profile()->graph_node_ns);
    *node = (cudaGraphNode_t)graph_add(graph, work, (struct node *const *)after, (int)after_count);
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    if (call_enter("cudaGraphCreate"))
        return call_leave();
    if (!graph || flags)
        return call_done(cudaErrorInvalidValue);
    call_cost(sim_profile()->graph_create_ns);
    *graph = (cudaGraph_t)graph_new();
    return call_done(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t after_count,
                                   const struct cudaKernelNodeParams *params) {
    struct work work = {.kind = WORK_KERNEL};
    if (call_enter("cudaGraphAddKernelNode"))
        return call_leave();
    if (!params || (params->kernelParams && params->extra))
        return call_done(cudaErrorInvalidValue);
    if (!params->func)
        return call_done(cudaErrorInvalidDeviceFunction);
    if (params->extra) /* arguments in one buffer: not modelled */
        return call_done(cudaErrorNotSupported);
    cudaError_t error =
        kernel_work_new(&work.kernel, model_of(params->func), params->gridDim, params->blockDim,
                        params->kernelParams, params->sharedMemBytes);
    if (error)
        return call_done(error);
    error = add(node, graph, after, after_count, &work);
    work_free(&work);
    return call_done(error);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t after_count, void *dst,
                                     const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    struct work work = {.kind = WORK_COPY};
    if (call_enter("cudaGraphAddMemcpyNode1D"))
        return call_leave();
    cudaError_t error = copy_work_new(&work.copy, dst, bytes, src, bytes, bytes, 1, kind);
    return call_done(error ? error : add(node, graph, after, after_count, &work));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t after_count,
                                   const struct cudaMemsetParams *params) {
    struct work work = {.kind = WORK_MEMSET};
    if (call_enter("cudaGraphAddMemsetNode"))
        return call_leave();
    if (!params ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return call_done(cudaErrorInvalidValue);
    cudaError_t error = memset_work_new(&work.memset, params->dst, params->pitch, params->value,
                                        params->elementSize, params->width, params->height);
    return call_done(error ? error : add(node, graph, after, after_count, &work));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t after_count,
                                 const struct cudaHostNodeParams *params) {
    struct work work = {.kind = WORK_HOST};
    if (call_enter("cudaGraphAddHostNode"))
        return call_leave();
    if (!params || !params->fn)
        return call_done(cudaErrorInvalidValue);
    work.host.function = params->fn;
    work.host.data = params->userData;
    return call_done(add(node, graph, after, after_count, &work));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t after_count) {
    struct work work = {.kind = WORK_EMPTY};
    if (call_enter("cudaGraphAddEmptyNode"))
        return call_leave();
    return call_done(add(node, graph, after, after_count, &work));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count) {
    const struct graph *graph = (struct graph *)handle;
    (void)edges; /* only full dependencies */
    if (call_enter("cudaGraphAddDependencies"))
        return call_leave();
    if (!graph_live(graph) || (count > 0 && (!from || !to)))
        return call_done(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (!node_of(graph, from[i]) || !node_of(graph, to[i]) || from[i] == to[i] ||
            comes_after((struct node *)to[i], (struct node *)from[i])) /* manual: an error */
            return call_done(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        node_add_after((struct node *)to[i], (struct node *)from[i]);
    return call_done(cudaSuccess);
}

/* Manual: with an array, as many as fit, and the rest of it NULL; without, only their number. */
static cudaError_t list_nodes(cudaGraph_t handle, cudaGraphNode_t *list, size_t *count,
                              bool only_roots) {
    const struct graph *graph = (struct graph *)handle;
    size_t found = 0;
    if (!graph_live(graph) || !count)
        return cudaErrorInvalidValue;
    for (int i = 0; i < graph->count; i++) {
        if (only_roots && graph->nodes[i]->after_count > 0)
            continue;
        if (list && found < *count)
            list[found] = (cudaGraphNode_t)graph->nodes[i];
        found++;
    }
    for (size_t i = found; list && i < *count; i++)
        list[i] = NULL;
    *count = found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *list, size_t *count) {
    if (call_enter("cudaGraphGetNodes"))
        return call_leave();
    return call_done(list_nodes(graph, list, count, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *list, size_t *count) {
    if (call_enter("cudaGraphGetRootNodes"))
        return call_leave();
    return call_done(list_nodes(graph, list, count, true));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, enum cudaGraphNodeType *type) {
    static const enum cudaGraphNodeType types[] = {
        [WORK_KERNEL] = cudaGraphNodeTypeKernel, [WORK_COPY] = cudaGraphNodeTypeMemcpy,
        [WORK_MEMSET] = cudaGraphNodeTypeMemset, [WORK_HOST] = cudaGraphNodeTypeHost,
        [WORK_EMPTY] = cudaGraphNodeTypeEmpty,
    };
    if (call_enter("cudaGraphNodeGetType"))
        return call_leave();
    if (!type || !handle_live(&nodes, handle))
        return call_done(cudaErrorInvalidValue);
    *type = types[((const struct node *)handle)->work.kind];
    return call_done(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    if (call_enter("cudaGraphDestroy"))
        return call_leave();
    if (!graph_live(graph))
        return call_done(cudaErrorInvalidValue);
    call_cost(sim_profile()->call_ns);
    graph_free((struct graph *)graph);
    return call_done(cudaSuccess);
}
