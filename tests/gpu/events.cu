/* Events that stand in for the tracer agree with it, within 20 us, on the same work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "tracer_backend.h"

enum { ROUNDS = 5 };
static const int64_t ms = 1000000, within_ns = 20000;
static const size_t bytes = 64 << 20;

struct work {
    cudaStream_t stream[2];
    char *pinned, *device;
};

static void queue(struct work *w) {
    event_span_begin(w->stream[0], SPAN_H2D, "h2d");
    CUDA_CHECK(cudaMemcpyAsync(w->device, w->pinned, bytes, cudaMemcpyDefault, w->stream[0]));
    event_span_end(w->stream[0]);
    event_span_begin(w->stream[1], SPAN_KERNEL, "sleep_kernel");
    queue_sleep(5 * ms, 1, w->stream[1]);
    event_span_end(w->stream[1]);
    event_span_begin(w->stream[0], SPAN_D2H, "d2h");
    CUDA_CHECK(cudaMemcpyAsync(w->pinned, w->device, bytes, cudaMemcpyDefault, w->stream[0]));
    event_span_end(w->stream[0]);
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void compare(const char *part, const char *other, enum span_kind kind) {
    for (int i = 0; i < ROUNDS; i++) {
        const struct span *a = timeline_find(part, kind, i), *b = timeline_find(other, kind, i);
        if (!a || !b) {
            expect(false, "%s %d is missing", span_kind_name(kind), i);
            continue;
        }
        int64_t start_ns = b->start_ns - a->start_ns, end_ns = b->end_ns - a->end_ns;
        expect(llabs(start_ns) < within_ns && llabs(end_ns) < within_ns,
               "%s %d: events %+lld ns at its start, %+lld ns at its end", span_kind_name(kind), i,
               (long long)start_ns, (long long)end_ns);
    }
}

/* In a run with a tracer both record the same work; else only the events do. */
static void record(struct work *w) {
    for (int i = 0; i < ROUNDS; i++) {
        trace_begin("tracer");
        events_begin();
        queue(w);
        trace_end();
        events_end("events"); /* after it: the two number streams differently */
    }
}

static void stand_in(struct work *w) {
    tracer_disable("switched off");
    tracer_init();
    expect(!tracer_works() && !strcmp(tracer_name(), "none: switched off"), "%s", tracer_name());
    trace_begin("alone");
    queue(w);
    trace_end();
    const struct span *kernel = timeline_find("alone", SPAN_KERNEL, 0);
    const struct span *copy = timeline_find("alone", SPAN_H2D, 0);
    expect(kernel && copy && timeline_find("alone", SPAN_D2H, 0), "events alone make spans");
    expect(kernel && llabs(span_ns(kernel) - 5 * ms) < ms / 2, "a sleep of 5 ms lasts %s",
           show_time(kernel ? (double)span_ns(kernel) : NAN));
    expect(kernel && copy && span_overlap(kernel, copy) > 0.9, "a copy beside it overlaps: %s",
           show_percent(kernel && copy ? span_overlap(kernel, copy) : NAN));
    expect(kernel && timeline_call_of(kernel), "each span has the host's time beside it");
}

int main(void) {
    struct work w;
    gpu_begin("events");
    for (int i = 0; i < 2; i++)
        w.stream[i] = new_stream();
    CUDA_CHECK(cudaMallocHost((void **)&w.pinned, bytes));
    CUDA_CHECK(cudaMalloc((void **)&w.device, bytes));
    queue(&w);
    expect(tracer_works(), "the tracer is %s", tracer_name());
    record(&w);
    compare("tracer", "events", SPAN_H2D);
    compare("tracer", "events", SPAN_KERNEL);
    compare("tracer", "events", SPAN_D2H);
    stand_in(&w);
    CUDA_CHECK(cudaFree(w.device));
    CUDA_CHECK(cudaFreeHost(w.pinned));
    kernels_free();
    return expect_end();
}
