/* stream.c - streams: order within one, and between the NULL stream and the others. */
#include <stdlib.h>

#include "core.h"

static struct handles streams = {.bytes = sizeof(struct stream)};
static int lanes_made;

int new_lane(void) {
    return lanes_made++;
}

static struct stream *stream_new(struct sim_device *device, unsigned flags, int priority) {
    struct stream *stream = handle_new(&streams);
    stream->device = device;
    stream->number = new_lane();
    stream->flags = flags;
    stream->priority = priority;
    return stream;
}

void stream_init_null(struct sim_device *device) {
    device->null_stream = stream_new(device, cudaStreamDefault, 0);
    device->null_stream->null_stream = true;
}

cudaError_t stream_of(cudaStream_t handle, struct stream **stream) {
    if (!handle || handle == cudaStreamLegacy) {
        *stream = current_device()->null_stream;
        return cudaSuccess;
    }
    if (handle == cudaStreamPerThread)
        return cudaErrorNotSupported; /* the labs have one thread */
    *stream = (struct stream *)handle;
    if (!handle_live(&streams, handle) || (*stream)->destroyed)
        return cudaErrorInvalidResourceHandle;
    return (*stream)->device->broken;
}

cudaError_t stream_outside_capture(cudaStream_t handle, struct stream **stream) {
    cudaError_t error = stream_of(handle, stream);
    return error ? error : capture_forbids_stream(*stream);
}

static bool waits_for_null_stream(const struct stream *stream) {
    return !stream->null_stream && !(stream->flags & cudaStreamNonBlocking);
}

/* Manual, stream synchronization behavior, legacy default stream: what is queued in the NULL
 * stream waits for everything queued before in the device's blocking streams, and they wait for
 * it; streams made with cudaStreamNonBlocking take no part. */
static void order(struct op *op, struct stream *stream) {
    struct sim_device *device = stream->device;
    op_after(op, stream->tail);
    if (waits_for_null_stream(stream))
        op_after(op, device->null_stream->tail);
    if (stream->null_stream)
        for (struct stream *other = device->streams; other; other = other->next)
            if (waits_for_null_stream(other))
                op_after(op, other->tail);
}

/* The driver's queue holds so many operations; a call that finds it full waits until one ends.
 * Documented nowhere; measured, and reported by many (a launch then takes as long as a kernel). */
static bool has_room(const void *what) {
    const struct stream *stream = what;
    return stream->pending < sim_profile()->launch_queue_depth;
}

bool capture_next_to_null_stream(const struct stream *stream) {
    if (!stream->null_stream)
        return false;
    for (const struct stream *other = stream->device->streams; other; other = other->next)
        if (other->capture && waits_for_null_stream(other))
            return true;
    return false;
}

struct op *stream_op(struct stream *stream, const struct work *work, cudaError_t *error) {
    *error = cudaSuccess;
    if (stream->capture) {
        *error = capture_work(stream, work);
        return NULL;
    }
    if (capture_next_to_null_stream(stream)) {
        *error = cudaErrorStreamCaptureImplicit;
        return NULL;
    }
    if (!has_room(stream))
        host_wait(has_room, stream, false);
    call_cost(tracer_extra_ns());
    struct op *op = op_new(work, stream, false);
    order(op, stream);
    stream->tail = op;
    return op;
}

static bool is_true(const void *flag) {
    return *(const bool *)flag;
}

void stream_run(struct op *op) {
    bool ended = false, blocking = waits_block(op->device);
    op->ended = &ended;
    op_submit(op);
    host_wait(is_true, &ended, blocking);
}

/* CUDA_LAUNCH_BLOCKING=1 (programming guide, environment variables): launches wait. */
static bool launches_block(void) {
    const char *text = getenv("CUDA_LAUNCH_BLOCKING");
    return text && *text && *text != '0';
}

cudaError_t stream_queue(struct stream *stream, const struct work *work) {
    cudaError_t error;
    struct op *op = stream_op(stream, work, &error);
    if (!op)
        return error;
    if (work->kind == WORK_KERNEL && launches_block())
        stream_run(op);
    else
        op_submit(op);
    return cudaSuccess;
}

static void stream_free(struct stream *stream) {
    struct stream **at = &stream->device->streams;
    while (*at && *at != stream)
        at = &(*at)->next;
    if (*at)
        *at = stream->next;
    node_set_free(&stream->captured);
    handle_free(stream);
}

void stream_op_ended(struct op *op) {
    struct stream *stream = op->stream;
    if (stream->tail == op)
        stream->tail = NULL;
    if (--stream->pending == 0 && stream->destroyed)
        stream_free(stream);
}

/* The NULL stream is idle when the streams it waits for are idle as well. */
static bool stream_idle(const void *what) {
    const struct stream *stream = what;
    if (stream->pending)
        return false;
    if (stream->null_stream)
        for (const struct stream *other = stream->device->streams; other; other = other->next)
            if (other->pending && waits_for_null_stream(other))
                return false;
    return true;
}

void stream_wait(struct stream *stream) {
    host_wait(stream_idle, stream, waits_block(stream->device));
}

void streams_reset(struct sim_device *device) {
    while (device->streams)
        stream_free(device->streams);
}

static cudaError_t create(cudaStream_t *handle, unsigned flags, int priority) {
    if (!handle || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    struct sim_device *device = current_device();
    int greatest = -((int)sim_profile()->priority_levels - 1);
    /* Manual: a priority outside the range is taken as the nearest one in it. */
    priority = priority > 0 ? 0 : priority < greatest ? greatest : priority;
    call_cost(sim_profile()->stream_create_ns);
    struct stream *stream = stream_new(device, flags, priority);
    stream->next = device->streams;
    device->streams = stream;
    *handle = (cudaStream_t)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    if (call_enter("cudaStreamCreate"))
        return call_leave();
    return call_done(create(stream, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    if (call_enter("cudaStreamCreateWithFlags"))
        return call_leave();
    return call_done(create(stream, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (call_enter("cudaStreamCreateWithPriority"))
        return call_leave();
    return call_done(create(stream, flags, priority));
}

/* Manual: returns at once; what the stream still has to do is done, then it goes. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    struct stream *stream;
    if (call_enter("cudaStreamDestroy"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (error || stream->null_stream)
        return call_done(cudaErrorInvalidResourceHandle);
    if (stream->capture)
        return call_done(capture_forbids_stream(stream));
    call_cost(sim_profile()->stream_destroy_ns);
    stream->destroyed = true;
    if (stream->pending == 0)
        stream_free(stream);
    return call_done(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    struct stream *stream;
    if (call_enter("cudaStreamSynchronize"))
        return call_leave();
    cudaError_t error = stream_outside_capture(handle, &stream);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->stream_sync_ns);
    stream_wait(stream);
    return call_done(stream->device->broken);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    struct stream *stream;
    if (call_enter("cudaStreamQuery"))
        return call_leave();
    cudaError_t error = stream_outside_capture(handle, &stream);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->query_ns);
    return call_done(stream_idle(stream) ? stream->device->broken : cudaErrorNotReady);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    struct stream *stream;
    if (call_enter("cudaStreamWaitEvent"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error && flags & ~(unsigned)cudaEventWaitExternal)
        error = cudaErrorInvalidValue;
    if (error)
        return call_done(error);
    call_cost(sim_profile()->stream_wait_call_ns);
    return call_done(event_wait_in(stream, event));
}
