/* Lab 2: the report of part b, the manual against what was seen. */
#include "table.h"

#include <stddef.h>

#include "copies.h"
#include "device.h"
#include "host_memory.h"
#include "report.h"
#include "results.h"
#include "text.h"

const char *operation_name(enum operation operation) {
    return operation == H2D   ? "h2d"
           : operation == D2H ? "d2h"
           : operation == D2D ? "d2d"
           : operation == H2H ? "h2h"
                              : "memset";
}

const char *place_name(enum place place) {
    return place == IN_DEVICE ? "device" : host_kind_name((enum host_kind)place);
}

static bool holds(const struct row *r) {
    switch (r->rule->promise) {
    case QUEUES:
        return !mostly(&r->busy.waited);
    case WAITS:
        return mostly(&r->busy.waited);
    case COMPLETES:
        return mostly(&r->busy.waited) && mostly(&r->busy.own_done) && mostly(&r->idle.own_done);
    case MAY_WAIT:
        break;
    }
    return true;
}

static int broken_rows(void) {
    int count = 0;
    for (int i = 0; i < ROWS; i++)
        count += !holds(&rows[i]);
    return count;
}

static const char *call_name(const struct row *r) {
    if (r->operation == MEMSET)
        return r->async ? "cudaMemsetAsync" : "cudaMemset";
    return text("%s %s", r->async ? "cudaMemcpyAsync" : "cudaMemcpy", operation_name(r->operation));
}

static void print_rows(void) {
    table_begin(7, "call", "memory", "idle", "busy", "waited", "copy done", "the manual");
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        table_cell("%s", call_name(r));
        table_cell("%s", place_name(r->place));
        table_cell("%s", show_time(median_of(&r->idle.returned)));
        table_cell("%s", show_time(median_of(&r->busy.returned)));
        table_cell("%s", show_count(&r->busy.waited));
        table_cell("%s", show_count(&r->busy.own_done));
        table_cell("%s%s", r->rule->says, holds(r) ? "" : ": NOT SO");
    }
    table_end();
}

const struct row *find_row(enum operation operation, enum place place, bool async) {
    for (int i = 0; i < ROWS; i++)
        if (rows[i].operation == operation && rows[i].place == place && rows[i].async == async)
            return &rows[i];
    return NULL;
}

static void explain_rows(void) {
    const struct row *in = find_row(H2D, IN_PAGEABLE, true);
    const struct row *out = find_row(D2H, IN_PAGEABLE, true);
    const struct row *sync_in = find_row(H2D, IN_PAGEABLE, false);
    say("idle, busy: median time to return, with nothing in the stream and with a kernel of %s or "
        "more. waited: calls that came back only when that kernel was over. copy done: calls whose "
        "own work was over then, too.",
        show_time((double)busy_ns));
    say("Where the manual leaves it open: an asynchronous copy of %s from pageable memory %s here, "
        "and one to pageable memory %s. Editions up to CUDA 11 promised that the second waits, and "
        "that a thread of the driver stages the first; since then both are only allowed to wait.",
        show_bytes((double)table_bytes), mostly(&in->busy.waited) ? "waits" : "does not wait",
        mostly(&out->busy.waited) ? "waits" : "does not wait");
    say("\"Returns once staged\": cudaMemcpy from pageable memory came back before its own "
        "copy was done in %d of %d calls with %s, and in %d of %d with %s. A large copy is staged "
        "piece by "
        "piece, and most of it is done when the last piece is staged.",
        small_copy.own_done.n - count_true(&small_copy.own_done), small_copy.own_done.n,
        show_bytes(SMALL_BYTES), sync_in->idle.own_done.n - count_true(&sync_in->idle.own_done),
        sync_in->idle.own_done.n, show_bytes((double)table_bytes));
    if (broken_rows() > 0)
        say("NOT SO: %d calls did something else than the manual says. It also says that any call "
            "may wait for reasons of its own, such as a resource that is not free; if it happens "
            "again in the next run, this driver does what the manual does not tell.",
            broken_rows());
    say("cudaMemset of pageable memory is not in the table: the device cannot address it.");
}

static void check_rule(const struct rule *rule) {
    const struct row *broken = NULL;
    int covered = 0, kept = 0;
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].rule != rule)
            continue;
        covered++;
        kept += holds(&rows[i]);
        if (!holds(&rows[i]) && !broken)
            broken = &rows[i];
    }
    if (broken && broken->place == IN_PAGEABLE && device()->pageable_access)
        check_cannot_show(rule->check, "this GPU reaches pageable memory itself, without staging");
    else
        check(rule->check, !broken,
              broken ? text("not %s, %s memory", call_name(broken), place_name(broken->place))
                     : text("%d of %d calls", kept, covered),
              rule->says, rule->why);
}

void report_table(void) {
    print_rows();
    explain_rows();
    for (int i = 0; i < rules_count; i++)
        if (rules[i].check)
            check_rule(&rules[i]);
}
