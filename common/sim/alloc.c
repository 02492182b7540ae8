/* alloc.c - device and managed memory: cudaMalloc, cudaFree, and their stream-ordered kin. */
#include "core.h"

static cudaError_t new_memory(void **address, size_t bytes, enum memory_kind kind) {
    if (bytes == 0) { /* succeeds and gives NULL, as on a GPU */
        *address = NULL;
        return cudaSuccess;
    }
    struct allocation *allocation = memory_new(bytes, kind, current_device()->index);
    if (!allocation)
        return cudaErrorMemoryAllocation;
    *address = allocation->base;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **address, size_t bytes) {
    if (call_enter("cudaMalloc"))
        return call_leave();
    cudaError_t error = address ? capture_forbids() : cudaErrorInvalidValue;
    if (error)
        return call_done(error);
    call_cost(pool_serves(current_device(), POOL_DEVICE, bytes) ? sim_profile()->malloc_again_ns
                                                                : sim_profile()->malloc_ns);
    return call_done(new_memory(address, bytes, MEMORY_DEVICE));
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
    enum { PITCH = 512 };
    if (call_enter("cudaMallocPitch"))
        return call_leave();
    cudaError_t error = address && pitch ? capture_forbids() : cudaErrorInvalidValue;
    if (error)
        return call_done(error);
    call_cost(sim_profile()->malloc_ns);
    size_t bytes;
    if (width > SIZE_MAX - PITCH)
        return call_done(cudaErrorMemoryAllocation);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (__builtin_mul_overflow(*pitch, height, &bytes))
        return call_done(cudaErrorMemoryAllocation);
    return call_done(new_memory(address, bytes, MEMORY_DEVICE));
}

cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
    if (call_enter("cudaMallocManaged"))
        return call_leave();
    if (!address || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return call_done(cudaErrorInvalidValue);
    cudaError_t error = capture_forbids();
    if (error)
        return call_done(error);
    call_cost(sim_profile()->malloc_ns);
    return call_done(new_memory(address, bytes, MEMORY_MANAGED));
}

/* Not said in the manual's description, and so on every driver: cudaFree waits for the device's
 * work, for that may use the memory (programming guide: stream-ordered allocator, introduction). */
cudaError_t cudaFree(void *address) {
    if (call_enter("cudaFree"))
        return call_leave();
    if (!address) {
        call_cost(sim_profile()->query_ns);
        return call_done(cudaSuccess);
    }
    struct allocation *allocation = memory_find(address);
    if (!allocation || allocation->base != address || allocation->freeing ||
        allocation->kind == MEMORY_PINNED)
        return call_done(cudaErrorInvalidValue);
    cudaError_t error = capture_forbids();
    if (error)
        return call_done(error);
    struct sim_device *device = device_at(allocation->device);
    host_wait(device_idle, device, waits_block(device));
    call_cost(sim_profile()->free_ns);
    memory_release(address);
    return call_done(device->broken);
}

/* Manual, stream-ordered allocator: the address is known at once; the memory may be used by work
 * that comes later in this stream, or is ordered behind it. */
static cudaError_t malloc_in_stream(void **address, size_t bytes, cudaStream_t handle) {
    struct stream *stream;
    struct work work = {.kind = WORK_EMPTY};
    cudaError_t error = address ? stream_outside_capture(handle, &stream) : cudaErrorInvalidValue;
    if (error)
        return error;
    call_cost(sim_profile()->malloc_async_ns);
    error = new_memory(address, bytes, MEMORY_DEVICE);
    return error ? error : stream_queue(stream, &work);
}

cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
    if (call_enter("cudaMallocAsync"))
        return call_leave();
    return call_done(malloc_in_stream(address, bytes, stream));
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t handle) {
    struct stream *stream;
    if (call_enter("cudaFreeAsync"))
        return call_leave();
    cudaError_t error = stream_outside_capture(handle, &stream);
    if (error || !address)
        return call_done(error);
    struct allocation *allocation = memory_find(address);
    if (!allocation || allocation->base != address || allocation->kind != MEMORY_DEVICE ||
        allocation->freeing)
        return call_done(cudaErrorInvalidValue);
    call_cost(sim_profile()->free_async_ns);
    allocation->freeing = true;
    struct work work = {.kind = WORK_FREE, .free_address = address};
    return call_done(stream_queue(stream, &work));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    if (call_enter("cudaMemGetInfo"))
        return call_leave();
    if (!free_bytes || !total_bytes)
        return call_done(cudaErrorInvalidValue);
    call_cost(sim_profile()->call_ns);
    *total_bytes = (size_t)sim_profile()->memory_bytes;
    *free_bytes = *total_bytes - current_device()->used_bytes;
    return call_done(cudaSuccess);
}

/* Managed memory is one address for all; where it lies costs nothing in this model. */
static cudaError_t managed_range(const void *address, size_t bytes) {
    const struct allocation *allocation = memory_find(address);
    if (!allocation || allocation->kind != MEMORY_MANAGED || bytes == 0 ||
        !sim_address_valid(address, bytes))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t location_valid(struct cudaMemLocation location) {
    bool device = location.type == cudaMemLocationTypeDevice;
    if (!device && location.type != cudaMemLocationTypeHost &&
        location.type != cudaMemLocationTypeHostNuma &&
        location.type != cudaMemLocationTypeHostNumaCurrent)
        return cudaErrorInvalidValue;
    return device && !device_at(location.id) ? cudaErrorInvalidDevice : cudaSuccess;
}

/* Manual: asynchronous in the stream; to the host, the pages are moved with host memory's rate. */
cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, struct cudaMemLocation to,
                                 unsigned flags, cudaStream_t handle) {
    struct stream *stream;
    if (call_enter("cudaMemPrefetchAsync"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error)
        error = flags ? cudaErrorInvalidValue : managed_range(address, bytes);
    if (!error)
        error = location_valid(to);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->copy_call_ns);
    bool to_device = to.type == cudaMemLocationTypeDevice;
    struct work work = {.kind = WORK_COPY};
    work.copy = (struct copy_work){
        .dst = (unsigned char *)address,
        .src = address,
        .width = bytes,
        .height = 1,
        .kind = to_device ? SPAN_H2D : SPAN_D2H,
        .src_kind = MEMORY_MANAGED,
        .dst_kind = MEMORY_MANAGED,
        .src_device = stream->device->index,
        .dst_device = stream->device->index,
    };
    return call_done(stream_queue(stream, &work));
}

cudaError_t cudaMemAdvise(const void *address, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    /* Manual: these say where; the others ignore the location. The advice itself is a hint. */
    bool says_where =
        advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy;
    if (call_enter("cudaMemAdvise"))
        return call_leave();
    call_cost(sim_profile()->call_ns);
    cudaError_t error = managed_range(address, bytes);
    if (!error && (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy))
        error = cudaErrorInvalidValue;
    return call_done(!error && says_where ? location_valid(location) : error);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *address, size_t bytes,
                                     unsigned flags) {
    struct stream *stream;
    if (call_enter("cudaStreamAttachMemAsync"))
        return call_leave();
    cudaError_t error = stream_of(handle, &stream);
    if (!error)
        error = managed_range(address, 1);
    /* Manual: the whole allocation, by its start; exactly one of the three flags. */
    if (!error && (memory_find(address)->base != address ||
                   (bytes != 0 && bytes != memory_find(address)->bytes) ||
                   (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
                    flags != cudaMemAttachSingle)))
        error = cudaErrorInvalidValue;
    return call_done(error);
}
