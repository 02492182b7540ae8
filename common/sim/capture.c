/* capture.c - stream capture: calls that would queue work in a stream become nodes of a graph
 * (programming guide: creating a graph using stream capture). A capture spreads to another stream
 * that waits for an event recorded in it, and must be joined back before it ends. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct capture {
    struct capture *next;
    unsigned long long id;
    struct graph *graph;
    struct stream *origin;
    enum cudaStreamCaptureMode mode;
    bool invalid;
};

static struct capture *captures;
static unsigned long long captures_made;

static void set_nodes(struct node_set *set, struct node *const *nodes, int count) {
    struct node **copy = need_memory((size_t)count + 1, sizeof(struct node *));
    if (count > 0)
        memcpy(copy, nodes, (size_t)count * sizeof(struct node *));
    free(set->nodes);
    set->nodes = copy;
    set->count = count;
}

static void join_nodes(struct node_set *set, const struct node_set *other) {
    int count = set->count;
    struct node **joined = need_memory((size_t)(count + other->count) + 1, sizeof(struct node *));
    for (int i = 0; i < count; i++)
        joined[i] = set->nodes[i];
    for (int i = 0; i < other->count; i++) {
        bool known = false;
        for (int j = 0; j < count; j++)
            known = known || joined[j] == other->nodes[i];
        if (!known)
            joined[count++] = other->nodes[i];
    }
    free(set->nodes);
    set->nodes = joined;
    set->count = count;
}

void node_set_free(struct node_set *set) {
    free(set->nodes);
    set->nodes = NULL;
    set->count = 0;
}

cudaError_t capture_work(struct stream *stream, const struct work *work) {
    struct capture *capture = stream->capture;
    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    struct node *node =
        graph_add(capture->graph, work, stream->captured.nodes, stream->captured.count);
    set_nodes(&stream->captured, &node, 1);
    return cudaSuccess;
}

cudaError_t capture_event_record(struct stream *stream, struct event *event) {
    if (stream->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    event->recorded = false;
    event->capture_id = stream->capture->id;
    set_nodes(&event->captured, stream->captured.nodes, stream->captured.count);
    return cudaSuccess;
}

static struct capture *capture_of(unsigned long long id) {
    for (struct capture *capture = captures; capture; capture = capture->next)
        if (capture->id == id)
            return capture;
    return NULL;
}

cudaError_t capture_event_wait(struct stream *stream, struct event *event) {
    struct capture *of_event = event->capture_id ? capture_of(event->capture_id) : NULL;
    if (!event->capture_id) { /* the stream is captured, the event is from outside */
        if (!event->op)
            return cudaSuccess;
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (!of_event)
        return cudaErrorCapturedEvent; /* of a capture that has ended */
    if (of_event->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (stream->capture && stream->capture != of_event) {
        stream->capture->invalid = of_event->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (stream->null_stream)
        return cudaErrorStreamCaptureImplicit;
    if (stream->device != of_event->origin->device)
        return cudaErrorNotSupported; /* graphs over several GPUs are not modelled */
    stream->capture = of_event;
    join_nodes(&stream->captured, &event->captured);
    return cudaSuccess;
}

/* Manual, cudaStreamCaptureMode: calls that may be unsafe, such as cudaMalloc, are forbidden while
 * a capture is under way, unless it was begun in relaxed mode. They invalidate it. */
cudaError_t capture_forbids(void) {
    cudaError_t error = cudaSuccess;
    for (struct capture *capture = captures; capture; capture = capture->next) {
        if (capture->mode == cudaStreamCaptureModeRelaxed)
            continue;
        capture->invalid = true;
        error = cudaErrorStreamCaptureUnsupported;
    }
    return error;
}

/* Waiting for a captured stream, or asking for its state, is forbidden in any mode. */
cudaError_t capture_forbids_stream(struct stream *stream) {
    if (capture_next_to_null_stream(stream))
        return cudaErrorStreamCaptureImplicit;
    if (!stream->capture)
        return cudaSuccess;
    stream->capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    struct stream *stream;
    if (call_enter("cudaStreamBeginCapture"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error && (unsigned)mode > cudaStreamCaptureModeRelaxed)
        error = cudaErrorInvalidValue;
    if (!error && stream->null_stream) /* manual: not the legacy stream */
        error = cudaErrorStreamCaptureUnsupported;
    if (!error && stream->capture)
        error = cudaErrorIllegalState;
    if (error)
        return call_done(error);
    call_cost(sim_profile()->graph_create_ns);
    struct capture *capture = need_memory(1, sizeof *capture);
    capture->id = ++captures_made;
    capture->graph = graph_new();
    capture->origin = stream;
    capture->mode = mode;
    capture->next = captures;
    captures = capture;
    stream->capture = capture;
    return call_done(cudaSuccess);
}

/* True if all that was captured in other streams comes before what the origin ends with. */
static bool all_joined(const struct capture *capture) {
    bool joined = true;
    const struct graph *graph = capture->graph;
    bool *marked = need_memory((size_t)graph->count + 1, sizeof *marked);
    for (int i = 0; i < capture->origin->captured.count; i++)
        marked[capture->origin->captured.nodes[i]->index] = true;
    for (int i = graph->count - 1; i >= 0; i--) { /* a node comes after those it waits for */
        const struct node *node = graph->nodes[i];
        joined = joined && marked[i];
        for (int j = 0; j < node->after_count; j++)
            marked[node->after[j]->index] = true;
    }
    free(marked);
    return joined;
}

static void end_capture(struct capture *capture) {
    struct capture **at = &captures;
    while (*at != capture)
        at = &(*at)->next;
    *at = capture->next;
    for (struct stream *stream = capture->origin->device->streams; stream; stream = stream->next) {
        if (stream->capture != capture)
            continue;
        stream->capture = NULL;
        node_set_free(&stream->captured);
    }
    free(capture);
}

void captures_reset(const struct sim_device *device) {
    for (struct capture *capture = captures, *next; capture; capture = next) {
        next = capture->next;
        if (capture->origin->device != device)
            continue;
        graph_free(capture->graph);
        end_capture(capture);
    }
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
    struct stream *stream;
    if (call_enter("cudaStreamEndCapture"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error && !graph)
        error = cudaErrorInvalidValue;
    if (!error && !stream->capture)
        error = cudaErrorIllegalState;
    if (error)
        return call_done(error);
    struct capture *capture = stream->capture;
    if (capture->origin != stream) {
        capture->invalid = true;
        return call_done(cudaErrorStreamCaptureUnmatched);
    }
    if (capture->invalid)
        error = cudaErrorStreamCaptureInvalidated;
    else if (!all_joined(capture))
        error = cudaErrorStreamCaptureUnjoined;
    call_cost(sim_profile()->call_ns);
    if (error)
        graph_free(capture->graph);
    *graph = error ? NULL : (cudaGraph_t)capture->graph;
    end_capture(capture);
    return call_done(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    struct stream *stream;
    if (call_enter("cudaStreamIsCapturing"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error && !status)
        error = cudaErrorInvalidValue;
    if (!error && capture_next_to_null_stream(stream))
        error = cudaErrorStreamCaptureImplicit;
    if (error)
        return call_done(error);
    *status = !stream->capture           ? cudaStreamCaptureStatusNone
              : stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    return call_done(cudaSuccess);
}
