/* op.c - an operation's life: queued by the host, ready when all it waits for has ended, started
 * when the device has room, ended. Operations form a graph: streams, events and graphs only add
 * edges to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { SLAB = 256 };

void (*op_watch)(const struct op *op, enum op_station station);

static struct op *free_ops;
static struct edge *free_edges;

static struct op *op_alloc(void) {
    if (!free_ops) {
        struct op *slab = need_memory(SLAB, sizeof *slab);
        for (int i = 0; i < SLAB; i++) {
            slab[i].next = free_ops;
            free_ops = &slab[i];
        }
    }
    struct op *op = free_ops;
    free_ops = op->next;
    memset(op, 0, sizeof *op);
    return op;
}

static struct edge *edge_alloc(void) {
    if (!free_edges) {
        struct edge *slab = need_memory(SLAB, sizeof *slab);
        for (int i = 0; i < SLAB; i++) {
            slab[i].next = free_edges;
            free_edges = &slab[i];
        }
    }
    struct edge *edge = free_edges;
    free_edges = edge->next;
    return edge;
}

static void station(const struct op *op, enum op_station at) {
    if (op_watch)
        op_watch(op, at);
}

struct op *op_new(const struct work *work, struct stream *stream, bool in_graph) {
    static unsigned serials;
    struct op *op = op_alloc();
    op->serial = ++serials;
    work_copy(&op->work, work);
    op->stream = stream;
    op->device = stream->device;
    op->lane = stream->number;
    op->correlation = call_correlation();
    op->traced = tracer_on();
    op->waiting = 1;
    op->in_graph = in_graph;
    if (work->kind == WORK_KERNEL)
        kernel_run_init(op);
    if (work->kind == WORK_EVENT)
        work->event->op = op;
    stream->pending += !in_graph; /* a graph's end stands for its nodes */
    op->device->pending++;
    return op;
}

void op_after(struct op *op, struct op *earlier) {
    if (!earlier || earlier == op)
        return;
    struct edge *edge = edge_alloc();
    edge->to = op;
    edge->next = earlier->dependents;
    earlier->dependents = edge;
    op->waiting++;
}

/* How long after the end of what it waited for an operation starts. */
static double gap_ns(const struct op *op, const struct op *earlier) {
    const struct sim_profile *profile = sim_profile();
    double ns = 0;
    switch (op->work.kind) {
    case WORK_KERNEL:
        ns = profile->kernel_gap_ns;
        break;
    case WORK_COPY:
    case WORK_MEMSET:
        ns = profile->copy_gap_ns;
        break;
    case WORK_EVENT:
        ns = profile->event_gap_ns;
        break;
    default:
        break;
    }
    /* An empty operation stands for a wait or a join: it hands on what it was given. */
    return op->stream == earlier->stream ? ns : ns + profile->stream_wait_ns;
}

static void kernel_at_front(void *what, unsigned version) {
    (void)version;
    grid_ready(what);
}

/* Kernels pass the device's front end one by one. */
static void ready_kernel(struct op *op) {
    const struct sim_profile *profile = sim_profile();
    struct sim_device *device = op->device;
    int64_t now_ns = sim_now_ns();
    int64_t at_ns = device->front_free_ns > now_ns ? device->front_free_ns : now_ns;
    double busy_ns = op->in_graph ? profile->graph_dispatch_ns : profile->dispatch_ns;
    if (op->in_graph && op->traced)
        busy_ns += profile->tracer_node_ns;
    device->front_free_ns = at_ns + llround(busy_ns);
    agenda_add(at_ns, kernel_at_front, op, 0);
}

static void host_function_returned(void *what, unsigned version) {
    (void)version;
    op_end(what);
}

/* The driver's thread takes longer to run a function, and to go on, when it has slept. */
static int64_t host_function_ns(bool slept) {
    const struct sim_profile *profile = sim_profile();
    return llround(slept ? profile->host_function_ns : profile->host_function_soon_ns);
}

static void run_host_function(void *what, unsigned slept) {
    struct op *op = what;
    const struct host_work *host = &op->work.host;
    op_start(op);
    host_function_begin(op->lane);
    if (host->function)
        host->function(host->data);
    else if (host->callback)
        host->callback(op->stream->null_stream ? NULL : (cudaStream_t)op->stream,
                       op->device->broken, host->data);
    int64_t ran_ns = host_function_end() + 1;
    int64_t back_ns = sim_now_ns() + ran_ns + host_function_ns(slept);
    op->device->worker_free_ns = sim_now_ns() + ran_ns;
    op->device->worker_awake_ns =
        op->device->worker_free_ns + llround(sim_profile()->host_function_awake_ns);
    agenda_add(back_ns, host_function_returned, op, 0);
    grid_poll_waits();
}

/* Host functions run one after another on a thread of the driver (manual: cudaLaunchHostFunc,
 * "no guarantee about the thread", executed in stream order). */
static void ready_host_function(struct op *op) {
    bool slept = sim_now_ns() >= op->device->worker_awake_ns;
    int64_t at_ns = sim_now_ns() + host_function_ns(slept);
    if (at_ns < op->device->worker_free_ns)
        at_ns = op->device->worker_free_ns;
    op->device->worker_free_ns = at_ns + 1;
    agenda_add(at_ns, run_host_function, op, slept);
}

static void become_ready(void *what, unsigned version) {
    (void)version;
    struct op *op = what;
    switch (op->work.kind) {
    case WORK_KERNEL:
        ready_kernel(op);
        break;
    case WORK_COPY:
    case WORK_MEMSET:
        engine_queue(op);
        break;
    case WORK_HOST:
        ready_host_function(op);
        break;
    default:
        op_start(op);
        op_end(op);
    }
}

static void one_less_to_wait_for(struct op *op) {
    if (--op->waiting > 0)
        return;
    int64_t now_ns = sim_now_ns();
    agenda_add(op->ready_ns > now_ns ? op->ready_ns : now_ns, become_ready, op, 0);
}

void op_submit(struct op *op) {
    op->queued_ns = sim_now_ns();
    int64_t earliest_ns = op->queued_ns + llround(sim_profile()->start_latency_ns);
    if (op->ready_ns < earliest_ns)
        op->ready_ns = earliest_ns;
    station(op, OP_QUEUED);
    one_less_to_wait_for(op);
}

void op_start(struct op *op) {
    op->started = true;
    op->start_ns = sim_now_ns();
    op->run.launch.start_ns = op->start_ns;
    station(op, OP_STARTED);
}

/* As on a GPU: an address that is none any more breaks the context, and later calls say so. */
static bool reaches(struct op *op) {
    bool staged = op->snapshot || op->staging.used; /* then the program may have freed the source */
    bool there = op->work.kind == WORK_COPY ? copy_can_reach(&op->work.copy, !staged)
                                            : memset_can_reach(&op->work.memset);
    if (!there && op->device->broken == cudaSuccess)
        op->device->broken = cudaErrorIllegalAddress;
    return there;
}

static void effect(struct op *op) {
    switch (op->work.kind) {
    case WORK_KERNEL:
        op->run.launch.end_ns = op->end_ns;
        if (op->run.launch.model->effect && op->device->broken == cudaSuccess)
            op->run.launch.model->effect(&op->run.launch);
        break;
    case WORK_COPY:
        if (reaches(op))
            copy_effect(op);
        break;
    case WORK_MEMSET:
        if (reaches(op))
            memset_effect(&op->work.memset);
        break;
    case WORK_FREE:
        memory_release(op->work.free_address);
        break;
    case WORK_EVENT:
        event_op_ended(op);
        break;
    default:
        break;
    }
}

void op_end(struct op *op) {
    op->end_ns = sim_now_ns();
    effect(op);
    station(op, OP_ENDED);
    if (op->traced)
        tracer_op(op);
    for (struct edge *edge = op->dependents, *next; edge; edge = next) {
        int64_t ready_ns = op->end_ns + llround(gap_ns(edge->to, op));
        if (edge->to->ready_ns < ready_ns)
            edge->to->ready_ns = ready_ns;
        one_less_to_wait_for(edge->to);
        next = edge->next;
        edge->next = free_edges;
        free_edges = edge;
    }
    if (op->named_by)
        *op->named_by = NULL;
    if (op->ended)
        *op->ended = true;
    op->device->pending--;
    if (!op->in_graph)
        stream_op_ended(op);
    work_free(&op->work);
    free(op->snapshot);
    free(op->staging.ring);
    free(op->staging.written);
    free(op->run.kept);
    op->serial = 0;
    op->next = free_ops;
    free_ops = op;
}

const char *op_name(const struct op *op) {
    static const char *const names[] = {"",      "copy",  "memset", "host function",
                                        "event", "empty", "free"};
    if (op->work.kind == WORK_KERNEL)
        return op->work.kernel.model->name;
    return names[op->work.kind];
}

size_t work_bytes(const struct work *work) {
    if (work->kind == WORK_COPY)
        return work->copy.width * work->copy.height;
    if (work->kind == WORK_MEMSET)
        return work->memset.width * work->memset.height * work->memset.element_bytes;
    return 0;
}
