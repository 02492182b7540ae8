/* traced.c - the copies of a part of lab 6 as the timeline has them. */
#include "traced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fastest.h"
#include "tracer.h"

static bool is_copy(const struct span *span) {
    return span->kind == SPAN_PEER || span->kind == SPAN_D2D || span->kind == SPAN_D2H ||
           span->kind == SPAN_H2D || span->kind == SPAN_H2H;
}

static size_t first_of(const char *part) {
    size_t i = 0;
    while (i < timeline_count() && strcmp(timeline_at(i)->part, part) != 0)
        i++;
    return i;
}

/* The first record of the nth copy, NULL if there is none. Records of one call share its id. */
static const struct span *first_record(const char *part, int nth) {
    uint32_t before = 0;
    int found = -1;
    for (size_t i = first_of(part); i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        if (strcmp(span->part, part) != 0 || !is_copy(span))
            continue;
        if (found < 0 || span->correlation != before)
            found++;
        if (found == nth)
            return span;
        before = span->correlation;
    }
    return NULL;
}

static bool same_copy(const struct span *record, const struct span *copy) {
    return is_copy(record) && record->correlation == copy->correlation &&
           strcmp(record->part, copy->part) == 0;
}

static void note(struct traced *copy, const struct span *record) {
    double ns = (double)span_ns(record);
    if (within_limit(record->kind, (double)record->bytes, ns))
        return;
    copy->disbelieved_ns = ns;
    copy->disbelieved_kind = record->kind;
}

/* From the first record to the last. */
static void read_records(const char *part, int gpu, struct traced *copy) {
    bool out = false, in = false;
    for (size_t i = first_of(part); i < timeline_count(); i++) {
        const struct span *record = timeline_at(i);
        if (!same_copy(record, &copy->span))
            continue;
        note(copy, record);
        out |= record->kind == SPAN_D2H;
        in |= record->kind == SPAN_H2D;
        if (record->start_ns < copy->span.start_ns)
            copy->span.start_ns = record->start_ns;
        if (record->end_ns > copy->span.end_ns)
            copy->span.end_ns = record->end_ns;
        if (record->device == gpu) {
            copy->span.device = gpu;
            copy->span.stream = record->stream;
        }
    }
    copy->staged = out && in;
    copy->sure_ns = copy->span.start_ns;
}

/* No work starts before its call, nor before what is ahead of it in its stream: the event before it
 * may be some us earlier. */
static void after_its_causes(struct span *copy) {
    const struct span *call = timeline_call_of(copy);
    if (call && call->start_ns > copy->start_ns && call->start_ns < copy->end_ns)
        copy->start_ns = call->start_ns;
    for (int i = 0; i < timeline_count_of(copy->part, SPAN_KERNEL); i++) {
        const struct span *kernel = timeline_find(copy->part, SPAN_KERNEL, i);
        if (kernel->device == copy->device && kernel->stream == copy->stream &&
            kernel->correlation < copy->correlation && kernel->end_ns > copy->start_ns &&
            kernel->end_ns < copy->end_ns)
            copy->start_ns = kernel->end_ns;
    }
}

static void replace_records(const char *part, const struct span *copy) {
    size_t from = first_of(part), n = timeline_count() - from;
    bool *remove = (bool *)calloc(n + 1, sizeof *remove);
    if (!remove)
        die(EXIT_ENVIRONMENT, "out of memory for the timeline; choose less work");
    for (size_t i = 0; i < n; i++)
        remove[i] = same_copy(timeline_at(from + i), copy);
    timeline_remove(from, remove);
    free(remove);
    timeline_add(copy);
    timeline_sort(from);
}

static void take_events(const char *part, double event_ns, struct traced *copy) {
    copy->by_events = true;
    copy->span.kind = copy->staged ? SPAN_PEER : copy->span.kind;
    copy->span.name = timeline_name(copy->staged ? "staged copy, by events" : "copy, by events");
    copy->span.start_ns = copy->span.end_ns - llround(event_ns);
    after_its_causes(&copy->span);
    replace_records(part, &copy->span);
}

bool traced_copy(const char *part, int nth, int gpu, double event_ns, struct traced *copy) {
    const struct span *first = first_record(part, nth);
    memset(copy, 0, sizeof *copy);
    if (!first)
        return false;
    copy->span = *first;
    read_records(part, gpu, copy);
    if (!tracer_works()) {
        copy->by_events = true;
        copy->sure_ns = copy->span.end_ns;
    } else if (copy->staged || copy->disbelieved_ns > 0) {
        take_events(part, event_ns, copy);
    }
    return true;
}

bool traced_call(const char *part, int nth, struct span *call) {
    for (size_t i = first_of(part); i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        if (span->kind == SPAN_API && strcmp(span->part, part) == 0 &&
            strstr(span->name, "Memcpy") && nth-- == 0) {
            *call = *span;
            return true;
        }
    }
    return false;
}

static const struct span *kernel_of(const char *part, int gpu) {
    for (int i = 0; i < timeline_count_of(part, SPAN_KERNEL); i++) {
        const struct span *kernel = timeline_find(part, SPAN_KERNEL, i);
        if (kernel->device == gpu)
            return kernel;
    }
    return NULL;
}

double overlap_with_kernel(const struct traced *copy, const char *part, int gpu) {
    const struct span *kernel = kernel_of(part, gpu);
    if (!kernel)
        return NAN;
    if (!copy->by_events || copy->span.end_ns <= kernel->end_ns)
        return span_overlap(&copy->span, kernel);
    int64_t shorter_ns =
        span_ns(&copy->span) < span_ns(kernel) ? span_ns(&copy->span) : span_ns(kernel);
    int64_t beside_ns = kernel->end_ns - copy->sure_ns;
    return beside_ns > 0 ? fmin(1, (double)beside_ns / (double)shorter_ns) : 0;
}

double begun_in_kernel(const struct traced *copy, const char *part, int gpu) {
    const struct span *kernel = kernel_of(part, gpu);
    return kernel ? (double)(copy->span.start_ns - kernel->start_ns) / (double)span_ns(kernel)
                  : NAN;
}
