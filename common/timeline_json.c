/* The trace event format: https://perfetto.dev/docs/getting-started/other-formats (Chrome JSON).
 * Times are in us, written with three decimals, so that no ns is lost. */
#include "timeline_json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "device.h"
#include "error.h"
#include "timeline.h"

/* Process ids: the host is 0, device d is 1 + d, and the SMs of device d are FIRST_SM_PID + d. */
enum { HOST_PID = 0, FIRST_SM_PID = 1001, MAX_BESIDE = 64, STREAMS = 1 << 24 };

struct event {
    const struct span *span;
    bool opens;   /* the first of its thread */
    int pid, tid; /* tid: stream + STREAMS * n for the nth that works beside others in it */
};

static struct csv *file;
static const char *separator; /* before the next event */

static void put(const char *text) {
    csv_bytes(file, text, strlen(text));
}

static void begin_event(const char *start) {
    put(separator);
    separator = ",\n";
    put(start);
}

static void put_integer(const char *key, int64_t value) {
    char text[80];
    snprintf(text, sizeof text, "%s%" PRId64, key, value);
    put(text);
}

static void put_us(const char *key, int64_t ns) {
    char text[80];
    snprintf(text, sizeof text, "%s%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
    put(text);
}

static void put_string(const char *key, const char *value) {
    put(key);
    put("\"");
    for (const char *p = value ? value : ""; *p != '\0'; p++) {
        char escape[8];
        if (*p == '"' || *p == '\\')
            snprintf(escape, sizeof escape, "\\%c", *p);
        else if (*p > 0 && *p < ' ')
            snprintf(escape, sizeof escape, "\\u%04x", *p);
        else
            snprintf(escape, sizeof escape, "%c", *p);
        put(escape);
    }
    put("\"");
}

static int pid_of(const struct span *span) {
    if (span->kind == SPAN_API)
        return HOST_PID;
    return (span->kind == SPAN_BLOCK ? FIRST_SM_PID : 1) + span->device;
}

static int by_thread(const void *left, const void *right) {
    const struct event *a = (const struct event *)left, *b = (const struct event *)right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->span->stream != b->span->stream)
        return a->span->stream < b->span->stream ? -1 : 1;
    return (a->span->start_ns > b->span->start_ns) - (a->span->start_ns < b->span->start_ns);
}

/* Slices of one thread must not overlap, or a viewer drops some. Work that does (the nodes of a
 * graph, the blocks of an SM) is spread over more threads of the same name. */
static void spread(struct event *event, size_t n) {
    int64_t busy_until[MAX_BESIDE];
    int used = 0;
    for (size_t i = 0; i < n; i++) {
        const struct span *span = event[i].span;
        if (i == 0 || event[i].pid != event[i - 1].pid || span->stream != event[i - 1].span->stream)
            used = 0;
        int place = 0;
        while (place < used && busy_until[place] > span->start_ns)
            place++;
        if (place == MAX_BESIDE)
            place--;
        event[i].opens = place == used;
        used += event[i].opens;
        busy_until[place] = span->end_ns;
        event[i].tid = (span->kind == SPAN_API ? 0 : span->stream) + STREAMS * place;
    }
}

static struct event *events_by_thread(size_t n) {
    struct event *event = (struct event *)malloc((n + 1) * sizeof *event);
    if (event == NULL)
        die(EXIT_ENVIRONMENT, "out of memory for timeline.json");
    for (size_t i = 0; i < n; i++) {
        event[i].span = timeline_at(i);
        event[i].pid = pid_of(event[i].span);
    }
    qsort(event, n, sizeof *event, by_thread);
    spread(event, n);
    return event;
}

static void name_something(const char *what, int pid, int tid, const char *name) {
    begin_event("{\"ph\":\"M\",");
    put_string("\"name\":", what);
    put_integer(",\"pid\":", pid);
    put_integer(",\"tid\":", tid);
    put_string(",\"args\":{\"name\":", name);
    put("}}");
}

static void name_process(int pid) {
    const struct device *gpu = device();
    const char *kind = device_simulated() ? "SIMULATED " : "";
    char name[400];
    int index = pid >= FIRST_SM_PID ? pid - FIRST_SM_PID : pid - 1;
    if (pid == HOST_PID)
        snprintf(name, sizeof name, "%shost", kind);
    else
        snprintf(name, sizeof name, "%sGPU %d%s%s%s", kind, index, index == gpu->index ? " " : "",
                 index == gpu->index ? gpu->name : "", pid >= FIRST_SM_PID ? ", blocks" : "");
    name_something("process_name", pid, 0, name);
}

static void name_thread(const struct event *event) {
    char name[80];
    if (event->pid == HOST_PID)
        snprintf(name, sizeof name, "CUDA calls");
    else
        snprintf(name, sizeof name, "%s %d", event->pid >= FIRST_SM_PID ? "SM" : "stream",
                 event->span->stream);
    name_something("thread_name", event->pid, event->tid, name);
}

/* The category names are those of PyTorch's profiler, so that its readers know them. */
static const char *category(enum span_kind kind) {
    switch (kind) {
    case SPAN_API:
        return "cuda_runtime";
    case SPAN_KERNEL:
        return "kernel";
    case SPAN_MEMSET:
        return "gpu_memset";
    case SPAN_BLOCK:
        return "block";
    default:
        return "gpu_memcpy";
    }
}

static void put_slice(const struct event *event, int64_t first) {
    const struct span *s = event->span;
    begin_event("{\"ph\":\"X\",");
    put_string("\"cat\":", category(s->kind));
    put_string(",\"name\":", s->name);
    put_integer(",\"pid\":", event->pid);
    put_integer(",\"tid\":", event->tid);
    put_us(",\"ts\":", s->start_ns - first);
    put_us(",\"dur\":", s->end_ns - s->start_ns);
    put_string(",\"args\":{\"part\":", s->part);
    put_string(",\"kind\":", span_kind_name(s->kind));
    put_integer(",\"device\":", s->device);
    put_integer(",\"stream\":", s->stream);
    put_integer(",\"start_ns\":", s->start_ns - first);
    put_integer(",\"end_ns\":", s->end_ns - first);
    put_integer(",\"correlation\":", s->correlation);
    put_integer(",\"bytes\":", (int64_t)s->bytes);
    put_string(",\"src\":", memory_kind_name(s->src));
    put_string(",\"dst\":", memory_kind_name(s->dst));
    for (int i = 0; i < 3; i++)
        put_integer(i == 0 ? ",\"grid\":[" : ",", s->grid[i]);
    for (int i = 0; i < 3; i++)
        put_integer(i == 0 ? "],\"block\":[" : ",", s->block[i]);
    put("]}}");
}

static void put_flow_end(const struct event *event, const char *phase, int64_t id, int64_t first) {
    begin_event(phase);
    put_integer(",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":", id);
    put_integer(",\"pid\":", event->pid);
    put_integer(",\"tid\":", event->tid);
    put_us(",\"ts\":", event->span->start_ns - first);
    put("}");
}

static int by_correlation(const void *left, const void *right) {
    const struct span *a = ((const struct event *)left)->span;
    const struct span *b = ((const struct event *)right)->span;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    int parts = strcmp(a->part, b->part);
    if (parts != 0)
        return parts;
    return (a->kind != SPAN_API) - (b->kind != SPAN_API); /* the call first */
}

/* An arrow for each piece of work from the call with its correlation. */
static void put_flows(struct event *event, size_t n, int64_t first) {
    const struct event *call = NULL;
    qsort(event, n, sizeof *event, by_correlation);
    for (size_t i = 0; i < n; i++) {
        const struct span *span = event[i].span;
        if (span->kind == SPAN_API) {
            call = &event[i];
        } else if (span->kind != SPAN_BLOCK && call != NULL &&
                   call->span->correlation == span->correlation &&
                   strcmp(call->span->part, span->part) == 0) {
            put_flow_end(call, "{\"ph\":\"s\"", (int64_t)i, first);
            put_flow_end(&event[i], "{\"ph\":\"f\",\"bp\":\"e\"", (int64_t)i, first);
        }
    }
}

void timeline_json_write(const char *dir) {
    size_t n = timeline_count();
    struct event *event = events_by_thread(n);
    int64_t first = timeline_first_ns();
    file = csv_create(dir, "timeline.json");
    separator = "";
    put_string("{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"device_kind\":", device_kind);
    put_string(",\"deviceProperties\":[{\"id\":0,\"name\":", device()->name);
    put_integer(",\"numSms\":", device()->sms);
    put("}],\n\"traceEvents\":[\n");
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || event[i].pid != event[i - 1].pid)
            name_process(event[i].pid);
        if (event[i].opens)
            name_thread(&event[i]);
        put_slice(&event[i], first);
    }
    put_flows(event, n, first);
    put("\n]}\n");
    free(event);
    csv_commit(file);
}
