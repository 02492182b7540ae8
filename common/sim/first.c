/* first.c - what costs more the first time in a context: some things are set up when they are first
 * used, and memory is taken from the system in larger pieces than asked for. */
#include "core.h"

double first_ns(struct sim_device *device, enum first what) {
    const struct sim_profile *profile = sim_profile();
    const double ns[FIRSTS] = {
        [FIRST_MODULE] = profile->module_load_ns,
        [FIRST_LAUNCH] = profile->first_launch_ns,
        [FIRST_EVENT] = profile->first_event_ns,
        [FIRST_HOST_FUNCTION] = profile->first_host_function_ns,
        [FIRST_CUBLAS] = profile->first_cublas_ns,
        [FIRST_PRODUCT] = profile->first_product_ns,
        [FIRST_PAGEABLE] = profile->first_pageable_ns,
    };
    if (device->used[what])
        return 0;
    device->used[what] = true;
    return ns[what];
}

bool pool_serves(struct sim_device *device, enum pool pool, size_t bytes) {
    size_t chunk = (size_t)sim_profile()->malloc_chunk_bytes;
    if (bytes <= device->pool_bytes[pool]) {
        device->pool_bytes[pool] -= bytes;
        return true;
    }
    if (bytes < chunk)
        device->pool_bytes[pool] = chunk - bytes;
    return false;
}
