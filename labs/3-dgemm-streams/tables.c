/* tables.c - the tables lab 3 prints. What nobody knows without a tracer is a dash. */
#include "tables.h"

#include <math.h>
#include <stdio.h>

#include "lab.h"

static const char *class_text(const struct outcome *o) {
    return o->rounds > 0 && tracer_works() ? pair_class_name(o->seen.is) : "-";
}

static const char *overlap_text(const struct outcome *o) {
    return tracer_works() ? show_percent(median_of(&o->overlap)) : "-";
}

static void blocks_cell(const struct pair_facts *facts) {
    if (facts->capacity > 0)
        table_cell("%ld of %d", facts->blocks, facts->capacity);
    else
        table_cell("-");
}

void print_alone(const struct study *study, int n) {
    table_begin(5, "dim", "call returns", "product runs", "blocks of places", "waves");
    for (int i = 0; i < n; i++) {
        const struct pair_facts *facts = &study[i].facts;
        table_cell("%d", study[i].dim);
        table_cell("%s", show_time(median_of(&study[i].call)));
        table_cell("%s", show_time(facts->kernel_ns));
        blocks_cell(facts);
        if (facts->capacity > 0)
            table_cell("%.2f", (double)facts->blocks / facts->capacity);
        else
            table_cell("-");
    }
    table_end();
}

static void predicted_row(const struct study *study, enum mode mode) {
    const struct pair_prediction *predicted = &study->outcome[mode].predicted;
    table_cell("%d", study->dim);
    table_cell("%s", mode_name(mode));
    table_cell("%s", pair_prediction_name(predicted));
    table_cell("%s", pair_why_predicted(&study->facts, predicted));
}

void print_predicted(const struct study *study, int n, const enum mode *modes, int mode_count) {
    if (!tracer_works()) {
        say("\nWithout a tracer nobody knows how many blocks a product has: no prediction.");
        return;
    }
    printf("\nPredicted before any two are queued together, for rounds under the tracer:\n");
    table_begin(4, "dim", "mode", "class", "because the first");
    for (int i = 0; i < n; i++)
        for (int m = 0; m < mode_count; m++)
            predicted_row(&study[i], modes[m]);
    table_end();
}

static void observed_row(const struct study *study, enum mode mode) {
    const struct outcome *o = &study->outcome[mode];
    table_cell("%d", study->dim);
    table_cell("%s", mode_name(mode));
    table_cell("%s", show_time(median_of(&o->queued_after)));
    table_cell("%s", show_time(median_of(&o->total)));
    table_cell("%s", overlap_text(o));
    table_cell("%s", class_text(o));
    table_cell("%s", o->rounds > 0 && tracer_works() ? pair_why_seen(&o->seen) : "-");
}

void print_observed(const struct study *study, int n, const enum mode *modes, int mode_count) {
    printf("\nObserved (times without the tracer, medians; overlap and class: most of %d traced "
           "rounds):\n",
           TRACED_ROUNDS);
    table_begin(7, "dim", "mode", "2nd queued after", "all done after", "overlap", "class",
                "because");
    for (int i = 0; i < n; i++)
        for (int m = 0; m < mode_count; m++)
            observed_row(&study[i], modes[m]);
    table_end();
}

static void swept_row(const struct study *study) {
    table_cell("%d", study->dim);
    table_cell("%s", show_time(study->facts.kernel_ns));
    blocks_cell(&study->facts);
    for (int gated = 0; gated < 2; gated++) {
        const struct outcome *o = &study->outcome[gated ? TWO_STREAMS_GATED : TWO_STREAMS];
        table_cell("%s", tracer_works() ? pair_prediction_name(&o->predicted) : "-");
        table_cell("%s", class_text(o));
        table_cell("%s", overlap_text(o));
    }
}

void print_sweep(const struct study *swept, int n) {
    table_begin(9, "dim", "runs", "blocks", "predicted", "observed", "overlap", "gated: predicted",
                "observed", "overlap");
    for (int i = 0; i < n; i++)
        swept_row(&swept[i]);
    table_end();
}

void print_tail(const struct study *study, const enum mode *modes, int mode_count) {
    table_begin(5, "mode", "overlap predicted", "observed", "second starts, to the first's end",
                "all done after");
    for (int m = 0; m < mode_count; m++) {
        const struct outcome *o = &study->outcome[modes[m]];
        table_cell("%s", mode_name(modes[m]));
        table_cell("%s", show_percent(o->predicted.overlap));
        table_cell("%s", overlap_text(o));
        table_cell("%s %s", show_time(fabs((double)o->seen.gap_ns)),
                   o->seen.gap_ns < 0 ? "before" : "after");
        table_cell("%s", show_time(median_of(&o->total)));
    }
    table_end();
}
