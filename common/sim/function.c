/* function.c - what a kernel says about itself, and the occupancy calculator. */
#include <math.h>

#include "core.h"

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    const struct sim_profile *profile = sim_profile();
    if (call_enter("cudaFuncGetAttributes"))
        return call_leave();
    if (!attributes)
        return call_done(cudaErrorInvalidValue);
    if (!function)
        return call_done(cudaErrorInvalidDeviceFunction);
    struct sim_kernel_model *model = model_of(function);
    load_module(current_device(), model);
    call_cost(profile->call_ns);
    int architecture = (int)(profile->cc_major * 10 + profile->cc_minor);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = model->static_shared_bytes,
        .maxThreadsPerBlock = (int)profile->block_threads,
        .numRegs = model->registers,
        .ptxVersion = architecture,
        .binaryVersion = architecture,
        .maxDynamicSharedSizeBytes = (int)((model->shared_allowed ? (double)model->shared_allowed
                                                                  : profile->block_shared_bytes) -
                                           (double)model->static_shared_bytes),
    };
    return call_done(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
    if (call_enter("cudaFuncSetAttribute"))
        return call_leave();
    if (!function)
        return call_done(cudaErrorInvalidDeviceFunction);
    struct sim_kernel_model *model = model_of(function);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return call_done(attribute == cudaFuncAttributePreferredSharedMemoryCarveout
                             ? cudaSuccess
                             : cudaErrorInvalidValue);
    double bytes = (double)value + (double)model->static_shared_bytes;
    if (value < 0 || bytes > sim_profile()->block_shared_optin_bytes)
        return call_done(cudaErrorInvalidValue);
    model->shared_allowed = (size_t)bytes;
    return call_done(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    (void)config; /* a preference: the model has no caches */
    if (call_enter("cudaFuncSetCacheConfig"))
        return call_leave();
    return call_done(function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    if (call_enter("cudaFuncGetName"))
        return call_leave();
    if (!name)
        return call_done(cudaErrorInvalidValue);
    if (!function)
        return call_done(cudaErrorInvalidDeviceFunction);
    *name = model_of(function)->name;
    return call_done(cudaSuccess);
}

static cudaError_t occupancy(int *blocks, const void *function, int threads, size_t shared) {
    if (!blocks || threads < 1)
        return cudaErrorInvalidValue;
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    call_cost(sim_profile()->call_ns);
    bool possible =
        threads <= sim_profile()->block_threads && (double)shared <= sim_profile()->sm_shared_bytes;
    *blocks = !possible ? 0 : sim_resident_blocks(model_of(function), threads, shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared) {
    if (call_enter("cudaOccupancyMaxActiveBlocksPerMultiprocessor"))
        return call_leave();
    return call_done(occupancy(blocks, function, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
    if (call_enter("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"))
        return call_leave();
    if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return call_done(cudaErrorInvalidValue);
    return call_done(occupancy(blocks, function, threads, shared));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int threads) {
    if (call_enter("cudaOccupancyAvailableDynamicSMemPerBlock"))
        return call_leave();
    if (!bytes || blocks < 1 || threads < 1)
        return call_done(cudaErrorInvalidValue);
    if (!function)
        return call_done(cudaErrorInvalidDeviceFunction);
    const struct sim_profile *profile = sim_profile();
    struct sim_kernel_model *model = model_of(function);
    double each = floor(profile->sm_shared_bytes / blocks / 128) * 128 -
                  profile->reserved_shared_bytes - (double)model->static_shared_bytes;
    double most = profile->block_shared_bytes - (double)model->static_shared_bytes;
    *bytes = (size_t)fmax(0, fmin(each, most));
    return call_done(cudaSuccess);
}
