/* event.c - events: a time stamp in a stream, which the host or another stream can wait for. */
#include "core.h"

static struct handles events = {.bytes = sizeof(struct event)};

static cudaError_t event_of(cudaEvent_t handle, struct event **event) {
    *event = (struct event *)handle;
    if (!handle_live(&events, handle) || (*event)->destroyed ||
        (*event)->context != (*event)->device->contexts) /* gone with cudaDeviceReset */
        return cudaErrorInvalidResourceHandle;
    return cudaSuccess;
}

static cudaError_t create(cudaEvent_t *handle, unsigned flags) {
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || (flags & ~known))
        return cudaErrorInvalidValue;
    /* Manual: an interprocess event must not measure time. */
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming))
        return cudaErrorInvalidValue;
    call_cost(sim_profile()->event_create_ns + first_ns(current_device(), FIRST_EVENT));
    struct event *event = handle_new(&events);
    event->device = current_device();
    event->context = event->device->contexts;
    event->flags = flags;
    *handle = (cudaEvent_t)event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    if (call_enter("cudaEventCreate"))
        return call_leave();
    return call_done(create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (call_enter("cudaEventCreateWithFlags"))
        return call_leave();
    return call_done(create(event, flags));
}

static cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
    struct event *event;
    struct stream *stream;
    cudaError_t error = event_of(handle, &event);
    if (!error)
        error = stream_of(stream_handle, &stream);
    if (!error && (flags & ~(unsigned)cudaEventRecordExternal))
        error = cudaErrorInvalidValue;
    /* Manual: event and stream must belong to the same device. */
    if (!error && event->device != stream->device)
        error = cudaErrorInvalidResourceHandle;
    if (error)
        return error;
    call_cost(sim_profile()->event_record_ns);
    if (stream->capture)
        return capture_event_record(stream, event);
    event->capture_id = 0;
    struct work work = {.kind = WORK_EVENT, .event = event};
    error = stream_queue(stream, &work);
    if (!error)
        event->recorded = true;
    return error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (call_enter("cudaEventRecord"))
        return call_leave();
    return call_done(record(event, stream, 0));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    if (call_enter("cudaEventRecordWithFlags"))
        return call_leave();
    return call_done(record(event, stream, flags));
}

/* Of several records of an event only the last counts (manual: cudaEventRecord). */
void event_op_ended(struct op *op) {
    struct event *event = op->work.event;
    if (!event || event->op != op)
        return;
    event->op = NULL;
    event->time_ns = op->end_ns;
    if (event->destroyed)
        handle_free(event);
}

/* An event that was never recorded holds nobody up (manual: cudaStreamWaitEvent). The wait is for
 * the record that was the last one when the wait was queued. */
cudaError_t event_wait_in(struct stream *stream, cudaEvent_t handle) {
    struct event *event;
    cudaError_t error = event_of(handle, &event);
    if (error)
        return error;
    if (stream->capture || event->capture_id)
        return capture_event_wait(stream, event);
    if (!event->op)
        return cudaSuccess;
    struct work work = {.kind = WORK_EMPTY};
    struct op *op = stream_op(stream, &work, &error);
    if (!op)
        return error;
    op_after(op, event->op);
    op_submit(op);
    return cudaSuccess;
}

static cudaError_t event_outside_capture(cudaEvent_t handle, struct event **event) {
    cudaError_t error = event_of(handle, event);
    return !error && (*event)->capture_id ? cudaErrorCapturedEvent : error;
}

static bool has_happened(const void *event) {
    return ((const struct event *)event)->op == NULL;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    struct event *event;
    if (call_enter("cudaEventSynchronize"))
        return call_leave();
    cudaError_t error = event_outside_capture(handle, &event);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->event_sync_ns);
    /* Manual: spins unless the event was made with cudaEventBlockingSync. */
    host_wait(has_happened, event, event->flags & cudaEventBlockingSync);
    return call_done(event->device->broken);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    struct event *event;
    if (call_enter("cudaEventQuery"))
        return call_leave();
    cudaError_t error = event_outside_capture(handle, &event);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->query_ns);
    return call_done(event->op ? cudaErrorNotReady : event->device->broken);
}

/* Manual: both events must have been recorded, with timing; not yet completed: NotReady. The
 * resolution is about half a microsecond. */
static cudaError_t elapsed(float *ms, const struct event *start, const struct event *end) {
    if (!ms)
        return cudaErrorInvalidValue;
    if ((start->flags | end->flags) & cudaEventDisableTiming || !start->recorded ||
        !end->recorded || start->device != end->device)
        return cudaErrorInvalidResourceHandle;
    if (start->op || end->op)
        return cudaErrorNotReady;
    *ms = (float)((double)(end->time_ns - start->time_ns) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start_handle, cudaEvent_t end_handle) {
    struct event *start, *end;
    if (call_enter("cudaEventElapsedTime"))
        return call_leave();
    cudaError_t error = event_of(start_handle, &start);
    if (!error)
        error = event_of(end_handle, &end);
    return call_done(error ? error : elapsed(ms, start, end));
}

/* Manual: may be called before the event has completed; it then goes when it has. */
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    struct event *event;
    if (call_enter("cudaEventDestroy"))
        return call_leave();
    cudaError_t error = event_of(handle, &event);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->call_ns);
    event->destroyed = true;
    node_set_free(&event->captured);
    if (!event->op)
        handle_free(event);
    return call_done(cudaSuccess);
}
