/* The line under a timeline's title: what a reader would work out from the bars. */
#include "plot_data.h"

#include <stdlib.h>
#include <string.h>

struct edge {
    int64_t ns;
    int step; /* +1 start, -1 end */
    bool kernel;
};

static int by_time(const void *left, const void *right) {
    const struct edge *a = (const struct edge *)left, *b = (const struct edge *)right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return a->step - b->step; /* ends first: touching is not overlapping */
}

struct device_time {
    int64_t sum, longest; /* of all operations */
    int64_t busy;         /* at least one at work */
    int64_t copies, copies_beside_kernels;
    size_t operations, kernels;
};

static void sweep(struct device_time *t, struct edge *edge, size_t edges) {
    int kernels = 0, copies = 0;
    int64_t before = 0;
    qsort(edge, edges, sizeof *edge, by_time);
    for (size_t i = 0; i < edges; i++) {
        int64_t passed = edge[i].ns - before;
        t->busy += kernels + copies > 0 ? passed : 0;
        t->copies += copies > 0 ? passed : 0;
        t->copies_beside_kernels += copies > 0 && kernels > 0 ? passed : 0;
        *(edge[i].kernel ? &kernels : &copies) += edge[i].step;
        before = edge[i].ns;
    }
}

static bool device_work(const struct span *span, int run) {
    /* A gate only holds the others back: it is not work. */
    return span->run == run && !class_on_host(span->class) && span->class != CLASS_GATE;
}

static struct device_time device_time_of(const struct spans *spans, int run) {
    struct device_time t = {0};
    struct edge *edge = (struct edge *)need_memory(NULL, sizeof *edge * 2 * (spans->count + 1));
    size_t edges = 0;
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *s = &spans->at[i];
        if (!device_work(s, run))
            continue;
        bool kernel = s->kind == 'k';
        edge[edges++] = (struct edge){s->start_ns, +1, kernel};
        edge[edges++] = (struct edge){s->end_ns, -1, kernel};
        t.sum += s->end_ns - s->start_ns;
        t.longest = s->end_ns - s->start_ns > t.longest ? s->end_ns - s->start_ns : t.longest;
        t.operations++;
        t.kernels += kernel;
    }
    sweep(&t, edge, edges);
    free(edge);
    return t;
}

static void append(char *text, size_t size, const char *what, const char *value) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s %s", length ? "  ·  " : "", what, value);
}

/* For two operations this is design's overlap: what they share, over the shorter. For n it is
 * the time saved against one after another, over the most that could be saved. */
static void append_overlap(char *text, size_t size, const struct device_time *t) {
    char value[64];
    if (t->operations < 2) {
        append(text, size, "device busy", show_ns((double)t->busy));
        return;
    }
    snprintf(value, sizeof value, "%.0f %% (%zu operations, busy %s)",
             100.0 * (double)(t->sum - t->busy) / (double)(t->sum - t->longest), t->operations,
             show_ns((double)t->busy));
    append(text, size, "overlap", value);
    if (t->kernels && t->kernels < t->operations && t->copies > 0) {
        snprintf(value, sizeof value, "%.0f %%",
                 100.0 * (double)t->copies_beside_kernels / (double)t->copies);
        append(text, size, "copies beside kernels", value);
    }
}

static void append_host(char *text, size_t size, const struct spans *spans, int run) {
    int64_t queued = -1, held = 0;
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *s = &spans->at[i];
        if (s->run != run)
            continue;
        if (s->queues && s->class != CLASS_WAIT && s->end_ns > queued)
            queued = s->end_ns;
        held += s->class == CLASS_HELD ? s->end_ns - s->start_ns : 0;
    }
    if (queued >= 0)
        append(text, size, "last queueing call returned at", show_ns((double)queued));
    if (held)
        append(text, size, "held by the device", show_ns((double)held));
}

void spans_summary(const struct spans *spans, int run, char *text, size_t size) {
    int64_t end = 0;
    for (size_t i = 0; i < spans->count; i++)
        if (spans->at[i].run == run && spans->at[i].end_ns > end)
            end = spans->at[i].end_ns;
    *text = '\0';
    append(text, size, "makespan", show_ns((double)end));
    struct device_time t = device_time_of(spans, run);
    if (t.operations)
        append_overlap(text, size, &t);
    append_host(text, size, spans, run);
}
