/* stream_get.c - what a stream says about itself. */
#include "core.h"

static cudaError_t stream_asked(cudaStream_t handle, const void *answer, struct stream **stream) {
    cudaError_t error = stream_of(handle, stream);
    return error || answer ? error : cudaErrorInvalidValue;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    struct stream *stream;
    if (call_enter("cudaStreamGetPriority"))
        return call_leave();
    cudaError_t error = stream_asked(handle, priority, &stream);
    if (!error)
        *priority = stream->priority;
    return call_done(error);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    struct stream *stream;
    if (call_enter("cudaStreamGetFlags"))
        return call_leave();
    cudaError_t error = stream_asked(handle, flags, &stream);
    if (!error)
        *flags = stream->flags;
    return call_done(error);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    struct stream *stream;
    if (call_enter("cudaStreamGetId"))
        return call_leave();
    cudaError_t error = stream_asked(handle, id, &stream);
    if (!error)
        *id = (unsigned long long)stream->number;
    return call_done(error);
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
    struct stream *stream;
    if (call_enter("cudaStreamGetDevice"))
        return call_leave();
    cudaError_t error = stream_asked(handle, device, &stream);
    if (!error)
        *device = stream->device->index;
    return call_done(error);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (call_enter("cudaDeviceGetStreamPriorityRange"))
        return call_leave();
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -((int)sim_profile()->priority_levels - 1);
    return call_done(cudaSuccess);
}
