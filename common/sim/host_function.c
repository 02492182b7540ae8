/* host_function.c - functions of the host in streams. */
#include "core.h"

static cudaError_t queue_host_work(cudaStream_t handle, const struct host_work *host) {
    struct stream *stream;
    cudaError_t error = stream_of(handle, &stream);
    if (error)
        return error;
    struct work work = {.kind = WORK_HOST, .host = *host};
    call_cost(sim_profile()->host_function_call_ns +
              first_ns(current_device(), FIRST_HOST_FUNCTION));
    return stream_queue(stream, &work);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (call_enter("cudaLaunchHostFunc"))
        return call_leave();
    if (!function)
        return call_done(cudaErrorInvalidValue);
    struct host_work host = {.function = function, .data = data};
    return call_done(queue_host_work(stream, &host));
}

/* Manual: slated for removal, not for streams under capture; flags must be 0. */
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
    struct stream *stream;
    if (call_enter("cudaStreamAddCallback"))
        return call_leave();
    if (!callback || flags != 0)
        return call_done(cudaErrorInvalidValue);
    cudaError_t error = stream_outside_capture(handle, &stream);
    if (error)
        return call_done(error);
    struct host_work host = {.callback = callback, .data = data};
    return call_done(queue_host_work(handle, &host));
}
