/* copy_api.c - cudaMemcpy and its kin: which of them wait, and for what. */
#include <math.h>
#include <string.h>

#include "core.h"

/* Measured: a pageable copy in takes longer to queue behind work that has not ended. */
static double busy_ns(const struct stream *stream) {
    return stream->pending ? sim_profile()->pageable_busy_ns : 0;
}

/* Measured: up to 64 KiB of pageable memory travel with the command, and the call returns. */
static cudaError_t copy_inline(struct stream *stream, const struct work *work) {
    const struct sim_profile *profile = sim_profile();
    cudaError_t error;
    double bytes = (double)work->copy.width;
    call_cost(profile->inline_call_ns + bytes / profile->inline_rate + busy_ns(stream));
    struct op *op = stream_op(stream, work, &error);
    if (!op)
        return error;
    op->snapshot = more_memory(NULL, work->copy.width);
    memcpy(op->snapshot, work->copy.src, work->copy.width);
    op_submit(op);
    return cudaSuccess;
}

static bool slot_is_free(const void *what) {
    const struct op *op = what;
    return op->staging.staged - op->staging.sent < op->staging.slots;
}

/* Then nobody can see when the bytes arrive, and they need not be kept meanwhile. */
static bool nothing_else_queued(void) {
    long pending = 0;
    for (int i = 0; i < device_count(); i++)
        pending += device_at(i)->pending;
    return pending == 1;
}

static void stage_chunk(struct op *op, size_t chunk_bytes, double ns_per_byte, double fault_ns) {
    const struct copy_work *copy = &op->work.copy;
    struct staging *staging = &op->staging;
    struct staged_chunk *chunk = &staging->ring[staging->staged % staging->slots];
    chunk->offset = (size_t)staging->staged * chunk_bytes;
    chunk->bytes =
        copy->width - chunk->offset < chunk_bytes ? copy->width - chunk->offset : chunk_bytes;
    sim_host_work((double)chunk->bytes * ns_per_byte + fault_ns, true);
    chunk->arrived = nothing_else_queued();
    struct page_map src = {copy->src, staging->written};
    if (chunk->arrived) {
        page_map_move(&src, chunk->offset, copy->dst + chunk->offset, chunk->bytes);
    } else if (page_map_any_written(&src, chunk->offset, chunk->bytes)) {
        chunk->data = more_memory(NULL, chunk->bytes);
        memcpy(chunk->data, copy->src + chunk->offset, chunk->bytes);
    }
    staging->staged++;
    engine_staged(op);
}

/* Manual, API synchronization behavior, asynchronous: pageable memory is first staged in pinned
 * memory, and the call returns when that is done; it may wait for the stream. Measured: it waits
 * as soon as the staging buffers are full, and goes on when the copy engine has emptied one. */
static cudaError_t copy_staged(struct stream *stream, const struct work *work) {
    const struct sim_profile *profile = sim_profile();
    const struct copy_work *copy = &work->copy;
    cudaError_t error;
    double ns_per_byte =
        host_ns_per_byte((double)copy->width, profile->stage_cached_rate, profile->stage_rate);
    call_cost(profile->staged_call_ns + busy_ns(stream));
    struct op *op = stream_op(stream, work, &error);
    if (!op)
        return error;
    size_t chunk_bytes = (size_t)profile->staging_chunk_bytes;
    long chunks = (long)((copy->width + chunk_bytes - 1) / chunk_bytes);
    double faults = (double)pages_first_touch(copy->src, copy->width, false);
    op->staging.used = true;
    op->staging.written = page_map_of(copy->src, copy->width).state;
    op->staging.chunks = chunks;
    op->staging.slots = (int)fmax(1, profile->staging_bytes / profile->staging_chunk_bytes);
    op->staging.ring = need_memory((size_t)op->staging.slots, sizeof *op->staging.ring);
    op_submit(op);
    for (long i = 0; i < chunks; i++) {
        host_wait(slot_is_free, op, false);
        stage_chunk(op, chunk_bytes, ns_per_byte, faults * profile->read_fault_ns / (double)chunks);
    }
    return cudaSuccess;
}

/* From pageable host memory. Measured: cudaMemcpy waits for earlier work of its stream, but not
 * for its own copy once the data is staged. */
static cudaError_t copy_from_pageable(struct stream *stream, const struct work *work, bool async) {
    const struct sim_profile *profile = sim_profile();
    cudaError_t error;
    call_cost(first_ns(stream->device, FIRST_PAGEABLE));
    if (!async)
        stream_wait(stream);
    if (work->copy.height > 1) { /* rows with gaps: one by one, and waiting */
        call_cost(profile->staged_call_ns);
        struct op *op = stream_op(stream, work, &error);
        if (op)
            stream_run(op);
        return error;
    }
    if ((double)work->copy.width <= profile->inline_bytes)
        return copy_inline(stream, work);
    return copy_staged(stream, work);
}

/* True if the call returns only after the copy has ended (manual, API synchronization behavior):
 * - to pageable host memory: always;
 * - host to host: always, and the host does the work itself;
 * - between host and device, pinned: cudaMemcpy only;
 * - inside a device, and from peer to peer: never, not even cudaMemcpy. */
static bool call_waits(const struct copy_work *copy, bool async) {
    switch (copy->kind) {
    case SPAN_H2D:
        return !async;
    case SPAN_D2H:
        return !async || copy->dst_kind == MEMORY_PAGEABLE;
    case SPAN_H2H:
        return true;
    default:
        return false;
    }
}

static double cost_of(const struct copy_work *copy, bool waits) {
    const struct sim_profile *profile = sim_profile();
    if (copy->kind == SPAN_H2H)
        return profile->call_ns;
    if (copy->kind == SPAN_D2H && copy->dst_kind == MEMORY_PAGEABLE)
        return profile->pageable_d2h_call_ns;
    if (copy->kind == SPAN_D2D)
        return profile->d2d_copy_call_ns;
    return waits ? profile->sync_copy_call_ns : profile->copy_call_ns;
}

/* The host takes the data out of the driver's buffers, or from one place to another, itself. */
static bool host_moves(const struct copy_work *copy) {
    return copy->kind == SPAN_H2H || (copy->kind == SPAN_D2H && copy->dst_kind == MEMORY_PAGEABLE);
}

struct progress {
    const struct op *op;
    bool ended;
};

static bool has_started(const void *what) {
    const struct progress *progress = what;
    return progress->ended || progress->op->started;
}

static bool has_ended(const void *what) {
    return ((const struct progress *)what)->ended;
}

/* Until the copy begins, a blocking wait sleeps. Then the host is at work: recorded on the H200, a
 * copy out took as much CPU time as wall time, less the kernel it had waited for. */
static void run_by_host(struct op *op) {
    struct progress progress = {op, false};
    op->ended = &progress.ended;
    op_submit(op);
    if (waits_block(op->device))
        host_wait(has_started, &progress, true);
    host_wait(has_ended, &progress, false);
}

/* Recorded: without peer access a copy goes through the host in pieces, which the call queues. It
 * waits when no more fit: until what is left is the last that the queue holds. */
static cudaError_t copy_through_host(struct stream *stream, const struct work *work) {
    const struct sim_profile *profile = sim_profile();
    struct work first = *work, last = *work;
    struct progress progress = {NULL, true};
    cudaError_t error;
    size_t most = (size_t)profile->peer_staged_queue_bytes;
    last.copy.through_host_bytes = work->copy.width * work->copy.height;
    call_cost_queueing(profile->copy_call_ns);
    if (work->copy.height == 1 && work->copy.width > most) {
        first.copy.width -= most;
        last.copy.width = most;
        last.copy.dst += first.copy.width;
        last.copy.src += first.copy.width;
        struct op *op = stream_op(stream, &first, &error);
        if (!op)
            return error;
        op->traced = false; /* a tracer sees the last piece */
        op->ended = &progress.ended;
        progress = (struct progress){op, false};
        op_submit(op);
    }
    error = stream_queue(stream, &last);
    call_cost((double)(last.copy.width * last.copy.height) / profile->peer_staged_call_rate);
    host_wait(has_ended, &progress, false);
    return error;
}

static cudaError_t copy_in(struct stream *stream, const struct work *work, bool async) {
    const struct copy_work *copy = &work->copy;
    cudaError_t error;
    if (stream->capture)
        return async ? stream_queue(stream, work) : capture_forbids_stream(stream);
    if (copy->width * copy->height == 0)
        return cudaSuccess;
    if (copy->kind == SPAN_H2D && copy->src_kind == MEMORY_PAGEABLE)
        return copy_from_pageable(stream, work, async);
    if (copy->kind == SPAN_PEER && !copy_is_peer_to_peer(copy))
        return copy_through_host(stream, work);
    bool waits = call_waits(copy, async);
    call_cost_queueing(cost_of(copy, waits));
    if (!waits)
        return stream_queue(stream, work);
    struct op *op = stream_op(stream, work, &error);
    if (op)
        host_moves(copy) ? run_by_host(op) : stream_run(op);
    return error ? error : stream->device->broken;
}

static cudaError_t copy(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                        size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t handle,
                        bool async) {
    struct stream *stream;
    struct work work = {.kind = WORK_COPY};
    cudaError_t error = stream_of(handle, &stream);
    if (!error && !async)
        error = capture_forbids();
    if (!error)
        error = copy_work_new(&work.copy, dst, dst_pitch, src, src_pitch, width, height, kind);
    return error ? error : copy_in(stream, &work, async);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    if (call_enter("cudaMemcpy"))
        return call_leave();
    return call_done(copy(dst, bytes, src, bytes, bytes, 1, kind, NULL, false));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    if (call_enter("cudaMemcpyAsync"))
        return call_leave();
    return call_done(copy(dst, bytes, src, bytes, bytes, 1, kind, stream, true));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (call_enter("cudaMemcpy2D"))
        return call_leave();
    return call_done(copy(dst, dst_pitch, src, src_pitch, width, height, kind, NULL, false));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    if (call_enter("cudaMemcpy2DAsync"))
        return call_leave();
    return call_done(copy(dst, dst_pitch, src, src_pitch, width, height, kind, stream, true));
}

static cudaError_t peer_copy(void *dst, int dst_device, const void *src, int src_device,
                             size_t bytes, cudaStream_t stream, bool async) {
    if (!device_at(dst_device) || !device_at(src_device))
        return cudaErrorInvalidDevice;
    const struct allocation *to = memory_find(dst), *from = memory_find(src);
    if (bytes > 0 && (!to || !from || to->device != dst_device || from->device != src_device))
        return cudaErrorInvalidValue;
    return copy(dst, bytes, src, bytes, bytes, 1, cudaMemcpyDefault, stream, async);
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device,
                           size_t bytes) {
    if (call_enter("cudaMemcpyPeer"))
        return call_leave();
    return call_done(peer_copy(dst, dst_device, src, src_device, bytes, NULL, false));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t bytes, cudaStream_t stream) {
    if (call_enter("cudaMemcpyPeerAsync"))
        return call_leave();
    return call_done(peer_copy(dst, dst_device, src, src_device, bytes, stream, true));
}
