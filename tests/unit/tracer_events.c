/* Spans from events, on the simulated GPU, whose own schedule says what is right. */
#include "tap.h"

#include <stdlib.h>

#include "clock.h"
#include "device.h"
#include "error.h"
#include "tracer.h"
#include "tracer_backend.h"

enum { BYTES = 32 << 20, WITHIN_NS = 20000 };

static cudaStream_t streams[2];
static char *pinned, *pageable, *on_device;

static void copy_both_ways(void) {
    event_span_begin(streams[0], SPAN_H2D, "in");
    CUDA_CHECK(cudaMemcpyAsync(on_device, pinned, BYTES, cudaMemcpyDefault, streams[0]));
    event_span_end(streams[0]);
    event_span_begin(streams[1], SPAN_D2H, "out");
    CUDA_CHECK(
        cudaMemcpyAsync(pinned + BYTES, on_device + BYTES, BYTES, cudaMemcpyDefault, streams[1]));
    event_span_end(streams[1]);
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void near(enum span_kind kind) {
    const struct span *right = timeline_find("schedule", kind, 0);
    const struct span *span = timeline_find("events", kind, 0);
    EXPECT(right && span);
    if (!right || !span)
        return;
    EXPECT_NEAR((double)span->start_ns, (double)right->start_ns, WITHIN_NS);
    EXPECT_NEAR((double)span->end_ns, (double)right->end_ns, WITHIN_NS);
}

static void agree_with_the_schedule(void) {
    trace_begin("schedule");
    events_begin();
    copy_both_ways();
    trace_end();
    events_end("events"); /* after it: the two number streams differently */
    near(SPAN_H2D);
    near(SPAN_D2H);
}

static void nothing_beside_a_tracer(void) {
    size_t before = timeline_count();
    copy_both_ways();
    EXPECT_INT(timeline_count() - before, 0);
    trace_begin("beside");
    copy_both_ways();
    trace_end();
    EXPECT_INT(timeline_count_of("beside", SPAN_H2D), 1);
    EXPECT_TEXT(timeline_call_of(timeline_find("beside", SPAN_H2D, 0))->name, "cudaMemcpyAsync");
}

static void stand_in(void) {
    trace_begin("alone");
    copy_both_ways();
    trace_end();
    const struct span *in = timeline_find("alone", SPAN_H2D, 0);
    const struct span *out = timeline_find("alone", SPAN_D2H, 0);
    EXPECT(in && out);
    if (!in || !out)
        return;
    EXPECT_TEXT(in->name, "in");
    EXPECT(in->stream != out->stream);
    EXPECT(span_overlap(in, out) > 0.9);
    EXPECT_TEXT(timeline_call_of(in)->name, "queue in");
    EXPECT(timeline_call_of(in)->end_ns < in->end_ns);
    EXPECT(timeline_call_of(in)->start_ns <= in->start_ns);
}

static void ended_when_the_call_returned(void) {
    trace_begin("waits");
    event_span_begin(streams[0], SPAN_D2H, "out");
    CUDA_CHECK(cudaMemcpyAsync(pageable, on_device, BYTES, cudaMemcpyDefault, streams[0]));
    event_span_end(streams[0]);
    trace_end();
    const struct span *out = timeline_find("waits", SPAN_D2H, 0);
    EXPECT(out && out->end_ns <= timeline_call_of(out)->end_ns);
}

static void end_without_begin(void *state) {
    (void)state;
    trace_begin("wrong");
    event_span_end(streams[0]);
}

static void begin_without_end(void *state) {
    (void)state;
    trace_begin("wrong");
    event_span_begin(streams[0], SPAN_H2D, "open");
    trace_end();
}

static void wrong_pairs(void) {
    EXPECT_DIES(end_without_begin, NULL, EXIT_FAIL, "no span was begun in this stream");
    EXPECT_DIES(begin_without_end, NULL, EXIT_FAIL, "event span \"open\" has no end");
}

static void many(void) {
    trace_begin("many");
    for (int i = 0; i < 500; i++) {
        event_span_begin(streams[i % 2], SPAN_MEMSET, "memset");
        CUDA_CHECK(cudaMemsetAsync(on_device, 0, BYTES, streams[i % 2]));
        event_span_end(streams[i % 2]);
    }
    trace_end();
    EXPECT_INT(timeline_count_of("many", SPAN_MEMSET), 500);
    EXPECT_INT(rejected_total(timeline_rejected()), 0);
}

static void switch_off(void) {
    tracer_disable("--no-trace");
    tracer_init();
    EXPECT_TEXT(tracer_name(), "none: --no-trace");
}

int main(void) {
    static const struct tap_test tests[] = {
        {"beside a tracer, or outside a trace, they do nothing", nothing_beside_a_tracer},
        {"they agree with the schedule within 20 us", agree_with_the_schedule},
        {"the tracer can be switched off", switch_off},
        {"then they stand in", stand_in},
        {"work that its call waited for ended before the call", ended_when_the_call_returned},
        {"an end without a begin, a begin without an end", wrong_pairs},
        {"many in one trace", many},
    };
    error_program("tracer_events");
    tracer_init();
    device_select(0);
    for (int i = 0; i < 2; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CUDA_CHECK(cudaMallocHost((void **)&pinned, 2 * BYTES));
    CUDA_CHECK(cudaMalloc((void **)&on_device, 2 * BYTES));
    pageable = malloc(BYTES);
    return TAP_RUN(tests);
}
