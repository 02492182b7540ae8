/* Lab 2, part c: time to return against size, in a busy stream.
 *
 * A copy that only queues takes as long at any size. A pageable copy out waits at every size. A
 * pageable copy in waits from some size on: this looks for it. */
#include "copies.h"
#include "host_memory.h"
#include "lab.h"
#include "link.h"
#include "queued.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

enum { IN, OUT, DIRECTIONS, MAX_POINTS = 64 };
static const double CLOSE_ENOUGH = 1.12; /* ratio of the sizes that the threshold lies between */
static const char *const direction_names[DIRECTIONS] = {"h2d", "d2h"};

struct point {
    int64_t bytes;
    double idle_ns; /* to return, in an idle stream; one call */
    struct call call;
};
struct curve {
    int n;
    struct point point[MAX_POINTS]; /* in order of size */
};

static struct curve curves[DIRECTIONS][HOST_KINDS];
static void *host[HOST_KINDS], *on_device;
static cudaStream_t stream;
static cudaEvent_t slept;

static bool waits(const struct point *p) {
    return mostly(&p->call.waited);
}

static double copy_once(int direction, int kind, int64_t size, struct call *seen,
                        int64_t busy_for_ns) {
    void *to = direction == IN ? on_device : host[kind];
    void *from = direction == IN ? host[kind] : on_device;
    if (busy_for_ns > 0) {
        CUDA_CHECK(launch_sleep(1, 1, busy_for_ns, stream));
        CUDA_CHECK(cudaEventRecord(slept, stream));
    }
    int64_t start = wall_ns();
    QUEUE_CALL(seen, busy_for_ns > 0 ? slept : NULL, stream,
               cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream));
    double taken_ns = (double)(wall_ns() - start);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    spin_check();
    return taken_ns;
}

/* Measures one size and keeps it in its place. */
static const struct point *measure(int direction, int kind, int64_t size) {
    static struct call ignored;
    struct curve *c = &curves[direction][kind];
    int at = c->n++;
    for (; at > 0 && c->point[at - 1].bytes > size; at--)
        c->point[at] = c->point[at - 1];
    struct point *p = &c->point[at];
    *p = (struct point){};
    p->bytes = size;
    stats_keep(false);
    copy_once(direction, kind, size, &ignored, 0); /* warm-up */
    p->idle_ns = copy_once(direction, kind, size, &ignored, 0);
    stats_keep(true);
    int64_t busy_for_ns = busy_long_enough(p->idle_ns);
    for (int n = repeats(busy_for_ns + (int64_t)p->idle_ns); n > 0; n--)
        copy_once(direction, kind, size, &p->call, busy_for_ns);
    return p;
}

/* 4 bytes, 16, 64, ... and one byte more than 64 KiB, of which it is said that up to it a pageable
 * copy in is asynchronous. */
static void sweep(int direction, int kind) {
    for (int64_t size = 4; size <= largest_bytes; size *= 4) {
        measure(direction, kind, size);
        if (size == 65536 && size < largest_bytes)
            measure(direction, kind, size + 1);
    }
}

/* The smallest size seen to wait, or NULL. */
static const struct point *first_that_waits(const struct curve *c) {
    for (int i = 0; i < c->n; i++)
        if (waits(&c->point[i]))
            return &c->point[i];
    return NULL;
}

/* Sizes between the last that returned early and the first that waited, until they are close. */
static void bisect(int direction, int kind) {
    struct curve *c = &curves[direction][kind];
    while (c->n < MAX_POINTS) {
        const struct point *first = first_that_waits(c);
        if (!first || first == c->point)
            return;
        double low = (double)first[-1].bytes, high = (double)first->bytes;
        int64_t middle = (int64_t)sqrt(low * high);
        if (high / low <= CLOSE_ENOUGH || middle == first[-1].bytes)
            return;
        measure(direction, kind, middle);
    }
}

static void keep_results(void) {
    for (int d = 0; d < DIRECTIONS; d++)
        for (int kind = 0; kind < HOST_KINDS; kind++)
            for (int i = 0; i < curves[d][kind].n; i++) {
                const struct point *p = &curves[d][kind].point[i];
                result("c",
                       text("return %s %s busy %lld", direction_names[d],
                            host_kind_name((enum host_kind)kind), (long long)p->bytes),
                       "ns", &p->call.returned);
            }
}

static const struct point *find(int direction, int kind, int64_t size) {
    const struct curve *c = &curves[direction][kind];
    for (int i = 0; i < c->n; i++)
        if (c->point[i].bytes == size)
            return &c->point[i];
    return NULL;
}

static void print_curves(void) {
    const struct curve *longest = &curves[IN][HOST_PAGEABLE];
    table_begin(7, "bytes", "h2d pageable", "h2d pinned", "h2d registered", "d2h pageable",
                "d2h pinned", "d2h registered");
    for (int i = 0; i < longest->n; i++) {
        int64_t size = longest->point[i].bytes;
        table_cell("%lld", (long long)size);
        for (int d = 0; d < DIRECTIONS; d++)
            for (int kind = 0; kind < HOST_KINDS; kind++) {
                const struct point *p = find(d, kind, size);
                table_cell("%s%s", p ? show_time(median_of(&p->call.returned)) : "",
                           p && waits(p) ? " *" : "");
            }
    }
    table_end();
    say("Median time to return; * marks sizes at which the call came back only when the kernel "
        "before it was over, in most rounds.");
}

static int count_waiting(int direction, int kind) {
    int count = 0;
    for (int i = 0; i < curves[direction][kind].n; i++)
        count += waits(&curves[direction][kind].point[i]);
    return count;
}

static void check_pinned(void) {
    int sizes = 0, waiting = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        for (int kind = HOST_PINNED; kind <= HOST_REGISTERED; kind++) {
            sizes += curves[d][kind].n;
            waiting += count_waiting(d, kind);
        }
    check("c-pinned-never-waits", waiting == 0, text("%d of %d sizes waited", waiting, sizes), "0",
          "Copies from and to pinned and registered memory are only queued, at any size.");
}

static void check_copy_out(void) {
    int sizes = curves[OUT][HOST_PAGEABLE].n, waiting = count_waiting(OUT, HOST_PAGEABLE);
    if (waiting < sizes && device()->pageable_access)
        check_cannot_show("c-pageable-copy-out-always-waits",
                          "this GPU writes pageable memory itself, and need not wait");
    else
        check("c-pageable-copy-out-always-waits", waiting == sizes,
              text("%d of %d sizes waited", waiting, sizes), "all",
              "A copy to pageable memory waits for the stream at every size, from 4 bytes up.");
}

static void check_copy_in(const struct point *first) {
    const char *id = "c-pageable-copy-in-waits-from-one-size-on";
    const struct curve *c = &curves[IN][HOST_PAGEABLE];
    if (!first) {
        check_cannot_show(id, "no size waited: they all fit the driver's buffers, or need none");
        return;
    }
    int above = (int)(c->point + c->n - first), waiting = count_waiting(IN, HOST_PAGEABLE);
    if (waiting < above && device()->pageable_access)
        check_cannot_show(id, "this GPU reads pageable memory itself, and need not wait");
    else
        check(id, waiting == above,
              text("from %s on %d of %d sizes waited", show_bytes((double)first->bytes), waiting,
                   above),
              "all", "A copy in returns early only while its data fits the driver's buffers.");
}

static void explain(const struct point *first) {
    const struct point *just_over = find(IN, HOST_PAGEABLE, 65537);
    if (!first || first == curves[IN][HOST_PAGEABLE].point) {
        say("What this shows: a pageable copy in %s for the stream at every size measured.",
            first ? "waits" : "does not wait");
        return;
    }
    say("What this shows: a pageable copy in returns early up to %s and waits for the stream from "
        "%s on: until then the driver has room to stage all of it in its pinned buffers. A "
        "pageable copy out has nothing to return early with: its data only exists when the work "
        "before it is done.",
        show_bytes((double)first[-1].bytes), show_bytes((double)first->bytes));
    if (just_over)
        say("It is often said that a pageable copy in is asynchronous up to 64 KiB. With one byte "
            "more the call returned after %s here, and %s.",
            show_time(median_of(&just_over->call.returned)),
            waits(just_over) ? "waited for the stream" : "did not wait either");
}

static void measure_all(void) {
    int64_t size = largest_bytes;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&slept, cudaEventDisableTiming));
    CUDA_CHECK(cudaMalloc(&on_device, size));
    for (int kind = 0; kind < HOST_KINDS; kind++) {
        host[kind] = host_alloc_touched((enum host_kind)kind, size);
        for (int d = 0; d < DIRECTIONS; d++)
            sweep(d, kind);
        if (kind == HOST_PAGEABLE)
            bisect(IN, kind);
        host_free((enum host_kind)kind, host[kind], size);
    }
    CUDA_CHECK(cudaFree(on_device));
    CUDA_CHECK(cudaEventDestroy(slept));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

void part_sizes(void) {
    largest_bytes = bytes_that_fit('c', largest_bytes, 1, 1);
    say("Copies of 4 bytes to %s with cudaMemcpyAsync, in a non-blocking stream in which a kernel "
        "of at least %s runs.",
        show_bytes((double)largest_bytes), show_time((double)busy_ns));
    measure_all();
    const struct point *first = first_that_waits(&curves[IN][HOST_PAGEABLE]);
    keep_results();
    if (first)
        result_value("c", "blocks from pageable h2d", "bytes", (double)first->bytes);
    print_curves();
    explain(first);
    check_copy_in(first);
    check_copy_out();
    check_pinned();
    const struct curve *out = &curves[OUT][HOST_PAGEABLE];
    check_within_link("c-copies-within-the-link", (double)out->point[out->n - 1].bytes,
                      out->point[out->n - 1].idle_ns);
}
