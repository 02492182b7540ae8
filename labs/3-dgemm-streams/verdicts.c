/* verdicts.c - the checks of lab 3. */
#include "verdicts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab.h"
#include "text.h"

static const char no_tracer[] = "without a tracer nobody knows when a kernel really starts";

/* Puts ", " and the text behind what is there. */
static void append(char *list, size_t bytes, const char *format, ...) {
    size_t length = strlen(list);
    va_list arguments;
    if (length > 0 && length + 2 < bytes)
        length += (size_t)snprintf(list + length, bytes - length, ", ");
    va_start(arguments, format);
    vsnprintf(list + length, bytes - length, format, arguments);
    va_end(arguments);
}

static bool was_judged(const struct study *s, enum mode mode) {
    return tracer_works() && s->outcome[mode].rounds > 0 && s->facts.capacity > 0;
}

void verdict_classes(const char *id, const struct study *study, int n, enum mode mode) {
    char measured[400], wrong[300] = "";
    int judged = 0, agree = 0, near = 0;
    for (int i = 0; i < n; i++) {
        const struct outcome *o = &study[i].outcome[mode];
        if (!was_judged(&study[i], mode) || o->predicted.possible == PAIR_ANY)
            continue;
        judged++;
        near += o->predicted.possible != 1U << o->predicted.likely;
        agree += pair_agrees(&o->predicted, o->seen.is);
        if (!pair_agrees(&o->predicted, o->seen.is))
            append(wrong, sizeof wrong, "%d %s, not %s", study[i].dim, pair_class_name(o->seen.is),
                   pair_prediction_name(&o->predicted));
    }
    snprintf(measured, sizeof measured, "%d of %d dims, %d of them near a boundary%s%s", agree,
             judged, near, *wrong ? ": " : "", wrong);
    if (judged == 0)
        check_cannot_show(id,
                          tracer_works() ? "no dim here whose class can be predicted" : no_tracer);
    else
        check(id, agree == judged, measured, "the predicted class at every dim",
              "launch time, kernel time and capacity tell beforehand what will overlap");
}

void verdict_never_overlap(const char *id, const struct study *study, int n, enum mode mode) {
    double largest = 0;
    int rounds = 0;
    for (int i = 0; i < n; i++) {
        const struct samples *overlap = &study[i].outcome[mode].overlap;
        rounds += overlap->n;
        if (overlap->n > 0)
            largest = fmax(largest, stats_of(overlap).max);
    }
    if (rounds == 0)
        check_cannot_show(id, "no usable trace record");
    else
        check(id, largest == 0, text("at most %s in %d rounds", show_percent(largest), rounds),
              "0 %", "a stream starts a product when the last has ended");
}

void verdict_calls_return_early(const char *id, const struct study *study, int n) {
    const struct study *longest = &study[0];
    for (int i = 1; i < n; i++)
        if (study[i].facts.kernel_ns > longest->facts.kernel_ns)
            longest = &study[i];
    const struct outcome *o = &longest->outcome[ONE_STREAM];
    double queueing_ns = median_of(&longest->call) * experiment_count();
    if (o->rounds == 0)
        check_cannot_show(id, "no usable trace record");
    else if (longest->facts.kernel_ns < 4 * queueing_ns)
        check_cannot_show(id,
                          "no product here runs much longer than the calls: add a larger --dims");
    else
        check(id, 2 * o->early > o->rounds,
              text("dim %d: in %d of %d rounds", longest->dim, o->early, o->rounds),
              "all calls returned before the first product ended",
              "cublasDgemm queues its work and does not wait for it");
}

void verdict_gate(const char *id, const struct study *study, int n) {
    char measured[200] = "";
    int expected = 0, overlap = 0;
    for (int i = 0; i < n; i++) {
        const struct outcome *open = &study[i].outcome[TWO_STREAMS];
        const struct outcome *gated = &study[i].outcome[TWO_STREAMS_GATED];
        if (!was_judged(&study[i], TWO_STREAMS) || !was_judged(&study[i], TWO_STREAMS_GATED) ||
            open->seen.is != PAIR_LAUNCH_BOUND ||
            gated->predicted.possible != 1U << PAIR_CONCURRENT)
            continue;
        expected++;
        overlap += gated->seen.is == PAIR_CONCURRENT;
        append(measured, sizeof measured, "%d: %s", study[i].dim,
               show_percent(gated->seen.overlap));
    }
    if (!tracer_works())
        check_cannot_show(id, no_tracer);
    else if (n == 0 || study->outcome[TWO_STREAMS].rounds == 0)
        check_cannot_show(id, "part a has not run: nobody knows what is launch-bound");
    else if (expected == 0)
        check_cannot_show(id, "no dim was launch-bound and sure to leave room");
    else
        check(id, overlap == expected, measured, "overlap at each dim",
              "it was the time to launch that kept them apart, not the device");
}

static const char *show_gap(const struct pair_seen *seen) {
    return text("%s %s its end", show_time(fabs((double)seen->gap_ns)),
                seen->gap_ns < 0 ? "before" : "after");
}

void verdict_tail(const struct study *study) {
    const struct pair_seen *two = &study->outcome[TWO_STREAMS].seen;
    const struct pair_seen *one = &study->outcome[ONE_STREAM].seen;
    if (!was_judged(study, TWO_STREAMS) || !was_judged(study, ONE_STREAM)) {
        check_cannot_show("d-tail-in-two-streams", no_tracer);
        check_cannot_show("d-no-tail-in-one-stream", no_tracer);
        return;
    }
    check("d-tail-in-two-streams", two->gap_ns < 0, show_gap(two), "before the first has ended",
          "the second product takes the places that the last wave leaves free");
    check("d-no-tail-in-one-stream", one->gap_ns >= 0, show_gap(one), "after the first has ended",
          "the same places stay empty when the order is that of one stream");
}

void verdict_one_launch(const struct study *alone, const struct method_run *run) {
    double one = run[BY_ONE_STREAM].makespan_ns, graph = run[BY_GRAPH].makespan_ns;
    double batched = run[BY_BATCH].makespan_ns;
    const char *id = text("e-one-launch-%d", alone->dim);
    if (isnan(one) || isnan(graph) || isnan(batched) || !tracer_works())
        check_cannot_show(id, no_tracer);
    else if (alone->facts.kernel_ns > 0.7 * alone->facts.spacing_ns)
        check_cannot_show(id, "a product here takes the device about as long as its launch or "
                              "longer: launching less often need not help");
    else
        check(id, graph < one && batched < one,
              text("graph %s, batched %s", show_time(graph), show_time(batched)),
              text("less than one stream's %s", show_time(one)),
              "one launch brings all products, so the device need not wait for the host");
}

void verdict_physics(const char *id, const struct study *study, int n) {
    double closest = INFINITY;
    int dim = 0;
    for (int i = 0; i < n; i++) {
        double share = study[i].facts.kernel_ns / products_floor_ns(1, study[i].dim);
        if (share < closest) {
            closest = share;
            dim = study[i].dim;
        }
    }
    if (dim == 0 || isinf(closest)) {
        check_cannot_show(id, "the FP64 rate of this device is not known, or there is no trace");
        return;
    }
    check(id, closest > 0.98, text("dim %d: %.2f times as long", dim, closest),
          "at least the time its FP64 units need",
          "a product faster than the device can be was measured wrong");
}

void verdict_products(char part, const struct tally *tally) {
    if (tally->right + tally->wrong > 0)
        check(text("%c-products-right", part), tally->wrong == 0,
              text("%d right, %d wrong, largest error %s of what is allowed", tally->right,
                   tally->wrong, show_percent(tally->worst)),
              "none wrong", "against an independent computation; not a number is wrong");
    if (tally->unverified_dim == 0)
        return;
    check_cannot_show(text("%c-products-right-from-%d", part, tally->unverified_dim),
                      text("this device only models the time of products of dim %d and above: no "
                           "result to check",
                           tally->unverified_dim));
}
