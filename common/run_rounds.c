/* The rounds of a part: warm-up, measured, traced. */
#include "run.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "kernels.h"
#include "report.h"
#include "results.h"
#include "stats.h"
#include "timeline.h"
#include "tracer.h"

enum { SHORT_ROUND_NS = 100 * 1000 * 1000, SHORT_REPEATS = 11, LONG_REPEATS = 3 };

int repeats(int64_t round_ns) {
    if (opt_repeats > 0)
        return (int)opt_repeats;
    return round_ns < SHORT_ROUND_NS ? SHORT_REPEATS : LONG_REPEATS;
}

static void progress(const char *part, const char *what, int i, int n) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rpart %s: %s %d of %d \033[K", part, what, i, n);
}

static void progress_end(void) {
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static int64_t time_round(round_fn *round, void *state) {
    int64_t start = wall_ns();
    round(state);
    return wall_ns() - start;
}

/* Leaves the device idle; that wait is not part of the round's time. */
static int64_t run_round(round_fn *round, void *state) {
    int64_t taken = time_round(round, state);
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
    return taken;
}

/* The highest correlation id of a host call that began before that time. */
static uint32_t last_call_before(size_t from, int64_t time_ns) {
    uint32_t last = 0;
    for (size_t i = from; i < timeline_count(); i++) {
        const struct span *s = timeline_at(i);
        if (s->kind == SPAN_API && s->start_ns < time_ns && s->correlation > last)
            last = s->correlation;
    }
    return last;
}

/* By correlation where there is one: the device's times are only mapped to the host's clock. */
static void remove_spans_before(size_t from, int64_t time_ns) {
    size_t n = timeline_count() - from;
    bool *remove = calloc(n + 1, sizeof *remove);
    if (remove == NULL)
        die(EXIT_ENVIRONMENT, "out of memory for the timeline; choose less work");
    uint32_t last = last_call_before(from, time_ns);
    for (size_t i = 0; i < n; i++) {
        const struct span *s = timeline_at(from + i);
        remove[i] = s->correlation != 0 ? s->correlation <= last : s->start_ns < time_ns;
    }
    timeline_remove(from, remove);
    free(remove);
}

/* The tracer's own warm-up (the first traced launch takes ms, the first call after it was read
 * 0.5 ms) would swamp a short round: such a round runs twice, and the first is forgotten. */
static int64_t traced_round(const char *part, round_fn *round, void *state, bool twice) {
    size_t from = timeline_count();
    trace_begin(part);
    if (twice)
        run_round(round, state);
    int64_t mark = wall_ns();
    int64_t taken = time_round(round, state); /* trace_end waits for the device, unrecorded */
    trace_end();
    spin_check();
    if (twice)
        remove_spans_before(from, mark);
    return taken;
}

static void report_slow_down(const char *part, int64_t traced_ns, double median_ns, bool quiet) {
    if (!tracer_works() || !(median_ns > 0))
        return;
    double ratio = (double)traced_ns / median_ns;
    if (!quiet)
        printf("Part %s: a round takes %s, under the tracer %s (%.2f times as long).\n", part,
               show_time(median_ns), show_time((double)traced_ns), ratio);
    result_value(part, "tracer slow-down", "ratio", ratio);
}

static void warn_if_cold(const char *part, const struct stats *rounds) {
    if (stats_cold_start(rounds))
        warn("part %s: the first round took %.0f times the median; something was not warmed up",
             part, rounds->first / rounds->median);
}

static double measured_rounds(const char *part, int n, round_fn *round, void *state) {
    static struct samples rounds;
    rounds.n = 0;
    stats_keep(false);
    progress(part, "warm-up", 1, 1);
    run_round(round, state);
    stats_keep(true);
    for (int i = 0; i < n; i++) {
        progress(part, "round", i + 1, n);
        samples_add(&rounds, (double)run_round(round, state));
    }
    progress_end();
    struct stats s = stats_of(&rounds);
    warn_if_cold(part, &s);
    return s.median;
}

const char *traced_part(const char *part, int i) {
    char name[200];
    if (i == 0)
        return part;
    snprintf(name, sizeof name, "%s-round-%d", part, i + 1);
    return timeline_name(name);
}

static void all_rounds(const char *part, int n, int traced, round_fn *round, void *state,
                       bool quiet) {
    double median_ns = measured_rounds(part, n, round, state);
    int64_t first_ns = 0;
    stats_keep(false);
    tracer_attach();
    for (int i = 0; i < traced; i++) {
        progress(part, "traced round", i + 1, traced);
        int64_t taken =
            traced_round(traced_part(part, i), round, state, median_ns < SHORT_ROUND_NS);
        if (i == 0)
            first_ns = taken;
    }
    tracer_detach();
    progress_end();
    stats_keep(true);
    report_slow_down(part, first_ns, median_ns, quiet);
}

void part_rounds(const char *part, int n, round_fn *round, void *state) {
    all_rounds(part, n, 1, round, state, false);
}

void quiet_rounds(const char *part, int n, int traced, round_fn *round, void *state) {
    all_rounds(part, n, traced, round, state, true);
}
