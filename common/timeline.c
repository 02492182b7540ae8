#include "timeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "error.h"
#include "text.h"

enum { MOST_SPANS = 1 << 24, LEAST_SPANS = 1 << 16 };

/* Address space for MOST_SPANS, or fewer where that is limited. Pages come into being as spans are
 * added, nothing is ever moved, and a pointer to a span stays good. */
static struct span *spans;
static size_t count, room;

/* ---- names: an open-addressed hash table of strings ------------------------------------------ */

static char **names; /* slots; NULL is free */
static size_t name_count, name_slots;

static size_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

static char **slot_of(const char *text) {
    size_t i = hash_of(text) & (name_slots - 1);
    while (names[i] != NULL && strcmp(names[i], text) != 0)
        i = (i + 1) & (name_slots - 1);
    return &names[i];
}

static void names_grow(void) {
    char **old = names;
    size_t old_slots = name_slots;
    name_slots = old_slots == 0 ? 256 : 2 * old_slots;
    names = calloc(name_slots, sizeof *names);
    if (names == NULL)
        die(EXIT_ENVIRONMENT, "out of memory for the timeline's names");
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i] != NULL)
            *slot_of(old[i]) = old[i];
    }
    free(old);
}

const char *timeline_name(const char *text) {
    if (2 * name_count >= name_slots)
        names_grow();
    char **slot = slot_of(text);
    if (*slot == NULL) {
        *slot = text_copy(text);
        name_count++;
    }
    return *slot;
}

/* ---- spans ----------------------------------------------------------------------------------- */

static void reserve(void) {
    for (room = MOST_SPANS; room >= LEAST_SPANS; room /= 2) {
        void *space = mmap(NULL, room * sizeof *spans, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (space != MAP_FAILED) {
            /* Most of what a span costs is the first touch of its page: take large ones. */
            madvise(space, room * sizeof *spans, MADV_HUGEPAGE);
            spans = (struct span *)space;
            return;
        }
    }
    die(EXIT_ENVIRONMENT, "out of memory for the timeline; raise ulimit -v or the job's memory");
}

static void need_room(void) {
    if (spans == NULL)
        reserve();
    else
        die(EXIT_ENVIRONMENT, "the timeline is full: %zu spans; choose less work or --no-trace",
            count);
}

void timeline_add(const struct span *span) {
    if (count == room)
        need_room();
    spans[count++] = *span;
}

size_t timeline_count(void) {
    return count;
}

const struct span *timeline_at(size_t index) {
    if (index >= count)
        die(EXIT_FAIL, "timeline_at(%zu): the timeline has %zu spans", index, count);
    return &spans[index];
}

void timeline_remove(size_t from, const bool *remove) {
    size_t to = from;
    for (size_t i = from; i < count; i++) {
        if (!remove[i - from])
            spans[to++] = spans[i];
    }
    if (from < count)
        count = to;
}

static int by_launch(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

void timeline_sort(size_t from) {
    if (from < count)
        qsort(spans + from, count - from, sizeof *spans, by_launch);
}

static bool is(const struct span *span, const char *part, enum span_kind kind) {
    return span->kind == kind && (span->part == part || strcmp(span->part, part) == 0);
}

const struct span *timeline_find(const char *part, enum span_kind kind, int nth) {
    for (size_t i = 0; i < count; i++) {
        if (is(&spans[i], part, kind) && nth-- == 0)
            return &spans[i];
    }
    return NULL;
}

int timeline_count_of(const char *part, enum span_kind kind) {
    int n = 0;
    for (size_t i = 0; i < count; i++)
        n += is(&spans[i], part, kind);
    return n;
}

static bool is_call_of(const struct span *call, const struct span *work) {
    return call->correlation == work->correlation && is(call, work->part, SPAN_API);
}

/* In launch order the call stands just before its work: look there before looking everywhere. */
const struct span *timeline_call_of(const struct span *work) {
    if (work->correlation == 0)
        return NULL;
    if (work >= spans && work < spans + count) {
        for (const struct span *s = work; s >= spans && s->correlation == work->correlation; s--) {
            if (is_call_of(s, work))
                return s;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_call_of(&spans[i], work))
            return &spans[i];
    }
    return NULL;
}

/* ---- one or two spans ------------------------------------------------------------------------ */

int64_t span_ns(const struct span *span) {
    return span->end_ns - span->start_ns;
}

double span_overlap(const struct span *a, const struct span *b) {
    int64_t start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
    int64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;
    int64_t shorter = span_ns(a) < span_ns(b) ? span_ns(a) : span_ns(b);
    if (end <= start || shorter <= 0)
        return 0;
    return (double)(end - start) / (double)shorter;
}

const char *span_kind_name(enum span_kind kind) {
    static const char *const kinds[SPAN_KINDS] = {"api",  "kernel", "h2d",    "d2h",  "d2d",
                                                  "peer", "h2h",    "memset", "block"};
    return (unsigned)kind < SPAN_KINDS ? kinds[kind] : "";
}

const char *memory_kind_name(enum memory_kind kind) {
    static const char *const kinds[] = {"", "pageable", "pinned", "device", "managed"};
    return (unsigned)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : "";
}
