/* engine.c - copy engines: each works on one copy at a time, in the order in which copies became
 * ready. A GPU with two or more has one for each direction (asyncEngineCount; CUDA C++ Programming
 * Guide: concurrent data transfers); copies inside the device, and to a peer, have the third one
 * if there is one. A memset is a small kernel in truth; it is taken to have room beside others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

static int engine_of(const struct op *op) {
    int engines = (int)sim_profile()->copy_engines;
    if (op->work.kind == WORK_MEMSET)
        return ENGINE_MEMSET;
    if (engines < 2 || op->work.copy.kind == SPAN_H2D)
        return ENGINE_H2D;
    if (engines < 3 || op->work.copy.kind == SPAN_D2H)
        return ENGINE_D2H;
    return ENGINE_D2D;
}

/* Only what crosses the bus at full speed feels the other direction. */
static bool on_the_bus(const struct engine *engine) {
    const struct op *op = engine->op;
    return op && engine->moving && op->work.kind == WORK_COPY &&
           (op->work.copy.kind == SPAN_H2D ||
            (op->work.copy.kind == SPAN_D2H && op->work.copy.dst_kind != MEMORY_PAGEABLE));
}

static bool staged_peer(const struct engine *engine) {
    const struct op *op = engine->op;
    return op && engine->moving && op->work.kind == WORK_COPY && op->work.copy.kind == SPAN_PEER &&
           !copy_is_peer_to_peer(&op->work.copy);
}

/* Through the host, and so does a copy of another device. */
static bool shares_the_host(const struct sim_device *device, int index) {
    if (!staged_peer(&device->engines[index]))
        return false;
    for (int i = 0; i < device_count(); i++)
        if (i != device->index && staged_peer(&device_at(i)->engines[index]))
            return true;
    return false;
}

/* Measured: one direction slows a little while the other runs. */
static double factor_of(struct sim_device *device, int index) {
    const struct sim_profile *profile = sim_profile();
    if (shares_the_host(device, index))
        return fmax(1, profile->peer_staged_rate / profile->peer_staged_both_rate);
    if (index > ENGINE_D2H || !on_the_bus(&device->engines[ENGINE_H2D]) ||
        !on_the_bus(&device->engines[ENGINE_D2H]))
        return 1;
    double factor = index == ENGINE_H2D ? profile->h2d_rate / profile->h2d_both_rate
                                        : profile->d2h_rate / profile->d2h_both_rate;
    return factor > 1 ? factor : 1;
}

static void engine_event(void *what, unsigned version);

static void reschedule(struct engine *engine) {
    engine->version++;
    if (engine->op && engine->moving) {
        double left_ns = engine->remaining_ns * engine->factor;
        int64_t at_ns = engine->since_ns + (left_ns > 0 ? (int64_t)ceil(left_ns - 1e-6) : 0);
        agenda_add(at_ns, engine_event, engine, engine->version);
    }
}

static void speeds_of(struct sim_device *device) {
    int64_t now_ns = sim_now_ns();
    for (int i = 0; i < ENGINES; i++) {
        struct engine *engine = &device->engines[i];
        double factor = factor_of(device, i);
        if (!engine->op || !engine->moving || factor == engine->factor)
            continue;
        engine->remaining_ns -= (double)(now_ns - engine->since_ns) / engine->factor;
        engine->since_ns = now_ns;
        engine->factor = factor;
        reschedule(engine);
    }
}

/* Something began or ended on an engine: all find their speed again. */
static void speeds_changed(void) {
    for (int i = 0; i < device_count(); i++)
        speeds_of(device_at(i));
}

static void move_for(struct engine *engine, double ns) {
    struct sim_device *device = engine->op->device;
    engine->moving = true;
    engine->remaining_ns = ns > 1 ? ns : 1;
    engine->since_ns = sim_now_ns();
    engine->factor = factor_of(device, (int)(engine - device->engines));
    reschedule(engine);
    speeds_changed();
}

static bool chunk_waits(const struct op *op) {
    return op->staging.staged > op->staging.sent;
}

static void send_chunk(struct engine *engine) {
    struct op *op = engine->op;
    const struct sim_profile *profile = sim_profile();
    const struct staged_chunk *chunk = &op->staging.ring[op->staging.sent % op->staging.slots];
    if (!op->started)
        op_start(op);
    double start_ns = op->staging.sent == 0 ? profile->copy_start_ns : 0;
    move_for(engine, start_ns + (double)chunk->bytes / profile->h2d_rate);
}

/* Copies inside a device are kernels of the driver where the profile says so. They are small and
 * take little of an SM, but what they need must be free. */
static bool has_room(const struct op *op) {
    enum { COPY_THREADS = 256 };
    const struct sim_profile *profile = sim_profile();
    const struct sm *sms = op->device->sms;
    if (op->work.kind != WORK_COPY || op->work.copy.kind != SPAN_D2D || profile->d2d_needs_sm == 0)
        return true;
    for (int i = 0; i < (int)profile->sms; i++)
        if (sms[i].threads + COPY_THREADS <= profile->sm_threads &&
            sms[i].blocks < profile->sm_blocks)
            return true;
    return false;
}

static void take_next(struct engine *engine) {
    struct op *op = engine->first;
    if (!op || !has_room(op))
        return;
    engine->first = op->next;
    op->next = NULL;
    engine->op = op;
    engine->moving = false;
    if (op->staging.used) {
        if (chunk_waits(op))
            send_chunk(engine);
        return;
    }
    op_start(op);
    move_for(engine, op->work.kind == WORK_MEMSET ? memset_duration_ns(op) : copy_duration_ns(op));
}

static void chunk_arrived(struct op *op) {
    struct staged_chunk *chunk = &op->staging.ring[op->staging.sent++ % op->staging.slots];
    unsigned char *dst = op->work.copy.dst + chunk->offset;
    if (!sim_address_valid(dst, chunk->bytes))
        ; /* freed meanwhile: the copy's end says so */
    else if (chunk->data)
        memcpy(dst, chunk->data, chunk->bytes);
    else if (!chunk->arrived)
        pages_zero(dst, chunk->bytes);
    free(chunk->data);
    chunk->data = NULL;
}

static void engine_event(void *what, unsigned version) {
    struct engine *engine = what;
    if (version != engine->version)
        return;
    struct op *op = engine->op;
    engine->moving = false;
    if (op->staging.used) {
        chunk_arrived(op);
        if (chunk_waits(op)) {
            send_chunk(engine);
            return;
        }
        if (op->staging.sent < op->staging.chunks) {
            speeds_changed();
            return;
        }
    }
    engine->op = NULL;
    op_end(op);
    take_next(engine);
    speeds_changed();
}

static void end_host_copy(void *what, unsigned version) {
    (void)version;
    op_end(what);
}

void engine_queue(struct op *op) {
    if (op->work.kind == WORK_COPY && op->work.copy.kind == SPAN_H2H) {
        op_start(op); /* the host's own work: it needs no engine */
        agenda_add(op->start_ns + llround(copy_duration_ns(op)) + 1, end_host_copy, op, 0);
        return;
    }
    struct engine *engine = &op->device->engines[engine_of(op)];
    op->next = NULL;
    if (!engine->first)
        engine->first = op;
    else
        engine->last->next = op;
    engine->last = op;
    if (!engine->op)
        take_next(engine);
}

void engine_room(struct sim_device *device) {
    for (int i = 0; i < ENGINES; i++)
        if (!device->engines[i].op)
            take_next(&device->engines[i]);
}

void engine_staged(struct op *op) {
    struct engine *engine = &op->device->engines[engine_of(op)];
    if (engine->op == op && !engine->moving && chunk_waits(op))
        send_chunk(engine);
}
