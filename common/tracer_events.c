/* tracer_events.c - spans from events, where nothing better can be had.
 *
 * All events are measured against one base event. The base is recorded on an idle device between
 * two readings of the host's clock; the closest two of several tries say when that was. What is
 * left of the doubt is settled by cause and effect: no work starts before it was queued. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "error.h"
#include "queued.h"
#include "tracer.h"
#include "tracer_backend.h"

enum { BASE_TRIES = 10 };

struct event_span {
    cudaStream_t stream;
    cudaEvent_t start, end;
    bool ended;
    bool done; /* the work was, when its call had returned */
    enum span_kind kind;
    const char *name;
    int64_t queued_ns, returned_ns;
};

static struct event_span *spans;
static size_t count, capacity;
static cudaEvent_t base;
static int64_t base_ns;
static struct known_stream {
    cudaStream_t stream;
} * streams; /* a stream's number is its place here */
static int stream_count;
static uint32_t correlation;
static bool recording;

static void *grown(void *old, size_t bytes) {
    void *now = realloc(old, bytes);
    if (!now)
        die(EXIT_ENVIRONMENT, "tracer: out of host memory; close other programs");
    return now;
}

static int stream_number(cudaStream_t stream) {
    for (int i = 0; i < stream_count; i++)
        if (streams[i].stream == stream)
            return i;
    streams = (struct known_stream *)grown(streams, (size_t)(stream_count + 1) * sizeof *streams);
    streams[stream_count].stream = stream;
    return stream_count++;
}

void events_begin(void) {
    cudaStream_t stream;
    int64_t closest_ns = INT64_MAX;
    stream_number(NULL); /* the default stream is number 0 */
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < BASE_TRIES; i++) {
        cudaEvent_t event;
        CUDA_CHECK(cudaEventCreate(&event));
        int64_t before_ns = wall_ns();
        CUDA_CHECK(cudaEventRecord(event, stream));
        CUDA_CHECK(cudaEventSynchronize(event));
        int64_t took_ns = wall_ns() - before_ns;
        if (took_ns < closest_ns) {
            if (base)
                CUDA_CHECK(cudaEventDestroy(base));
            closest_ns = took_ns;
            base = event;
            base_ns = before_ns + took_ns / 2;
        } else {
            CUDA_CHECK(cudaEventDestroy(event));
        }
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
    recording = true;
}

void event_span_begin(cudaStream_t stream, enum span_kind kind, const char *name) {
    if (!recording)
        return;
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        spans = (struct event_span *)grown(spans, capacity * sizeof *spans);
    }
    struct event_span *span = &spans[count++];
    span->stream = stream;
    span->kind = kind;
    span->name = timeline_name(name);
    span->ended = false;
    CUDA_CHECK(cudaEventCreate(&span->start));
    CUDA_CHECK(cudaEventCreate(&span->end));
    CUDA_CHECK(cudaEventRecord(span->start, stream));
    span->queued_ns = wall_ns();
}

void event_span_end(cudaStream_t stream) {
    if (!recording)
        return;
    bool done = stream_done(stream);
    int64_t now_ns = wall_ns();
    size_t i = count;
    while (i > 0 && (spans[i - 1].ended || spans[i - 1].stream != stream))
        i--;
    if (i == 0)
        die(EXIT_FAIL, "event_span_end: no span was begun in this stream; an error in the lab");
    spans[i - 1].returned_ns = now_ns;
    spans[i - 1].done = done;
    spans[i - 1].ended = true;
    CUDA_CHECK(cudaEventRecord(spans[i - 1].end, stream));
}

static int64_t after_base_ns(cudaEvent_t event) {
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, base, event));
    return (int64_t)((double)ms * 1e6);
}

/* When the base event happened: as measured, or later if work would else precede its call. */
static int64_t base_after_causes_ns(void) {
    int64_t latest_ns = base_ns;
    for (size_t i = 0; i < count; i++) {
        int64_t earliest_ns = spans[i].queued_ns - after_base_ns(spans[i].end);
        if (earliest_ns > latest_ns)
            latest_ns = earliest_ns;
    }
    return latest_ns;
}

static void add_spans(const char *part, const struct event_span *from, int64_t origin_ns) {
    char call_name[128];
    struct span call = {.part = part, .kind = SPAN_API, .stream = -1};
    struct span work = {.part = part, .kind = from->kind, .name = from->name};
    snprintf(call_name, sizeof call_name, "queue %s", from->name);
    call.name = timeline_name(call_name);
    call.start_ns = from->queued_ns;
    call.end_ns = from->returned_ns;
    work.stream = stream_number(from->stream);
    work.start_ns = origin_ns + after_base_ns(from->start);
    work.end_ns = origin_ns + after_base_ns(from->end);
    if (work.start_ns < call.start_ns)
        work.start_ns = call.start_ns;
    if (from->done && work.end_ns > call.end_ns && call.end_ns > work.start_ns)
        work.end_ns = call.end_ns; /* the event came after the call that had waited */
    CUDA_CHECK(cudaGetDevice(&work.device));
    call.device = work.device;
    call.correlation = work.correlation = ++correlation;
    timeline_add(&call);
    timeline_add(&work);
}

void events_end(const char *part) {
    CUDA_CHECK(cudaDeviceSynchronize());
    recording = false;
    for (size_t i = 0; i < count; i++)
        if (!spans[i].ended)
            die(EXIT_FAIL, "part %s: event span \"%s\" has no end; an error in the lab", part,
                spans[i].name);
    int64_t origin_ns = base_after_causes_ns();
    part = timeline_name(part);
    for (size_t i = 0; i < count; i++) {
        add_spans(part, &spans[i], origin_ns);
        CUDA_CHECK(cudaEventDestroy(spans[i].start));
        CUDA_CHECK(cudaEventDestroy(spans[i].end));
    }
    CUDA_CHECK(cudaEventDestroy(base));
    base = NULL;
    count = 0;
}
