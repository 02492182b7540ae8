/* beside.cu - a copy beside kernels that fill its GPUs. */
#include <math.h>

#include "beside.h"
#include "lab.h"
#include "pattern.h"
#include "queued.h"
#include "text.h"
#include "traced.h"

/* One way while it is measured: [0] there, [1] back. */
struct run {
    const struct way *way;
    struct call call[2];
    struct samples copy_ns[2]; /* by events round the call */
    double last_ns[2];         /* ... in the last round, which is the traced one */
};

static bool inside(const struct way *way) {
    return way->from == way->to;
}

/* The GPU whose stream takes the copy. */
static const struct gpu *owner(const struct way *way, bool back) {
    return way->to_stream != back ? way->to : way->from;
}

static void queue_copy(struct run *run, bool back) {
    const struct way *way = run->way;
    const struct gpu *from = back ? way->to : way->from, *to = back ? way->from : way->to;
    const struct gpu *of = owner(way, back);
    cudaStream_t stream = way->own ? of->kernel_stream : of->copy_stream;
    cudaEvent_t earlier = way->own ? of->kernel_end : NULL;
    CUDA_CHECK(cudaEventRecord(of->copy_start, stream));
    if (inside(way)) {
        event_span_begin(stream, SPAN_D2D, "copy");
        QUEUE_CALL(
            &run->call[back], earlier, stream,
            cudaMemcpyAsync(to->receive, from->send, way->bytes, cudaMemcpyDeviceToDevice, stream));
        event_span_end(stream);
    } else {
        QUEUE_CALL(&run->call[back], earlier, stream,
                   cudaMemcpyPeerAsync(to->receive, to->index, from->send, from->index, way->bytes,
                                       stream));
    }
    CUDA_CHECK(cudaEventRecord(of->copy_end, stream));
}

static void keep_copy(struct run *run, bool back) {
    const struct gpu *of = owner(run->way, back);
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, of->copy_start, of->copy_end));
    run->last_ns[back] = (double)ms * 1e6;
    keep(&run->copy_ns[back], run->last_ns[back]);
}

static void copy_beside_kernels(void *state) {
    struct run *run = (struct run *)state;
    const struct way *way = run->way;
    gpu_sleep(way->from, way->half ? (way->from->sms + 1) / 2 : way->from->capacity,
              way->kernel_ns);
    if (!inside(way))
        gpu_sleep(way->to, way->to->capacity, way->kernel_ns);
    queue_copy(run, false);
    if (way->both)
        queue_copy(run, true);
    gpu_wait(way->from);
    gpu_wait(way->to);
    keep_copy(run, false);
    if (way->both)
        keep_copy(run, true);
}

/* Two copies that together take less time than one after the other would run at the same time.
 * Events tell no more: the second may have waited for its turn after the event before it. */
static double least_together(const struct span *copy, const struct span *back, double alone_ns) {
    int64_t start_ns = copy->start_ns < back->start_ns ? copy->start_ns : back->start_ns;
    int64_t end_ns = copy->end_ns > back->end_ns ? copy->end_ns : back->end_ns;
    return fmin(1, fmax(0, (2 * alone_ns - (double)(end_ns - start_ns)) / alone_ns));
}

static void look_at_back(const struct run *run, const char *part, const struct traced *copy,
                         struct seen *seen) {
    const struct way *way = run->way;
    struct traced back;
    struct span call;
    if (!traced_copy(part, 1, owner(way, true)->index, run->last_ns[1], &back))
        return;
    if (copy->by_events || back.by_events) {
        seen->over_back = least_together(&copy->span, &back.span, way->alone_ns);
        return;
    }
    seen->over_back = span_overlap(&copy->span, &back.span);
    if (traced_call(part, 1, &call))
        seen->back_held_ns = back.span.start_ns - call.end_ns;
}

static void look_at_trace(const struct run *run, const char *part, struct seen *seen) {
    const struct way *way = run->way;
    struct traced copy;
    seen->copy_ns = seen->events_ns = median_of(&run->copy_ns[0]);
    seen->back_ns = way->both ? median_of(&run->copy_ns[1]) : NAN;
    seen->over_from = seen->over_to = seen->over_back = seen->begun_at = NAN;
    if (!inside(way) && !tracer_works())
        return;
    if (traced_copy(part, 0, owner(way, false)->index, run->last_ns[0], &copy)) {
        if (tracer_works() && !copy.by_events)
            seen->copy_ns = (double)span_ns(&copy.span);
        seen->recorded = copy.staged ? RECORDED_STAGED : RECORDED_DIRECT;
        seen->disbelieved_ns = copy.disbelieved_ns;
        seen->disbelieved_kind = copy.disbelieved_kind;
    } else {
        seen->call_stands_in = seen->copy_done && traced_call(part, 0, &copy.span);
        if (!seen->call_stands_in)
            return;
    }
    seen->over_from = overlap_with_kernel(&copy, part, way->from->index);
    seen->over_to = overlap_with_kernel(&copy, part, way->to->index);
    seen->begun_at = fmax(begun_in_kernel(&copy, part, way->from->index),
                          begun_in_kernel(&copy, part, way->to->index));
    if (way->both)
        look_at_back(run, part, &copy, seen);
}

static void store(const struct run *run, const struct seen *seen, const char *letter,
                  const char *words) {
    double bytes = (double)run->way->bytes;
    result(letter, text("return %s", words), "ns", &run->call[0].returned);
    result(letter, text("copy %s", words), "ns", &run->copy_ns[0]);
    result_value(letter, text("rate %s", words), "bytes/ns", bytes / seen->copy_ns);
    result_value(letter, text("overlap from-kernel %s", words), "share", seen->over_from);
    if (!inside(run->way))
        result_value(letter, text("overlap to-kernel %s", words), "share", seen->over_to);
    result_value(letter, text("begun at %s", words), "share", seen->begun_at);
    if (run->way->both) {
        result(letter, text("back copy %s", words), "ns", &run->copy_ns[1]);
        result_value(letter, text("overlap back-copy %s", words), "share", seen->over_back);
    }
    if (!inside(run->way) && seen->recorded)
        result_value(letter, text("staged %s", words), "count", seen->recorded == RECORDED_STAGED);
    result_value(letter, text("wrong bytes %s", words), "bytes", (double)seen->wrong_bytes);
}

/* What is there before must not be taken for what a copy brought: the target gets other bytes. */
static void fill(const struct gpu *from, const struct gpu *to, size_t bytes, uint64_t seed) {
    CUDA_CHECK(cudaSetDevice(to->index));
    CUDA_CHECK(cudaMemset(to->receive, 0xa5, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaSetDevice(from->index));
    pattern_fill(from->send, bytes, seed);
    CUDA_CHECK(cudaSetDevice(device()->index));
}

static uint64_t wrong_bytes(const struct gpu *at, size_t bytes, uint64_t seed) {
    CUDA_CHECK(cudaSetDevice(at->index));
    uint64_t wrong = pattern_wrong_bytes(at->receive, bytes, seed);
    CUDA_CHECK(cudaSetDevice(device()->index));
    return wrong;
}

struct seen way_run(const struct way *way, const char *letter, const char *part, const char *words,
                    int rounds) {
    static uint64_t seed;
    static struct run run;
    struct seen seen = {};
    run = (struct run){};
    run.way = way;
    seed += 2;
    fill(way->from, way->to, way->bytes, seed);
    if (way->both)
        fill(way->to, way->from, way->bytes, seed + 1);
    part_rounds(part, rounds, copy_beside_kernels, &run);
    seen.return_ns = median_of(&run.call[0].returned);
    seen.copy_done = mostly(&run.call[0].own_done);
    seen.kernel_waited = way->own && mostly(&run.call[0].waited);
    seen.wrong_bytes = wrong_bytes(way->to, way->bytes, seed);
    if (way->both)
        seen.wrong_bytes += wrong_bytes(way->from, way->bytes, seed + 1);
    look_at_trace(&run, part, &seen);
    store(&run, &seen, letter, words);
    return seen;
}
