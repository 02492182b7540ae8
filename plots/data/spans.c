/* Reads one part of timeline.csv, and says of each host call whether the device held it up. */
#include "plot_data.h"

#include <stdlib.h>
#include <string.h>

/* A call counts as held by the device if it spent at least this long beside work that it waited
 * for. Launches take a few us, so a kernel that happens to end during one does not count. */
enum { HELD_NS = 10000 };

static const struct {
    const char *word;
    char kind;
    uint8_t class;
} kinds[] = {
    {"api", 'a', CLASS_CALL}, {"kernel", 'k', CLASS_KERNEL}, {"h2d", 'h', CLASS_H2D},
    {"d2h", 'd', CLASS_D2H},  {"d2d", 'D', CLASS_ON_DEVICE}, {"peer", 'p', CLASS_ON_DEVICE},
    {"h2h", 'H', CLASS_H2H},  {"memset", 'm', CLASS_MEMSET}, {"block", 'b', CLASS_KERNEL}};

bool class_on_host(int class) {
    return class == CLASS_CALL || class == CLASS_HELD || class == CLASS_WAIT;
}

struct columns {
    int part, kind, name, device, stream, start, end, correlation, bytes;
};

static void set_kind(struct span *span, const struct csv_file *csv, const char *word) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].word, word) == 0) {
            span->kind = kinds[i].kind;
            span->class = kinds[i].class;
            return;
        }
    fail("%s:%ld: kind is '%.40s', not one of api kernel h2d d2h d2d peer h2h memset block",
         csv->path, csv->line, word);
}

static void set_class_by_name(struct span *span) {
    if (span->kind == 'a' && strstr(span->name, "Synchronize"))
        span->class = CLASS_WAIT;
    if (span->kind == 'k' && strncmp(short_name(span->name), "gate_kernel", 11) == 0)
        span->class = CLASS_GATE;
}

static struct span *add(struct span **at, size_t *count) {
    if ((*count & (*count - 1)) == 0) /* at 0 and each power of two: twice the room */
        *at = (struct span *)need_memory(*at, sizeof **at * (*count ? 2 * *count : 1));
    return &(*at)[(*count)++];
}

/* Also where clocks count from 1970; the sum and the difference of two stay within 64 bits. */
static const int64_t MOST_NS = INT64_MAX / 4;

static void read_row(struct spans *spans, const struct csv_file *csv, const struct columns *c,
                     int run) {
    struct span span = {.name = csv->field[c->name], .run = run};
    set_kind(&span, csv, csv->field[c->kind]);
    set_class_by_name(&span);
    span.start_ns = csv_integer(csv, c->start);
    span.end_ns = csv_integer(csv, c->end);
    if (span.end_ns < span.start_ns)
        fail("%s:%ld: '%.60s' ends before it starts", csv->path, csv->line, span.name);
    if (span.start_ns < -MOST_NS || span.end_ns > MOST_NS)
        fail("%s:%ld: '%.60s' starts or ends a lifetime away; times are in ns", csv->path,
             csv->line, span.name);
    span.device = (int)csv_integer(csv, c->device);
    span.stream = (int)csv_integer(csv, c->stream);
    span.correlation = (uint32_t)csv_integer(csv, c->correlation);
    span.bytes = *csv->field[c->bytes] ? (uint64_t)csv_integer(csv, c->bytes) : 0;
    if (span.kind == 'b')
        *add(&spans->block, &spans->blocks) = span;
    else
        *add(&spans->at, &spans->count) = span;
}

static struct columns find_columns(const struct csv_file *csv) {
    return (struct columns){
        csv_column(csv, "part"),   csv_column(csv, "kind"),        csv_column(csv, "name"),
        csv_column(csv, "device"), csv_column(csv, "stream"),      csv_column(csv, "start_ns"),
        csv_column(csv, "end_ns"), csv_column(csv, "correlation"), csv_column(csv, "bytes")};
}

static int64_t first_start(const struct span *at, size_t count, int64_t first) {
    for (size_t i = 0; i < count; i++)
        if (at[i].start_ns < first)
            first = at[i].start_ns;
    return first;
}

static void count_from(struct span *at, size_t count, int64_t first, int64_t *last) {
    for (size_t i = 0; i < count; i++) {
        at[i].start_ns -= first;
        at[i].end_ns -= first;
        if (at[i].end_ns > *last)
            *last = at[i].end_ns;
    }
}

/* Work in the order queued, stream by stream; then the calls. */
static int by_stream(const void *left, const void *right) {
    const struct span *a = *(struct span *const *)left, *b = *(struct span *const *)right;
    if (class_on_host(a->class) != class_on_host(b->class))
        return class_on_host(a->class) - class_on_host(b->class);
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int by_correlation(const void *left, const void *right) {
    const struct span *a = *(struct span *const *)left, *b = *(struct span *const *)right;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

/* The first of the works queued before that had not ended when the call was entered, or NULL.
 * Work of one stream ends in order. */
static const struct span *pending_at(struct span **first, struct span **own, int64_t ns) {
    struct span **end = own;
    while (first < end) {
        struct span **middle = first + (end - first) / 2;
        if ((*middle)->end_ns > ns)
            end = middle;
        else
            first = middle + 1;
    }
    return first < own ? *first : NULL;
}

static bool call_was_held(const struct span *call, const struct span *work,
                          const struct span *pending) {
    if (call->end_ns - call->start_ns < HELD_NS)
        return false;
    if (pending && pending->end_ns <= call->end_ns && pending->end_ns - call->start_ns >= HELD_NS)
        return true; /* it returned only after earlier work of its stream had ended */
    int64_t half = work->start_ns + (work->end_ns - work->start_ns) / 2;
    return work->end_ns - work->start_ns >= HELD_NS && call->end_ns >= half;
}

static struct span *call_of(struct span **call, size_t calls, struct span *work) {
    struct span **found = (struct span **)bsearch(&work, call, calls, sizeof *call, by_correlation);
    return found && (*found)->kind == 'a' ? *found : NULL;
}

static void mark_held_calls(struct span *at, size_t count) {
    struct span **order = (struct span **)need_memory(NULL, sizeof *order * count);
    for (size_t i = 0; i < count; i++)
        order[i] = &at[i];
    qsort(order, count, sizeof *order, by_stream);
    size_t work = 0;
    while (work < count && !class_on_host(order[work]->class))
        work++;
    qsort(order + work, count - work, sizeof *order, by_correlation);
    size_t first = 0; /* of the stream */
    for (size_t i = 0; i < work; i++) {
        if (order[i]->device != order[first]->device || order[i]->stream != order[first]->stream)
            first = i;
        struct span *call = call_of(order + work, count - work, order[i]);
        if (!call)
            continue;
        call->queues = true;
        if (call->class == CLASS_CALL &&
            call_was_held(call, order[i], pending_at(order + first, order + i, call->start_ns)))
            call->class = CLASS_HELD;
    }
    free(order);
}

static void read_run(struct spans *spans, const char *part, int run, const char *dir) {
    size_t old = spans->count, old_blocks = spans->blocks;
    about_read(&spans->about[run], dir);
    struct csv_file csv;
    csv_open(&csv, spans->about[run].dir, "timeline.csv");
    struct columns c = find_columns(&csv);
    while (csv_next(&csv))
        if (strcmp(csv.field[c.part], part) == 0)
            read_row(spans, &csv, &c, run);
    if (spans->count == old && spans->blocks == old_blocks)
        fail("%s: no part '%s'; see: plots/plot-data parts %s", csv.path, part,
             spans->about[run].dir);
    int64_t first = first_start(spans->at + old, spans->count - old, INT64_MAX);
    first = first_start(spans->block + old_blocks, spans->blocks - old_blocks, first);
    count_from(spans->at + old, spans->count - old, first, &spans->end_ns);
    count_from(spans->block + old_blocks, spans->blocks - old_blocks, first, &spans->end_ns);
    mark_held_calls(spans->at + old, spans->count - old);
}

void spans_start_at_zero(struct spans *spans) {
    int64_t first = first_start(spans->at, spans->count, INT64_MAX);
    first = first_start(spans->block, spans->blocks, first);
    spans->end_ns = 0;
    count_from(spans->at, spans->count, first, &spans->end_ns);
    count_from(spans->block, spans->blocks, first, &spans->end_ns);
}

void spans_read(struct spans *spans, const char *part, int runs, char **dirs) {
    memset(spans, 0, sizeof *spans);
    spans->at = (struct span *)need_memory(NULL, sizeof *spans->at);
    spans->block = (struct span *)need_memory(NULL, sizeof *spans->block);
    if (runs > (int)(sizeof spans->about / sizeof spans->about[0]))
        fail("at most 8 runs in one chart");
    for (spans->runs = 0; spans->runs < runs; spans->runs++)
        read_run(spans, part, spans->runs, dirs[spans->runs]);
}

void spans_list_parts(const char *dir) {
    enum { MAX_PARTS = 4096 };
    static struct {
        const char *name;
        long records, blocks;
    } part[MAX_PARTS];
    int parts = 0, at = 0;
    struct csv_file csv;
    csv_open_any(&csv, dir, "timeline.csv");
    struct columns c = find_columns(&csv);
    while (csv_next(&csv)) {
        if (at >= parts || strcmp(part[at].name, csv.field[c.part]) != 0) {
            for (at = 0; at < parts && strcmp(part[at].name, csv.field[c.part]) != 0;)
                at++;
            if (at == MAX_PARTS)
                fail("%s: more than %d parts", csv.path, MAX_PARTS);
            if (at == parts)
                part[parts++].name = csv.field[c.part];
        }
        bool block = strcmp(csv.field[c.kind], "block") == 0;
        part[at].blocks += block;
        part[at].records += !block;
    }
    for (int i = 0; i < parts; i++)
        printf("%s %ld %ld\n", part[i].name, part[i].records, part[i].blocks);
}
