/* host_memory.c - pinned and registered host memory, and what the runtime knows of an address. */
#include "core.h"

static double pages_of(size_t bytes) {
    size_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    return (double)pages;
}

static cudaError_t new_pinned(void **address, size_t bytes, unsigned flags) {
    const struct sim_profile *profile = sim_profile();
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!address || (flags & ~known))
        return cudaErrorInvalidValue;
    cudaError_t error = capture_forbids();
    if (error)
        return error;
    *address = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > SIZE_MAX / 2)
        return cudaErrorMemoryAllocation;
    double piece =
        bytes < profile->malloc_chunk_bytes ? profile->malloc_chunk_bytes : (double)bytes;
    if (pool_serves(current_device(), POOL_PINNED, bytes))
        call_cost(profile->malloc_host_again_ns);
    else
        call_cost(profile->malloc_host_ns + pages_of((size_t)piece) * profile->malloc_host_page_ns);
    struct allocation *allocation = memory_new(bytes, MEMORY_PINNED, current_device()->index);
    if (!allocation)
        return cudaErrorMemoryAllocation;
    allocation->flags = flags;
    *address = allocation->base;
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **address, size_t bytes) {
    if (call_enter("cudaMallocHost"))
        return call_leave();
    return call_done(new_pinned(address, bytes, cudaHostAllocDefault));
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
    if (call_enter("cudaHostAlloc"))
        return call_leave();
    return call_done(new_pinned(address, bytes, flags));
}

/* Like cudaFree: the device may still use the memory, so this waits for its work. */
cudaError_t cudaFreeHost(void *address) {
    const struct sim_profile *profile = sim_profile();
    if (call_enter("cudaFreeHost"))
        return call_leave();
    if (!address)
        return call_done(cudaSuccess);
    struct allocation *allocation = memory_find(address);
    if (!allocation || allocation->base != address || allocation->kind != MEMORY_PINNED ||
        allocation->registered)
        return call_done(cudaErrorInvalidValue);
    struct sim_device *device = device_at(allocation->device);
    host_wait(device_idle, device, waits_block(device));
    call_cost(profile->free_host_ns + pages_of(allocation->bytes) * profile->free_host_page_ns);
    memory_release(address);
    return call_done(cudaSuccess);
}

/* Pinning brings every page into memory: those never touched are faulted in. */
cudaError_t cudaHostRegister(void *address, size_t bytes, unsigned flags) {
    const struct sim_profile *profile = sim_profile();
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (call_enter("cudaHostRegister"))
        return call_leave();
    if (!address || bytes == 0 || (flags & ~known))
        return call_done(cudaErrorInvalidValue);
    if (!host_memory_there(address, bytes))
        return call_done(cudaErrorInvalidValue);
    if (memory_overlaps(address, bytes))
        return call_done(cudaErrorHostMemoryAlreadyRegistered);
    double faults = (double)pages_first_touch(address, bytes, true);
    call_cost(profile->register_ns + pages_of(bytes) * profile->register_page_ns +
              faults * profile->write_fault_ns);
    struct allocation *allocation = memory_add(address, bytes);
    allocation->device = current_device()->index;
    allocation->flags = flags;
    return call_done(cudaSuccess);
}

cudaError_t cudaHostUnregister(void *address) {
    const struct sim_profile *profile = sim_profile();
    if (call_enter("cudaHostUnregister"))
        return call_leave();
    if (!address)
        return call_done(cudaErrorInvalidValue);
    struct allocation *allocation = memory_find(address);
    if (!allocation || allocation->base != address || !allocation->registered)
        return call_done(cudaErrorHostMemoryNotRegistered);
    struct sim_device *device = device_at(allocation->device);
    host_wait(device_idle, device, waits_block(device));
    call_cost(profile->unregister_ns + pages_of(allocation->bytes) * profile->unregister_page_ns);
    memory_release(address);
    return call_done(cudaSuccess);
}

/* With unified addressing the device uses the host's pointer as it is. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    if (call_enter("cudaHostGetDevicePointer"))
        return call_leave();
    const struct allocation *allocation = memory_find(host);
    if (!device || flags || !allocation || allocation->kind != MEMORY_PINNED)
        return call_done(cudaErrorInvalidValue);
    *device = host;
    return call_done(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    if (call_enter("cudaHostGetFlags"))
        return call_leave();
    const struct allocation *allocation = memory_find(host);
    if (!flags || !allocation || allocation->kind != MEMORY_PINNED || allocation->registered)
        return call_done(cudaErrorInvalidValue);
    *flags = allocation->flags | cudaHostAllocMapped;
    return call_done(cudaSuccess);
}

/* Manual: for host memory that CUDA does not know, success and cudaMemoryTypeUnregistered. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *address) {
    if (call_enter("cudaPointerGetAttributes"))
        return call_leave();
    if (!attributes)
        return call_done(cudaErrorInvalidValue);
    static const enum cudaMemoryType types[] = {
        [MEMORY_PAGEABLE] = cudaMemoryTypeUnregistered,
        [MEMORY_PINNED] = cudaMemoryTypeHost,
        [MEMORY_DEVICE] = cudaMemoryTypeDevice,
        [MEMORY_MANAGED] = cudaMemoryTypeManaged,
    };
    const struct allocation *allocation = memory_find(address);
    enum memory_kind kind = allocation ? allocation->kind : MEMORY_PAGEABLE;
    attributes->type = types[kind];
    attributes->device = allocation ? allocation->device : -2;
    attributes->devicePointer = allocation ? (void *)address : NULL;
    attributes->hostPointer = kind == MEMORY_DEVICE ? NULL : (void *)address;
    return call_done(cudaSuccess);
}
