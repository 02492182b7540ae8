/* together.cu - equal products of lab 3 queued together: predicted, and seen. */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"
#include "lab.h"
#include "study.h"
#include "text.h"

static const char *const mode_names[MODES] = {"default-stream", "one-stream", "two-streams",
                                              "one-stream-gated", "two-streams-gated"};

const char *mode_name(enum mode mode) {
    return mode_names[mode];
}

struct together {
    struct study *study;
    enum mode mode;
};

static bool is_gated(enum mode mode) {
    return mode == ONE_STREAM_GATED || mode == TWO_STREAMS_GATED;
}

static bool own_streams(enum mode mode) {
    return mode == TWO_STREAMS || mode == TWO_STREAMS_GATED;
}

static cudaStream_t stream_of(enum mode mode, int i) {
    if (mode == DEFAULT_STREAM)
        return NULL;
    return own_streams(mode) ? experiment_stream(i) : experiment_stream(0);
}

static void together_round(void *state) {
    struct together *together = (struct together *)state;
    struct outcome *outcome = &together->study->outcome[together->mode];
    int64_t returned_ns[MAX_COUNT] = {0};
    if (is_gated(together->mode))
        experiment_gate_close();
    int64_t entered_ns = wall_ns();
    for (int i = 0; i < experiment_count(); i++) {
        multiply(together->study->products, i, stream_of(together->mode, i));
        returned_ns[i] = wall_ns();
    }
    if (is_gated(together->mode))
        experiment_gate_open();
    CUDA_CHECK(cudaDeviceSynchronize());
    keep(&outcome->total, (double)(wall_ns() - entered_ns));
    keep(&outcome->queued_after, (double)(returned_ns[1] - returned_ns[0]));
}

void study_predict(struct study *study, enum mode mode) {
    struct pair_facts facts = study->facts;
    facts.same_stream = !own_streams(mode);
    facts.gated = is_gated(mode);
    if (facts.gated)
        facts.release_ns = release_ns();
    study->outcome[mode].predicted = pair_predict(&facts);
}

static int by_start(const void *a, const void *b) {
    int64_t x = ((const struct queued_work *)a)->start_ns;
    int64_t y = ((const struct queued_work *)b)->start_ns;
    return (x > y) - (x < y);
}

/* The class is that of the first two products, in the order queued or let go by the gate. Without a
 * tracer there is none, and no overlap of two streams: events do not tell a kernel that runs from
 * one that waits for room. */
static void judge(struct outcome *outcome, const char *part, enum mode mode) {
    struct pair_seen seen[TRACED_ROUNDS];
    struct queued_work work[MAX_COUNT];
    outcome->rounds = outcome->early = outcome->overlap.n = 0;
    for (int i = 0; i < TRACED_ROUNDS; i++) {
        if (trace_work_of_calls(traced_part(part, i), experiment_count(), work) == 0)
            continue;
        outcome->early += work[experiment_count() - 1].queued_ns < work[0].end_ns;
        if (is_gated(mode))
            qsort(work, (size_t)experiment_count(), sizeof *work, by_start);
        struct pair_seen now = pair_judge(&work[0], &work[1], is_gated(mode));
        samples_add(&outcome->overlap, now.overlap);
        seen[outcome->rounds++] = now;
    }
    if (outcome->rounds > 0)
        outcome->seen = pair_majority(seen, outcome->rounds);
}

static void store_outcome(const struct study *study, const char *part, enum mode mode) {
    const struct outcome *outcome = &study->outcome[mode];
    const char *name = mode_name(mode);
    result(part, text("total %s %d", name, study->dim), "ns", &outcome->total);
    if (mode == TWO_STREAMS)
        result(part, text("queued-after %d", study->dim), "ns", &outcome->queued_after);
    if (outcome->rounds > 0 && (tracer_works() || !own_streams(mode)))
        result(part, text("overlap %s %d", name, study->dim), "share", &outcome->overlap);
    if (outcome->rounds == 0 || !tracer_works())
        return;
    result_value(part, text("class %s %d", name, study->dim), "class", outcome->seen.is);
    result_value(part, text("predicted-class %s %d", name, study->dim), "class",
                 outcome->predicted.likely);
    result_value(part, text("predicted-classes %s %d", name, study->dim), "bits",
                 outcome->predicted.possible);
}

void study_run(struct study *study, char part, enum mode mode, int rounds, struct tally *tally) {
    static struct together together;
    const char *name = timeline_name(text("%c-%s-%d", part, mode_name(mode), study->dim));
    struct outcome *outcome = &study->outcome[mode];
    outcome->total.n = outcome->queued_after.n = 0;
    together.study = study;
    together.mode = mode;
    products_clear(study->products);
    quiet_rounds(name, rounds, TRACED_ROUNDS, together_round, &together);
    verify(study->products, tally);
    judge(outcome, name, mode);
    store_outcome(study, text("%c", part), mode);
}

static void sleeps_behind_gate(void *state) {
    (void)state;
    experiment_gate_close();
    for (int i = 0; i < 2; i++) {
        sleep_kernel<<<1, 32, 0, experiment_stream(i)>>>(cycles_for(100 * 1000), spin_guard());
        LAUNCH_CHECK();
    }
    experiment_gate_open();
    CUDA_CHECK(cudaDeviceSynchronize());
}

double release_ns(void) {
    static struct samples apart;
    if (apart.n > 0 || !tracer_works())
        return apart.n > 0 ? stats_of(&apart).max : 0;
    quiet_rounds("b-release", 1, TRACED_ROUNDS, sleeps_behind_gate, NULL);
    for (int i = 0; i < TRACED_ROUNDS; i++) {
        const struct span *first = trace_kernel(traced_part("b-release", i), 0);
        const struct span *second = trace_kernel(traced_part("b-release", i), 1);
        if (first && second)
            samples_add(&apart, fabs((double)(second->start_ns - first->start_ns)));
    }
    return apart.n > 0 ? stats_of(&apart).max : 0;
}
