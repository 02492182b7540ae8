/* Which records of a tracer are wrong, and why. Tracers lose rows, leave times at zero and now and
 * then report a kernel before its launch (pytorch/kineto#95, #109, #136). */
#include "timeline.h"

#include <stdlib.h>

#include "error.h"

static struct rejected totals;

/* What one validation works on: spans from `from` on, by index from there. */
struct validation {
    size_t from, n;
    bool *remove;
    const struct span **order; /* room for n, used for one sort after the other */
    struct rejected rejected;
};

static size_t index_of(const struct validation *v, const struct span *span) {
    return (size_t)(span - timeline_at(v->from));
}

static void reject(struct validation *v, const struct span *span, int *reason) {
    v->remove[index_of(v, span)] = true;
    (*reason)++;
}

static bool is_call(const struct span *span) {
    return span->kind == SPAN_API;
}

/* Work that takes its turn in a stream. The stream of a block is an SM, which holds several. */
static bool is_stream_work(const struct span *span) {
    return span->kind != SPAN_API && span->kind != SPAN_BLOCK;
}

/* The spans that are not rejected yet and that `wanted` says yes to, sorted. */
static size_t select_sorted(struct validation *v, bool (*wanted)(const struct span *),
                            int (*compare)(const void *, const void *)) {
    size_t selected = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct span *span = timeline_at(v->from + i);
        if (!v->remove[i] && wanted(span))
            v->order[selected++] = span;
    }
    qsort(v->order, selected, sizeof(const struct span *), compare);
    return selected;
}

static int compare_int64(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int by_correlation(const void *a, const void *b) {
    const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;
    int order = compare_int64(x->correlation, y->correlation);
    return order != 0 ? order : compare_int64(x->start_ns, y->start_ns);
}

static int by_stream(const void *a, const void *b) {
    const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;
    int order = compare_int64(x->device, y->device);
    if (order == 0)
        order = compare_int64(x->stream, y->stream);
    return order != 0 ? order : compare_int64(x->start_ns, y->start_ns);
}

static void reject_times(struct validation *v) {
    for (size_t i = 0; i < v->n; i++) {
        const struct span *s = timeline_at(v->from + i);
        if (s->end_ns <= s->start_ns || s->start_ns == 0 || s->end_ns == 0)
            reject(v, s, &v->rejected.end_before_start);
    }
}

/* Returns how many calls are left in v->order, by correlation and without duplicates. */
static size_t reject_duplicates(struct validation *v) {
    size_t n = select_sorted(v, is_call, by_correlation), left = 0;
    for (size_t i = 0; i < n; i++) {
        const struct span *call = v->order[i];
        if (left > 0 && call->correlation != 0 &&
            call->correlation == v->order[left - 1]->correlation)
            reject(v, call, &v->rejected.duplicate);
        else
            v->order[left++] = call;
    }
    return left;
}

static const struct span *call_with(const struct validation *v, size_t calls, uint32_t id) {
    size_t low = 0, high = calls;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->order[middle]->correlation < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < calls && v->order[low]->correlation == id ? v->order[low] : NULL;
}

static void reject_before_launch(struct validation *v, size_t calls) {
    for (size_t i = 0; i < v->n; i++) {
        const struct span *s = timeline_at(v->from + i);
        if (v->remove[i] || !is_stream_work(s) || s->correlation == 0)
            continue;
        const struct span *call = call_with(v, calls, s->correlation);
        if (call != NULL && s->start_ns < call->start_ns)
            reject(v, s, &v->rejected.before_launch);
    }
}

/* Where a stream has got to. Work queued by one call (the nodes of a graph) may overlap itself. */
struct stream_front {
    const struct span *last;      /* the last span kept; NULL at the start */
    int64_t call_end, before_end; /* latest end of the last one's call, and of earlier calls */
};

static bool same_stream(const struct span *a, const struct span *b) {
    return a->device == b->device && a->stream == b->stream;
}

static bool same_call(const struct span *a, const struct span *b) {
    return a->correlation != 0 && a->correlation == b->correlation;
}

/* True if the span starts after all earlier work of its stream; the front then includes it. */
static bool advance(struct stream_front *front, const struct span *span) {
    struct stream_front next = *front;
    if (front->last == NULL || !same_stream(front->last, span)) {
        next.call_end = next.before_end = INT64_MIN;
    } else if (!same_call(front->last, span)) {
        if (next.call_end > next.before_end)
            next.before_end = next.call_end;
        next.call_end = INT64_MIN;
    }
    if (span->start_ns < next.before_end)
        return false;
    next.last = span;
    if (span->end_ns > next.call_end)
        next.call_end = span->end_ns;
    *front = next;
    return true;
}

static void reject_own_stream(struct validation *v) {
    size_t n = select_sorted(v, is_stream_work, by_stream);
    struct stream_front front = {NULL, INT64_MIN, INT64_MIN};
    for (size_t i = 0; i < n; i++) {
        if (!advance(&front, v->order[i]))
            reject(v, v->order[i], &v->rejected.own_stream);
    }
}

static void add_to_totals(const struct rejected *rejected) {
    totals.end_before_start += rejected->end_before_start;
    totals.before_launch += rejected->before_launch;
    totals.own_stream += rejected->own_stream;
    totals.duplicate += rejected->duplicate;
}

struct rejected timeline_validate(size_t from) {
    struct validation v = {from, 0, NULL, NULL, {0, 0, 0, 0, 0}};
    if (from >= timeline_count())
        return v.rejected;
    v.n = timeline_count() - from;
    v.remove = calloc(v.n, sizeof *v.remove);
    v.order = malloc(v.n * sizeof(const struct span *));
    if (v.remove == NULL || v.order == NULL)
        die(EXIT_ENVIRONMENT, "out of memory to validate %zu spans; choose less work", v.n);
    reject_times(&v);
    reject_before_launch(&v, reject_duplicates(&v));
    reject_own_stream(&v);
    timeline_remove(from, v.remove);
    free(v.remove);
    free(v.order);
    add_to_totals(&v.rejected);
    return v.rejected;
}

int rejected_total(const struct rejected *rejected) {
    return rejected->end_before_start + rejected->before_launch + rejected->own_stream +
           rejected->duplicate + rejected->lost;
}

void timeline_lost(int records) {
    totals.lost += records;
}

const struct rejected *timeline_rejected(void) {
    return &totals;
}
