/* Lab 2, part b: every kind of copy and memset, in an idle and in a busy stream: did the call wait?
 *
 * The stream is one made with cudaStreamCreate. Calls without "Async" work in the NULL stream,
 * which waits for such streams: for them too the busy stream is earlier work. */
#include "copies.h"
#include "host_memory.h"
#include "lab.h"
#include "link.h"
#include "queued.h"
#include "table.h"
#include "text.h"

#include <string.h>

enum { MARK = 7, FILLER = 0x5a };

static const struct {
    enum operation operation;
    enum place place;
} kinds[] = {{H2D, IN_PAGEABLE},     {H2D, IN_PINNED},    {H2D, IN_REGISTERED},
             {D2H, IN_PAGEABLE},     {D2H, IN_PINNED},    {D2H, IN_REGISTERED},
             {D2D, IN_DEVICE},       {H2H, IN_PAGEABLE},  {H2H, IN_PINNED},
             {H2H, IN_REGISTERED},   {MEMSET, IN_DEVICE}, {MEMSET, IN_PINNED},
             {MEMSET, IN_REGISTERED}};
static_assert(2 * sizeof kinds / sizeof *kinds == ROWS, "each kind with and without Async");

struct row rows[ROWS];
struct call small_copy;
static void *from[PLACES], *to[PLACES]; /* buffers of table_bytes */
static cudaStream_t stream;
static cudaEvent_t slept;
static int corrupt_rows;

static enum memory_class class_of(enum place place) {
    return place == IN_DEVICE     ? DEVICE_MEMORY
           : place == IN_PAGEABLE ? PAGEABLE_MEMORY
                                  : PINNED_MEMORY;
}

static bool ends_on_device(const struct row *r) {
    return r->operation == H2D || r->place == IN_DEVICE;
}

static void *target(const struct row *r) {
    return ends_on_device(r) ? to[IN_DEVICE] : to[r->place];
}

static void *source(const struct row *r) {
    return r->operation == D2H || r->operation == D2D ? from[IN_DEVICE] : from[r->place];
}

static cudaError_t issue(const struct row *r) {
    if (r->operation == MEMSET)
        return r->async ? cudaMemsetAsync(target(r), FILLER, table_bytes, stream)
                        : cudaMemset(target(r), FILLER, table_bytes);
    return r->async ? cudaMemcpyAsync(target(r), source(r), table_bytes, cudaMemcpyDefault, stream)
                    : cudaMemcpy(target(r), source(r), table_bytes, cudaMemcpyDefault);
}

static void call_once(const struct row *r, struct call *seen, int64_t busy_for_ns) {
    if (busy_for_ns > 0) {
        CUDA_CHECK(launch_sleep(1, 1, busy_for_ns, stream));
        CUDA_CHECK(cudaEventRecord(slept, stream));
    }
    QUEUE_CALL(seen, busy_for_ns > 0 ? slept : NULL, r->async ? stream : 0, issue(r));
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
}

/* ---- is the data where it should be? -----------------------------------------------------------
 */

static bool filled(const void *memory) {
    const char *first = (const char *)memory, filler = FILLER;
    return *first == filler && !memcmp(first, first + 1, table_bytes - 1);
}

static bool as_expected(const struct row *r, const void *memory) {
    return r->operation == MEMSET ? filled(memory) : pages_marked(memory, table_bytes, MARK);
}

/* Also the warm-up of this row. A call that promises to be done when it returns has its result
 * looked at then, before any synchronisation. */
static void verify_row(const struct row *r) {
    if (ends_on_device(r))
        CUDA_CHECK(cudaMemset(target(r), 0, table_bytes));
    else if (r->operation == MEMSET)
        memset(target(r), 0, table_bytes);
    else
        clear_pages(target(r), table_bytes);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(issue(r));
    if (r->rule->promise != COMPLETES)
        CUDA_CHECK(cudaDeviceSynchronize());
    const void *result = target(r);
    if (ends_on_device(r)) {
        CUDA_CHECK(cudaMemcpy(to[IN_PINNED], target(r), table_bytes, cudaMemcpyDefault));
        result = to[IN_PINNED];
    }
    corrupt_rows += !as_expected(r, result);
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* ---- measuring ---------------------------------------------------------------------------------
 */

static void measure_row(struct row *r) {
    verify_row(r);
    int64_t start = wall_ns();
    struct call ignored = {};
    call_once(r, &ignored, 0);
    int n = repeats(wall_ns() - start + busy_ns);
    for (int i = 0; i < n; i++)
        call_once(r, &r->idle, 0);
    int64_t busy_for_ns = busy_long_enough(median_of(&r->idle.returned));
    for (int i = 0; i < n; i++)
        call_once(r, &r->busy, busy_for_ns);
    const char *name = text("return %s %s %s", operation_name(r->operation), place_name(r->place),
                            r->async ? "async" : "sync");
    result("b", text("%s idle", name), "ns", &r->idle.returned);
    result("b", text("%s busy", name), "ns", &r->busy.returned);
}

/* cudaMemcpy of a small pageable buffer, in an idle stream. */
static void measure_small(void) {
    for (int n = repeats(MS); n > 0; n--) {
        QUEUE_CALL(&small_copy, NULL, 0,
                   cudaMemcpy(to[IN_DEVICE], from[IN_PAGEABLE], SMALL_BYTES, cudaMemcpyDefault));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    result("b", text("return h2d pageable sync idle %d", SMALL_BYTES), "ns", &small_copy.returned);
}

/* The four calls the lab is about, in a busy stream, for the timeline. */
static void trace_rows(void) {
    struct call ignored = {};
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (!r->async || !(r->operation & (H2D | D2H)) || r->place == IN_REGISTERED)
            continue;
        int64_t busy_for_ns = busy_long_enough(median_of(&r->idle.returned));
        trace_begin(
            timeline_name(text("b-%s-%s", operation_name(r->operation), place_name(r->place))));
        event_span_begin(stream, SPAN_KERNEL, "sleep_kernel");
        CUDA_CHECK(launch_sleep(1, 1, busy_for_ns, stream));
        event_span_end(stream);
        event_span_begin(stream, r->operation == H2D ? SPAN_H2D : SPAN_D2H, "copy");
        stats_keep(false);
        call_once(r, &ignored, 0);
        stats_keep(true);
        event_span_end(stream);
        trace_end();
    }
}

static void set_up(void) {
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreateWithFlags(&slept, cudaEventDisableTiming));
    for (int place = IN_PAGEABLE; place < IN_DEVICE; place++) {
        from[place] = host_alloc_touched((enum host_kind)place, table_bytes);
        to[place] = host_alloc_touched((enum host_kind)place, table_bytes);
        mark_pages(from[place], table_bytes, MARK);
    }
    CUDA_CHECK(cudaMalloc(&from[IN_DEVICE], table_bytes));
    CUDA_CHECK(cudaMalloc(&to[IN_DEVICE], table_bytes));
    CUDA_CHECK(cudaMemcpy(from[IN_DEVICE], from[IN_PINNED], table_bytes, cudaMemcpyDefault));
    for (int i = 0; i < ROWS; i++) {
        rows[i].operation = kinds[i / 2].operation;
        rows[i].place = kinds[i / 2].place;
        rows[i].async = i % 2;
        rows[i].rule = rule_for(rows[i].operation, class_of(rows[i].place), rows[i].async);
    }
}

static void clean_up(void) {
    for (int place = IN_PAGEABLE; place < IN_DEVICE; place++) {
        host_free((enum host_kind)place, from[place], table_bytes);
        host_free((enum host_kind)place, to[place], table_bytes);
    }
    CUDA_CHECK(cudaFree(from[IN_DEVICE]));
    CUDA_CHECK(cudaFree(to[IN_DEVICE]));
    CUDA_CHECK(cudaEventDestroy(slept));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

void part_table(void) {
    table_bytes = bytes_that_fit('b', table_bytes, 2, 6);
    set_up();
    say("Copies and memsets of %s, by pageable, pinned and registered memory, with and without "
        "Async, in an idle and in a busy stream.",
        show_bytes((double)table_bytes));
    for (int i = 0; i < ROWS; i++)
        measure_row(&rows[i]);
    measure_small();
    trace_rows();
    report_table();
    check("b-data-intact", corrupt_rows == 0, text("%d of %d calls", corrupt_rows, ROWS), "0",
          "The data is there, for calls that complete as soon as they return.");
    check_within_link("b-copies-within-the-link", (double)table_bytes,
                      stats_of(&find_row(D2H, IN_PINNED, false)->idle.returned).min);
    clean_up();
}
