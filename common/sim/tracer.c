/* tracer.c - the simulator's own schedule as trace records, where a GPU has CUPTI's. Tracing costs
 * the host as CUPTI does: a little for each call that queues work, a lot to switch on and off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "error.h"
#include "tracer_backend.h"

const char backend_name[] = "sim";

static struct span *spans;
static size_t count, capacity;
static bool on;

const char *backend_attach(void) {
    return NULL;
}

void backend_detach(void) {
}

/* On a GPU the slow first calls are thrown away too (common/gpu/cupti.c). */
const char *backend_begin(void) {
    call_cost(sim_profile()->tracer_first_ns);
    on = true;
    return NULL;
}

bool tracer_on(void) {
    return on;
}

double tracer_extra_ns(void) {
    return on ? sim_profile()->tracer_call_ns : 0;
}

static void add(const struct span *span) {
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 256;
        spans = realloc(spans, capacity * sizeof *spans);
        if (!spans)
            die(EXIT_ENVIRONMENT, "simulated GPU: out of host memory; trace less");
    }
    spans[count++] = *span;
}

void tracer_call(const char *function, uint32_t correlation, int64_t start_ns, int64_t end_ns) {
    struct span span = {.kind = SPAN_API,
                        .name = function,
                        .device = current_device() ? current_device()->index : 0,
                        .stream = -1,
                        .start_ns = start_ns,
                        .end_ns = end_ns,
                        .correlation = correlation};
    add(&span);
}

static void describe_kernel(struct span *span, const struct op *op) {
    const struct kernel_work *kernel = &op->work.kernel;
    span->kind = SPAN_KERNEL;
    memcpy(span->grid, kernel->grid, sizeof span->grid);
    memcpy(span->block, kernel->block, sizeof span->block);
    span->registers = kernel->model->registers;
    span->shared_bytes = (int)(kernel->model->static_shared_bytes + kernel->dynamic_shared_bytes);
}

/* A staged copy as CUPTI of CUDA 13.0 shows it: one record of its way to the host and one of its
 * way from it, each on its own GPU, with all bytes, and with the time of the last piece. The other
 * GPU's stream is the driver's own. */
static void add_staged(const struct op *op, struct span *span) {
    enum { OF_THE_DRIVER = 1000 };
    const struct sim_profile *profile = sim_profile();
    const struct copy_work *copy = &op->work.copy;
    double piece_bytes = fmin((double)copy->width, profile->peer_staged_piece_bytes);
    double most_ns = (double)(op->end_ns - op->start_ns) / 2;
    double out_ns = fmin(most_ns, profile->copy_start_ns + piece_bytes / profile->d2h_rate);
    double in_ns = fmin(most_ns, profile->copy_start_ns + piece_bytes / profile->h2d_rate);
    span->bytes = copy->through_host_bytes;
    for (int in = 0; in <= 1; in++) {
        span->kind = in ? SPAN_H2D : SPAN_D2H;
        span->name = span_kind_name(span->kind);
        span->device = in ? copy->dst_device : copy->src_device;
        span->stream = span->device == op->device->index ? op->lane : op->lane + OF_THE_DRIVER;
        span->end_ns = op->end_ns - (in ? 0 : (int64_t)in_ns);
        span->start_ns = span->end_ns - (int64_t)(in ? in_ns : out_ns);
        add(span);
    }
}

void tracer_op(const struct op *op) {
    struct span span = {.name = op_name(op),
                        .device = op->device->index,
                        .stream = op->lane,
                        .start_ns = op->start_ns,
                        .end_ns = op->end_ns,
                        .correlation = op->correlation,
                        .bytes = work_bytes(&op->work)};
    switch (op->work.kind) {
    case WORK_KERNEL:
        describe_kernel(&span, op);
        break;
    case WORK_COPY:
        span.kind = op->work.copy.kind;
        span.name = span_kind_name(span.kind);
        span.src = op->work.copy.src_kind;
        span.dst = op->work.copy.dst_kind;
        if (op->work.copy.through_host_bytes > 0) {
            add_staged(op, &span);
            return;
        }
        break;
    case WORK_MEMSET:
        span.kind = SPAN_MEMSET;
        span.dst = op->work.memset.kind;
        break;
    default:
        return;
    }
    add(&span);
}

int backend_end(const char *part) {
    for (int i = 0; i < device_count(); i++)
        host_wait(device_idle, device_at(i), false);
    on = false;
    call_cost(sim_profile()->tracer_flush_ns);
    part = timeline_name(part);
    for (size_t i = 0; i < count; i++) {
        spans[i].part = part;
        spans[i].name = timeline_name(spans[i].name);
        timeline_add(&spans[i]);
    }
    count = 0;
    return 0;
}
