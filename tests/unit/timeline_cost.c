/* timeline_cost.c - what a record costs, beside the least it could cost. */
#include <sys/mman.h>

#include "cost.h"
#include "folder.h"
#include "timeline.h"

enum { SPANS = 1000000 / COST_ROUNDS };

static struct span next_span(int k) {
    struct span s = {.part = "a", .kind = SPAN_KERNEL, .stream = 7, .correlation = 3};
    s.name = "a_kernel_with_a_name_of_usual_length";
    s.start_ns = 1750000000000000000 + 1000 * (int64_t)k;
    s.end_ns = s.start_ns + 500;
    return s;
}

static void add_spans(void) {
    for (int k = 0; k < SPANS; k++) {
        struct span s = next_span(k);
        timeline_add(&s);
    }
}

/* The least: each span is written to memory that nobody has touched yet. */
static void write_spans(void) {
    struct span *fresh = mmap(NULL, SPANS * sizeof *fresh, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!tap_expect(fresh != MAP_FAILED))
        return;
    for (int k = 0; k < SPANS; k++)
        fresh[k] = next_span(k);
    munmap(fresh, SPANS * sizeof *fresh);
}

static void a_new_span_costs_its_memory(void) {
    if (TAP_SANITIZED) {
        TAP_SKIP("sanitizers change the time");
        return;
    }
    add_spans(); /* its first call reserves the address space */
    EXPECT(cost_ratio(add_spans, write_spans) < 1.5);
}

/* Over and over in the same memory: what is left is timeline_add's own code. */
enum { SOME = 1000, AGAIN = 200 };

static void add_again(void) {
    static bool remove[SOME];
    size_t from = timeline_count();
    memset(remove, true, sizeof remove);
    for (int i = 0; i < AGAIN; i++) {
        for (int k = 0; k < SOME; k++) {
            struct span s = next_span(k);
            timeline_add(&s);
        }
        timeline_remove(from, remove);
    }
}

static void write_again(void) {
    static struct span kept[SOME];
    for (int i = 0; i < AGAIN; i++) {
        for (int k = 0; k < SOME; k++)
            kept[k] = next_span(k);
        __asm__ volatile("" : : "r"(kept) : "memory"); /* keeps each write */
    }
}

static void the_code_of_a_span_costs_little(void) {
    if (TAP_SANITIZED) {
        TAP_SKIP("sanitizers change the time");
        return;
    }
    EXPECT(cost_ratio(add_again, write_again) < 8);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_rows(void) {
    timeline_write(folder);
}

static void print_rows(void) {
    char path[256];
    snprintf(path, sizeof path, "%s/printed.csv", folder);
    FILE *out = fopen(path, "w");
    if (!tap_expect(out != NULL))
        return;
    for (size_t i = 0; i < timeline_count(); i++) {
        const struct span *s = timeline_at(i);
        fprintf(
            out, "%s,%s,%s,%d,%d,%" PRId64 ",%" PRId64 ",%u,%" PRIu64 ",%s,%s,%d,%d,%d,%d,%d,%d\n",
            s->part, span_kind_name(s->kind), s->name, s->device, s->stream, s->start_ns, s->end_ns,
            s->correlation, (uint64_t)s->bytes, memory_kind_name(s->src), memory_kind_name(s->dst),
            s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2]);
    }
    tap_expect(fclose(out) == 0);
}

static void a_row_costs_no_more_than_fprintf(void) {
    if (TAP_SANITIZED) {
        TAP_SKIP("sanitizers change the time");
        return;
    }
    EXPECT(timeline_count() >= SPANS);
    folder_new();
    EXPECT(cost_ratio(write_rows, print_rows) < 1);
    folder_remove();
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a new span costs what new memory costs", a_new_span_costs_its_memory},
        {"the code of a span costs little", the_code_of_a_span_costs_little},
        {"a row costs no more than fprintf", a_row_costs_no_more_than_fprintf},
    };
    return TAP_RUN(tests);
}
