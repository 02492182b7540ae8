/* concurrency.h - the class of two pieces of work, one queued after the other: what a timeline
 * shows, and what launch time, kernel time and capacity say beforehand.
 *
 *                        starts when it gets there    held back by the device
 *    runs beside first   concurrent                   tail-only
 *    runs after first    launch-bound                 serial
 *
 * "Gets there": queued, plus the time a launch takes to the device. Behind a gate both are there
 * before the first starts, so nothing is launch-bound. */
#ifndef CONCURRENCY_H
#define CONCURRENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values are those of results.csv, unit "class". */
enum pair_class { PAIR_LAUNCH_BOUND, PAIR_CONCURRENT, PAIR_TAIL_ONLY, PAIR_SERIAL, PAIR_CLASSES };
enum { PAIR_ANY = (1 << PAIR_CLASSES) - 1 };

const char *pair_class_name(enum pair_class of); /* "tail-only" */

/* ---- what was seen --------------------------------------------------------------------------- */

/* One call's work on the device. A library call may launch several kernels: from the start of its
 * first to the end of its last. All on the host's wall clock. */
struct queued_work {
    int64_t queued_ns; /* the call that queued it had returned */
    int64_t start_ns, end_ns;
};

struct pair_seen {
    enum pair_class is;
    double overlap;  /* share of the shorter one, 0 to 1 */
    int64_t held_ns; /* it was there, and the device did not start it, for so long */
    int64_t late_ns; /* it got there so long after the first had ended; negative: before */
    int64_t gap_ns;  /* it started so long after the first had ended; negative: before */
};

/* The class of a pair in one traced round. `first` was queued first, on an idle device; or both
 * were behind a closed gate: then the first is the one that starts first. */
struct pair_seen pair_judge(const struct queued_work *first, const struct queued_work *second,
                            bool gated);

/* Which of these rounds stands for all: one of the most frequent class, with the median overlap
 * among those. n > 0. */
struct pair_seen pair_majority(const struct pair_seen *rounds, int n);

/* The work of each of `calls` equal calls traced as this part, in the order queued, without
 * gate_kernel. queued_ns is taken from the host calls of the trace; 0 where there is none.
 * Returns the kernels per call, or 0 if they cannot be divided among the calls. */
int trace_work_of_calls(const char *part, int calls, struct queued_work *work);

/* The nth kernel of the part without gate_kernel, or NULL. */
const struct span *trace_kernel(const char *part, int nth);

/* ---- what to expect -------------------------------------------------------------------------- */

/* Measured without looking at any pair: one call alone, and the time between two calls. */
struct pair_facts {
    double spacing_ns; /* from one call's return to the next one's, as the host queues them */
    double kernel_ns;  /* the work of one call, alone on the device */
    long blocks;       /* ... of its longest kernel */
    int capacity;      /* blocks of that kernel which the device holds at once; 0: not known */
    int sms;
    bool same_stream;
    bool gated;        /* both queued before either may start: spacing does not count */
    double release_ns; /* gated: the second stream starts so long after the first */
};

struct pair_prediction {
    unsigned possible;      /* bit 1 << class: more than one close to a boundary; PAIR_ANY: no
                             * prediction, so nothing to hold it to */
    enum pair_class likely; /* one of them */
    double overlap;         /* what the likely class gives: share of the first kernel's time */
};

/* Near a boundary more than one class is possible: kernel about as long as the spacing, a first
 * kernel that leaves room only on SMs it works on itself, a tail about to vanish. capacity 0: only
 * what does not depend on it is left out. */
struct pair_prediction pair_predict(const struct pair_facts *facts);

bool pair_agrees(const struct pair_prediction *prediction, enum pair_class seen);

/* "launch-bound", or "concurrent or tail-only", the likely one first, or "any"; kept like the
 * reasons below. */
const char *pair_prediction_name(const struct pair_prediction *prediction);

/* One clause that gives the reason, with the figures; in one of text's rotating buffers (text.h).
 */
const char *pair_why_predicted(const struct pair_facts *facts, const struct pair_prediction *is);
const char *pair_why_seen(const struct pair_seen *seen);

/* Time that `count` such calls need when nothing but the device's capacity holds them: all blocks
 * in waves, the last one not full. kernel_ns and blocks as above. */
double packed_ns(const struct pair_facts *facts, int count);

#ifdef __cplusplus
}
#endif
#endif
