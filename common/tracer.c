/* tracer.c - one traced round after another: CUPTI or the simulator if they can, else events. */
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "tracer.h"
#include "tracer_backend.h"

static const char *disabled;
static char name[256] = "none: not started";
static bool works;
static int attached;             /* how many times: by tracer_attach and by trace_begin */
static const char *current_part; /* NULL while not tracing */
static size_t first_span;

static void use_backend_unless(const char *reason) {
    works = !reason;
    if (works)
        snprintf(name, sizeof name, "%s", backend_name);
    else
        snprintf(name, sizeof name, "none: %s", reason);
}

static void stand_in(const char *reason) {
    use_backend_unless(reason);
    warn("no trace (%s); events recorded round the work stand in", reason);
}

void tracer_disable(const char *reason) {
    disabled = reason;
}

void tracer_init(void) {
    use_backend_unless(disabled ? disabled : backend_attach());
    if (works)
        backend_detach();
}

void tracer_attach(void) {
    if (attached++ > 0 || !works)
        return;
    const char *reason = backend_attach();
    if (reason)
        stand_in(reason);
}

void tracer_detach(void) {
    if (--attached == 0 && works)
        backend_detach();
}

const char *tracer_name(void) {
    return name;
}

bool tracer_works(void) {
    return works;
}

bool tracing(void) {
    return current_part;
}

void trace_begin(const char *part) {
    first_span = timeline_count();
    tracer_attach();
    const char *reason = works ? backend_begin() : NULL;
    if (reason) {
        backend_detach();
        stand_in(reason);
    }
    if (!works)
        events_begin();
    current_part = part;
}

static bool is_launch(const char *call) {
    return strstr(call, "GraphLaunch") || strncmp(call, "cudaLaunchKernel", 16) == 0 ||
           strncmp(call, "cudaLaunchCooperative", 21) == 0 ||
           strncmp(call, "cuLaunchKernel", 14) == 0;
}

static void require_kernels_if_launched(void) {
    int launches = 0, kernels = 0;
    for (size_t i = first_span; i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        launches += span->kind == SPAN_API && is_launch(span->name);
        kernels += span->kind == SPAN_KERNEL;
    }
    if (launches > 0 && kernels == 0)
        die(EXIT_ENVIRONMENT,
            "part %s: %d launches, but the tracer (%s) recorded no kernel; run again with "
            "--no-trace",
            current_part, launches, name);
}

static void count_rejected(int lost) {
    struct rejected now = timeline_validate(first_span);
    timeline_lost(lost);
    now.lost = lost;
    if (rejected_total(&now) > 0)
        warn("part %s: %d trace records unusable (%d without a duration, %d before their launch, "
             "%d overlapping their own stream, %d with another call's id, %d lost)",
             current_part, rejected_total(&now), now.end_before_start, now.before_launch,
             now.own_stream, now.duplicate, now.lost);
}

void trace_end(void) {
    int lost = 0;
    if (works)
        lost = backend_end(current_part);
    else
        events_end(current_part);
    timeline_sort(first_span);
    require_kernels_if_launched();
    count_rejected(lost);
    current_part = NULL;
    tracer_detach();
}
