/* agenda.c - what happens when: a heap of events by time, and by order of entry within a time. */

#include "core.h"

struct entry {
    int64_t at_ns;
    uint64_t order; /* makes equal times run in the order they were added: deterministic */
    agenda_fn *fn;
    void *what;
    unsigned version;
    bool give_up;
};

static size_t give_ups; /* entries that are nothing else */
static struct entry *heap;
static size_t count, capacity;
static uint64_t entries_made;

static bool before(const struct entry *a, const struct entry *b) {
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void grow(void) {
    capacity = capacity ? 2 * capacity : 1024;
    heap = more_memory(heap, capacity * sizeof *heap);
}

static void add(struct entry entry) {
    entry.order = entries_made++;
    if (count == capacity)
        grow();
    size_t at = count++;
    while (at > 0 && before(&entry, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

void agenda_add(int64_t at_ns, agenda_fn *fn, void *what, unsigned version) {
    add((struct entry){.at_ns = at_ns, .fn = fn, .what = what, .version = version});
}

void agenda_add_give_up(int64_t at_ns, agenda_fn *fn, void *what, unsigned version) {
    give_ups++;
    add((struct entry){
        .at_ns = at_ns, .fn = fn, .what = what, .version = version, .give_up = true});
}

static struct entry take_first(void) {
    struct entry first = heap[0], last = heap[--count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

bool agenda_only_gives_up(void) {
    return count == give_ups;
}

int64_t agenda_next_ns(void) {
    return count ? heap[0].at_ns : INT64_MAX;
}

/* All that ends at an instant ends before anything starts there: a wave's blocks leave their SMs
 * together, and the next wave is spread over all of them. */
void agenda_run_next(void) {
    int64_t now_ns = heap[0].at_ns;
    clock_set_now(now_ns);
    while (count > 0 && heap[0].at_ns == now_ns) {
        struct entry entry = take_first();
        give_ups -= entry.give_up;
        entry.fn(entry.what, entry.version);
    }
    for (int i = 0; i < device_count(); i++)
        grid_place(device_at(i));
}
