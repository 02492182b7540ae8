#include "spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

struct interval {
    int64_t start_ns, end_ns;
};

static bool in_part(const struct span *span, const char *part) {
    return strcmp(span->part, part) == 0;
}

static bool on_device(const struct span *span) {
    return span->kind != SPAN_API && span->kind != SPAN_H2H && span->kind != SPAN_BLOCK;
}

static bool is_kernel(const struct span *span) {
    return span->kind == SPAN_KERNEL;
}

static bool is_copy(const struct span *span) {
    return span->kind == SPAN_H2D || span->kind == SPAN_D2H || span->kind == SPAN_PEER;
}

static int by_start(const void *a, const void *b) {
    int64_t x = ((const struct interval *)a)->start_ns, y = ((const struct interval *)b)->start_ns;
    return (x > y) - (x < y);
}

/* The times at which any span of that sort runs, as disjoint intervals in order. Caller frees. */
static struct interval *cover(const char *part, bool (*wanted)(const struct span *), size_t *n) {
    struct interval *all = malloc((timeline_count() + 1) * sizeof *all);
    size_t found = 0;
    if (!all)
        die(EXIT_ENVIRONMENT, "spans: out of host memory; close other programs");
    for (size_t i = 0; i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        if (in_part(span, part) && wanted(span))
            all[found++] = (struct interval){span->start_ns, span->end_ns};
    }
    qsort(all, found, sizeof *all, by_start);
    *n = 0;
    for (size_t i = 0; i < found; i++) {
        struct interval *last = *n ? &all[*n - 1] : NULL;
        if (!last || all[i].start_ns > last->end_ns)
            all[(*n)++] = all[i];
        else if (all[i].end_ns > last->end_ns)
            last->end_ns = all[i].end_ns;
    }
    return all;
}

int64_t device_makespan_ns(const char *part) {
    size_t n;
    struct interval *busy = cover(part, on_device, &n);
    int64_t ns = n ? busy[n - 1].end_ns - busy[0].start_ns : 0;
    free(busy);
    return ns;
}

int64_t device_end_ns(const char *part) {
    size_t n;
    struct interval *busy = cover(part, on_device, &n);
    int64_t ns = n ? busy[n - 1].end_ns : 0;
    free(busy);
    return ns;
}

int64_t device_busy_ns(const char *part) {
    size_t n;
    struct interval *busy = cover(part, on_device, &n);
    int64_t ns = 0;
    for (size_t i = 0; i < n; i++)
        ns += busy[i].end_ns - busy[i].start_ns;
    free(busy);
    return ns;
}

int64_t total_ns(const char *part, enum span_kind kind) {
    int64_t ns = 0;
    for (size_t i = 0; i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        if (in_part(span, part) && span->kind == kind)
            ns += span_ns(span);
    }
    return ns;
}

double device_ns(const char *part, enum span_kind kind) {
    int64_t ns = total_ns(part, kind);
    return ns > 0 ? (double)ns : NAN;
}

int64_t total_bytes(const char *part, enum span_kind kind) {
    int64_t bytes = 0;
    for (size_t i = 0; i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        if (in_part(span, part) && span->kind == kind)
            bytes += (int64_t)span->bytes;
    }
    return bytes;
}

int64_t copy_ns(const char *part) {
    return total_ns(part, SPAN_H2D) + total_ns(part, SPAN_D2H) + total_ns(part, SPAN_PEER);
}

static int64_t shared_ns(const struct span *copy, const struct interval *kernel) {
    int64_t start = copy->start_ns > kernel->start_ns ? copy->start_ns : kernel->start_ns;
    int64_t end = copy->end_ns < kernel->end_ns ? copy->end_ns : kernel->end_ns;
    return end > start ? end - start : 0;
}

int64_t copy_hidden_ns(const char *part) {
    size_t n;
    struct interval *kernels = cover(part, is_kernel, &n);
    int64_t ns = 0;
    for (size_t i = 0; i < timeline_count(); i++) {
        const struct span *span = timeline_at(i);
        if (!in_part(span, part) || !is_copy(span))
            continue;
        for (size_t k = 0; k < n; k++)
            ns += shared_ns(span, &kernels[k]);
    }
    free(kernels);
    return ns;
}
