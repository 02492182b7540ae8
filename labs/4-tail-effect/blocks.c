/* blocks.c - what block stamps say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "error.h"

static void *allocate(int n, size_t bytes) {
    void *memory = calloc((size_t)n, bytes);
    if (!memory)
        die(EXIT_ENVIRONMENT, "block stamps: out of host memory for %d blocks; use fewer", n);
    return memory;
}

int64_t stamps_start_ns(const struct stamp *stamps, int n) {
    int64_t first = stamps[0].start_ns;
    for (int i = 1; i < n; i++)
        first = stamps[i].start_ns < first ? stamps[i].start_ns : first;
    return first;
}

int64_t stamps_end_ns(const struct stamp *stamps, int n) {
    int64_t last = stamps[0].end_ns;
    for (int i = 1; i < n; i++)
        last = stamps[i].end_ns > last ? stamps[i].end_ns : last;
    return last;
}

struct lengths stamps_lengths(const struct stamp *stamps, int n) {
    struct lengths lengths = {INFINITY, 0, 0};
    for (int i = 0; i < n; i++) {
        double ns = (double)(stamps[i].end_ns - stamps[i].start_ns);
        lengths.shortest_ns = fmin(lengths.shortest_ns, ns);
        lengths.longest_ns = fmax(lengths.longest_ns, ns);
        lengths.sum_ns += ns;
    }
    return lengths;
}

/* A stamp, and where it was before sorting. */
struct placed {
    struct stamp stamp;
    int at;
};

static int by_sm_then_start(const void *a, const void *b) {
    const struct placed *x = a, *y = b;
    if (x->stamp.sm != y->stamp.sm)
        return x->stamp.sm < y->stamp.sm ? -1 : 1;
    if (x->stamp.start_ns != y->stamp.start_ns)
        return x->stamp.start_ns < y->stamp.start_ns ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* By SM, then by start. The caller frees it. */
static struct placed *sorted(const struct stamp *stamps, int n) {
    struct placed *order = allocate(n, sizeof *order);
    for (int i = 0; i < n; i++)
        order[i] = (struct placed){stamps[i], i};
    qsort(order, (size_t)n, sizeof *order, by_sm_then_start);
    return order;
}

static bool new_sm(const struct placed *order, int i) {
    return i == 0 || order[i].stamp.sm != order[i - 1].stamp.sm;
}

/* The most are resident at the start of some piece: count there, among those that started before.
 */
int stamps_most_resident(const struct stamp *stamps, int n) {
    struct placed *order = sorted(stamps, n);
    int most = 0;
    for (int i = 0; i < n; i++) {
        int resident = 1;
        for (int j = i; !new_sm(order, j); j--)
            resident += order[j - 1].stamp.end_ns > order[i].stamp.start_ns;
        most = resident > most ? resident : most;
    }
    free(order);
    return most;
}

/* The place whose piece ended longest ago is the one that the next piece of the SM gets. */
static int first_free(const int64_t *free_ns, int places) {
    int best = 0;
    for (int i = 1; i < places; i++)
        if (free_ns[i] < free_ns[best])
            best = i;
    return best;
}

int stamps_waves(const struct stamp *stamps, int n, int resident, int *wave, int *slot) {
    struct placed *order = sorted(stamps, n);
    int64_t *free_ns = allocate(resident, sizeof *free_ns);
    int waves = 0, rank = 0;
    for (int i = 0; i < n; i++) {
        if (new_sm(order, i)) {
            rank = 0;
            memset(free_ns, 0, (size_t)resident * sizeof *free_ns);
        }
        int at = order[i].at;
        wave[at] = rank++ / resident;
        slot[at] = first_free(free_ns, resident);
        free_ns[slot[at]] = order[i].stamp.end_ns;
        waves = wave[at] + 1 > waves ? wave[at] + 1 : waves;
    }
    free(free_ns);
    free(order);
    return waves;
}

double bound_ns(const struct stamp *stamps, int n, int capacity) {
    struct lengths lengths = stamps_lengths(stamps, n);
    return fmax(lengths.sum_ns / capacity, lengths.longest_ns);
}

/* Gives the place that is free first, the root of the heap, a new time and restores the order. */
static void occupy_first_free(int64_t *heap, int places, int64_t until_ns) {
    int at = 0, child;
    while ((child = 2 * at + 1) < places) {
        child += child + 1 < places && heap[child + 1] < heap[child];
        if (heap[child] >= until_ns)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = until_ns;
}

double in_order_ns(const struct stamp *stamps, int n, int capacity) {
    int64_t *free_ns = allocate(capacity, sizeof *free_ns);
    int64_t last_ns = 0;
    for (int i = 0; i < n; i++) {
        int64_t end_ns = free_ns[0] + stamps[i].end_ns - stamps[i].start_ns;
        occupy_first_free(free_ns, capacity, end_ns);
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    free(free_ns);
    return (double)last_ns;
}

void stamps_to_timeline(const struct stamp *stamps, int n, int resident, const char *name,
                        const struct span *kernel, int64_t offset_ns) {
    int *wave = allocate(n, sizeof *wave), *slot = allocate(n, sizeof *slot);
    stamps_waves(stamps, n, resident, wave, slot);
    for (int i = 0; i < n; i++) {
        struct span span = {.part = kernel->part,
                            .kind = SPAN_BLOCK,
                            .name = timeline_name(name),
                            .device = kernel->device,
                            .stream = stamps[i].sm,
                            .start_ns = stamps[i].start_ns + offset_ns,
                            .end_ns = stamps[i].end_ns + offset_ns,
                            .correlation = kernel->correlation,
                            .grid = {stamps[i].block, 0, 0},
                            .block = {slot[i], 0, 0}};
        timeline_add(&span);
    }
    free(slot);
    free(wave);
}
