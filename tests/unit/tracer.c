/* The tracer's front with a back-end made up here: refused, records lost, records missing. */
#include "tap.h"

/* A second copy of tracer.c, with names and a back-end of its own. */
#define tracer_disable my_tracer_disable
#define tracer_init my_tracer_init
#define tracer_name my_tracer_name
#define tracer_works my_tracer_works
#define trace_begin my_trace_begin
#define trace_end my_trace_end
#define tracing my_tracing
#define backend_name my_backend_name
#define tracer_attach my_tracer_attach
#define tracer_detach my_tracer_detach
#define backend_attach my_backend_attach
#define backend_detach my_backend_detach
#define backend_begin my_backend_begin
#define backend_end my_backend_end
#define events_begin my_events_begin
#define events_end my_events_end
#include "../../common/tracer.c"

const char my_backend_name[] = "made up";
static const char *init_reason, *begin_reason;
static int lost, events_traces, attached_now;
static struct span records[4];
static int record_count;

const char *my_backend_attach(void) {
    attached_now += !init_reason;
    return init_reason;
}
void my_backend_detach(void) {
    attached_now--;
}
const char *my_backend_begin(void) {
    return begin_reason;
}
int my_backend_end(const char *part) {
    for (int i = 0; i < record_count; i++) {
        records[i].part = timeline_name(part);
        timeline_add(&records[i]);
    }
    return lost;
}
void my_events_begin(void) {
    events_traces++;
}
void my_events_end(const char *part) {
    (void)part;
}

static void start(const char *at_init, const char *at_begin) {
    init_reason = at_init;
    begin_reason = at_begin;
    record_count = lost = events_traces = attached_now = 0;
    my_tracer_disable(NULL);
    my_tracer_init();
}

static void record(enum span_kind kind, const char *what, int64_t start_ns, int64_t end_ns,
                   uint32_t correlation) {
    struct span *span = &records[record_count++];
    memset(span, 0, sizeof *span);
    span->kind = kind;
    span->name = what;
    span->stream = kind == SPAN_API ? -1 : 7;
    span->start_ns = start_ns;
    span->end_ns = end_ns;
    span->correlation = correlation;
}

static void trace(const char *part) {
    my_trace_begin(part);
    EXPECT(my_tracing());
    EXPECT_INT(attached_now, my_tracer_works());
    my_trace_end();
    EXPECT(!my_tracing());
}

static void recorded(void) {
    start(NULL, NULL);
    EXPECT_TEXT(my_tracer_name(), "made up");
    record(SPAN_KERNEL, "k", 300, 400, 2);
    record(SPAN_API, "cudaLaunchKernel", 200, 250, 2);
    trace("works");
    EXPECT_INT(timeline_count_of("works", SPAN_KERNEL), 1);
    EXPECT_INT(events_traces, 0);
    EXPECT_TEXT(timeline_at(timeline_count() - 2)->name, "cudaLaunchKernel");
}

static void attached_only_while_needed(void) {
    start(NULL, NULL);
    EXPECT_INT(attached_now, 0);
    my_trace_begin("alone");
    EXPECT_INT(attached_now, 1);
    my_trace_end();
    EXPECT_INT(attached_now, 0);
    my_tracer_attach();
    trace("first of two");
    trace("second of two");
    EXPECT_INT(attached_now, 1);
    my_tracer_detach();
    EXPECT_INT(attached_now, 0);
}

static void refused_at_the_start(void) {
    start("no permission", NULL);
    EXPECT(!my_tracer_works());
    EXPECT_TEXT(my_tracer_name(), "none: no permission");
    trace("refused");
    EXPECT_INT(events_traces, 1);
}

static void switched_off(void) {
    start(NULL, NULL);
    my_tracer_disable("--no-trace");
    my_tracer_init();
    EXPECT_TEXT(my_tracer_name(), "none: --no-trace");
    trace("off");
    EXPECT_INT(events_traces, 1);
}

static void trace_refused(void *state) {
    (void)state;
    trace("later");
}

static void refused_later(void) {
    start(NULL, "taken away");
    EXPECT(my_tracer_works());
    EXPECT_INT(tap_child(trace_refused, NULL), 0);
    EXPECT_PART(tap_messages, "no trace (taken away); events");
    trace("later");
    EXPECT_TEXT(my_tracer_name(), "none: taken away");
    trace("later");
    EXPECT_INT(events_traces, 2);
}

static void refused_at_attaching(void) {
    start(NULL, NULL);
    init_reason = "held by another";
    EXPECT_INT(tap_child(trace_refused, NULL), 0);
    EXPECT_PART(tap_messages, "no trace (held by another); events");
    trace("later");
    EXPECT_TEXT(my_tracer_name(), "none: held by another");
    EXPECT_INT(events_traces, 1);
}

static void trace_some(void *state) {
    trace((const char *)state);
}

static void no_kernel_for_launches(void) {
    start(NULL, NULL);
    record(SPAN_API, "cudaLaunchKernelExC", 200, 250, 2);
    EXPECT_DIES(trace_some, "empty", EXIT_ENVIRONMENT, "part empty: 1 launches, but the tracer");
    start(NULL, NULL);
    record(SPAN_API, "cudaLaunchHostFunc", 200, 250, 2);
    EXPECT_INT(tap_child(trace_some, "host function"), 0);
}

static void lost_and_wrong_records(void) {
    start(NULL, NULL);
    lost = 3;
    record(SPAN_API, "cudaLaunchKernel", 200, 250, 2);
    record(SPAN_KERNEL, "before its launch", 100, 150, 2);
    record(SPAN_KERNEL, "zero", 0, 0, 2);
    record(SPAN_KERNEL, "good", 300, 400, 2);
    EXPECT_INT(tap_child(trace_some, "wrong"), 0);
    EXPECT_PART(tap_messages, "part wrong: 5 trace records unusable (1 without a duration, "
                              "1 before their launch, 0 overlapping their own stream, 0 with "
                              "another call's id, 3 lost)");
    int before = timeline_rejected()->lost;
    my_trace_begin("wrong");
    my_trace_end();
    EXPECT_INT(timeline_count_of("wrong", SPAN_KERNEL), 1);
    EXPECT_INT(timeline_rejected()->lost - before, 3);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"records go into the timeline, in launch order", recorded},
        {"attached only from begin to end, or for several in a row", attached_only_while_needed},
        {"refused at the start: none, and events", refused_at_the_start},
        {"switched off: none, and events", switched_off},
        {"refused later: a warning, none, and events from then on", refused_later},
        {"held by another profiler later: the same", refused_at_attaching},
        {"launches without a kernel record end the run", no_kernel_for_launches},
        {"lost and wrong records are said and counted", lost_and_wrong_records},
    };
    error_program("tracer");
    return TAP_RUN(tests);
}
