/* copy.c - what a copy is, by the addresses it is given; how long the device takes; moving bytes.
 */
#include <math.h>
#include <string.h>

#include "core.h"

size_t rows_extent(size_t pitch, size_t width, size_t height) {
    size_t bytes;
    if (height == 0 || width == 0)
        return 0;
    return __builtin_mul_overflow(height - 1, pitch, &bytes) ||
                   __builtin_add_overflow(bytes, width, &bytes)
               ? SIZE_MAX
               : bytes;
}

static enum memory_kind kind_of(const void *address, int *device) {
    const struct allocation *allocation = memory_find(address);
    if (!allocation)
        return MEMORY_PAGEABLE;
    *device = allocation->device;
    return allocation->kind;
}

/* What is in an allocation must stay inside it. Other memory must be the program's: on a GPU a copy
 * from or to memory that was freed, or never was, is an error or crashes in the driver. */
static bool in_bounds(const void *address, size_t bytes, enum memory_kind kind) {
    return kind == MEMORY_PAGEABLE ? host_memory_there(address, bytes)
                                   : sim_address_valid(address, bytes);
}

static bool is_host(enum memory_kind kind) {
    return kind == MEMORY_PAGEABLE || kind == MEMORY_PINNED;
}

/* Manual, cudaMemcpyKind: with unified addressing cudaMemcpyDefault is told by the addresses. The
 * other kinds must be possible: the device cannot reach pageable memory, nor the host the device's.
 */
static cudaError_t check_direction(const struct copy_work *copy, enum cudaMemcpyKind kind) {
    bool src_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool dst_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault)
        return cudaSuccess;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (copy->src_kind == (src_device ? MEMORY_PAGEABLE : MEMORY_DEVICE) ||
        copy->dst_kind == (dst_device ? MEMORY_PAGEABLE : MEMORY_DEVICE))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static enum span_kind direction(const struct copy_work *copy, enum cudaMemcpyKind kind) {
    bool from_host = is_host(copy->src_kind) ||
                     (copy->src_kind == MEMORY_MANAGED &&
                      (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost));
    bool to_host = is_host(copy->dst_kind) ||
                   (copy->dst_kind == MEMORY_MANAGED &&
                    (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost));
    if (from_host)
        return to_host ? SPAN_H2H : SPAN_H2D;
    if (to_host)
        return SPAN_D2H;
    return copy->src_device == copy->dst_device ? SPAN_D2D : SPAN_PEER;
}

cudaError_t copy_work_new(struct copy_work *copy, void *dst, size_t dst_pitch, const void *src,
                          size_t src_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    *copy = (struct copy_work){.dst = dst,
                               .src = src,
                               .width = width,
                               .height = height,
                               .dst_pitch = dst_pitch,
                               .src_pitch = src_pitch};
    if (dst_pitch < width || src_pitch < width)
        return cudaErrorInvalidPitchValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (!dst || !src)
        return cudaErrorInvalidValue;
    int device = current_device()->index;
    copy->src_device = copy->dst_device = device;
    copy->src_kind = kind_of(src, &copy->src_device);
    copy->dst_kind = kind_of(dst, &copy->dst_device);
    if (!copy_can_reach(copy, true))
        return cudaErrorInvalidValue;
    if (height > 1 && dst_pitch == width && src_pitch == width) {
        copy->width = width * height; /* no gaps: one piece */
        copy->height = 1;
    }
    copy->kind = direction(copy, kind);
    return check_direction(copy, kind);
}

static double d2h_pageable_ns(const struct copy_work *copy, double bytes) {
    const struct sim_profile *profile = sim_profile();
    double rate = bytes >= profile->pageable_d2h_large_bytes ? profile->pageable_d2h_large_rate
                                                             : profile->pageable_d2h_rate;
    double faults = (double)pages_first_touch(
        copy->dst, rows_extent(copy->dst_pitch, copy->width, copy->height), true);
    return bytes / fmin(rate, profile->d2h_rate) + faults * profile->write_fault_ns;
}

/* Recorded: the larger the copy, the less of it the CPU's caches hold; between the two sizes the
 * time for a byte rises evenly with the size's logarithm. */
double host_ns_per_byte(double bytes, double cached_rate, double rate) {
    const struct sim_profile *profile = sim_profile();
    double cached = profile->stage_cached_bytes, large = profile->stage_large_bytes;
    if (bytes <= cached)
        return 1 / cached_rate;
    if (bytes >= large)
        return 1 / rate;
    return 1 / cached_rate +
           (1 / rate - 1 / cached_rate) * log(bytes / cached) / log(large / cached);
}

/* The host's own copying, with the page faults of memory that was never touched. */
static double h2h_ns(const struct copy_work *copy, double bytes) {
    const struct sim_profile *profile = sim_profile();
    double ns =
        bytes * host_ns_per_byte(bytes, profile->host_copy_cached_rate, profile->host_copy_rate);
    if (copy->src_kind == MEMORY_PAGEABLE)
        ns += (double)pages_first_touch(copy->src, copy->width, false) * profile->read_fault_ns;
    if (copy->dst_kind == MEMORY_PAGEABLE)
        ns += (double)pages_first_touch(copy->dst, copy->width, true) * profile->write_fault_ns;
    return ns;
}

bool copy_is_peer_to_peer(const struct copy_work *copy) {
    const struct sim_device *src = device_at(copy->src_device), *dst = device_at(copy->dst_device);
    return (src->peers >> dst->index & 1) || (dst->peers >> src->index & 1);
}

double copy_duration_ns(const struct op *op) {
    const struct sim_profile *profile = sim_profile();
    const struct copy_work *copy = &op->work.copy;
    double bytes = (double)(copy->width * copy->height);
    switch (copy->kind) {
    case SPAN_H2D:
        if (copy->src_kind == MEMORY_PAGEABLE && !op->snapshot) /* in a graph, or with a pitch */
            return profile->copy_start_ns + bytes / fmin(profile->h2d_rate, profile->stage_rate);
        return profile->copy_start_ns + bytes / profile->h2d_rate;
    case SPAN_D2H:
        if (copy->dst_kind == MEMORY_PAGEABLE)
            return profile->copy_start_ns + d2h_pageable_ns(copy, bytes);
        return profile->copy_start_ns + bytes / profile->d2h_rate;
    case SPAN_PEER:
        if (copy_is_peer_to_peer(copy))
            return profile->peer_start_ns + bytes / profile->peer_rate;
        return profile->peer_staged_start_ns + bytes / profile->peer_staged_rate;
    case SPAN_H2H:
        return h2h_ns(copy, bytes);
    default:
        return profile->d2d_start_ns + bytes / profile->d2d_rate;
    }
}

/* Memory that was there when the copy was queued may have been freed in another stream, or before
 * its graph was launched. */
bool copy_can_reach(const struct copy_work *copy, bool source_too) {
    if (copy->width == 0 || copy->height == 0)
        return true;
    size_t dst_bytes = rows_extent(copy->dst_pitch, copy->width, copy->height);
    size_t src_bytes = rows_extent(copy->src_pitch, copy->width, copy->height);
    return in_bounds(copy->dst, dst_bytes, copy->dst_kind) &&
           (!source_too || in_bounds(copy->src, src_bytes, copy->src_kind));
}

/* The bytes move when the copy ends. What was staged has moved chunk by chunk. */
void copy_effect(struct op *op) {
    const struct copy_work *copy = &op->work.copy;
    const unsigned char *src = op->snapshot ? op->snapshot : copy->src;
    if (op->staging.used || copy->dst == src)
        return;
    for (size_t row = 0; row < copy->height; row++)
        pages_move(copy->dst + row * copy->dst_pitch, src + row * copy->src_pitch, copy->width);
}
