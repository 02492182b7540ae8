/* memset.c - cudaMemset and its kin. Manual: asynchronous, except when the target is pinned host
 * memory; measured the same. */
#include <string.h>

#include "core.h"

double memset_duration_ns(const struct op *op) {
    const struct sim_profile *profile = sim_profile();
    double rate = op->work.memset.kind == MEMORY_PINNED ? profile->d2h_rate : profile->memset_rate;
    return profile->memset_start_ns + (double)work_bytes(&op->work) / rate;
}

static void fill_row(unsigned char *row, const struct memset_work *memset_work) {
    size_t bytes = memset_work->width * memset_work->element_bytes;
    if (memset_work->value == 0)
        pages_zero(row, bytes);
    else if (memset_work->element_bytes == 1)
        memset(row, (int)memset_work->value, bytes);
    else
        for (size_t i = 0; i < bytes; i += memset_work->element_bytes)
            memcpy(row + i, &memset_work->value, memset_work->element_bytes);
}

bool memset_can_reach(const struct memset_work *work) {
    size_t row_bytes = work->width * work->element_bytes;
    return row_bytes == 0 || work->height == 0 ||
           sim_address_valid(work->dst, rows_extent(work->pitch, row_bytes, work->height));
}

void memset_effect(const struct memset_work *memset_work) {
    for (size_t row = 0; row < memset_work->height; row++)
        fill_row(memset_work->dst + row * memset_work->pitch, memset_work);
}

cudaError_t memset_work_new(struct memset_work *memset_work, void *dst, size_t pitch,
                            unsigned value, unsigned element_bytes, size_t width, size_t height) {
    size_t row_bytes;
    if (__builtin_mul_overflow(width, (size_t)element_bytes, &row_bytes))
        return cudaErrorInvalidValue;
    *memset_work = (struct memset_work){.dst = dst,
                                        .width = width,
                                        .height = height,
                                        .pitch = pitch,
                                        .value = element_bytes == 1 ? value & 0xff : value,
                                        .element_bytes = element_bytes};
    if (row_bytes == 0 || height == 0)
        return cudaSuccess;
    if (height > 1 && pitch < row_bytes)
        return cudaErrorInvalidValue;
    const struct allocation *allocation = memory_find(dst);
    if (!allocation || !sim_address_valid(dst, rows_extent(pitch, row_bytes, height)))
        return cudaErrorInvalidValue;
    memset_work->kind = allocation->kind;
    return cudaSuccess;
}

static cudaError_t fill(void *dst, size_t pitch, int value, size_t width, size_t height,
                        cudaStream_t handle, bool async) {
    struct stream *stream;
    struct work work = {.kind = WORK_MEMSET};
    cudaError_t error = stream_of(handle, &stream);
    if (!error && !async)
        error = capture_forbids();
    if (!error)
        error = memset_work_new(&work.memset, dst, pitch, (unsigned)value, 1, width, height);
    if (error || width == 0 || height == 0)
        return error;
    call_cost(sim_profile()->memset_call_ns);
    if (async || work.memset.kind != MEMORY_PINNED)
        return stream_queue(stream, &work);
    struct op *op = stream_op(stream, &work, &error);
    if (op)
        stream_run(op);
    return error;
}

cudaError_t cudaMemset(void *dst, int value, size_t bytes) {
    if (call_enter("cudaMemset"))
        return call_leave();
    return call_done(fill(dst, bytes, value, bytes, 1, NULL, false));
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
    if (call_enter("cudaMemsetAsync"))
        return call_leave();
    return call_done(fill(dst, bytes, value, bytes, 1, stream, true));
}

cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
    if (call_enter("cudaMemset2D"))
        return call_leave();
    return call_done(fill(dst, pitch, value, width, height, NULL, false));
}

cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    if (call_enter("cudaMemset2DAsync"))
        return call_leave();
    return call_done(fill(dst, pitch, value, width, height, stream, true));
}
