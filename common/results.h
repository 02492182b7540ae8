/* results.h - the two things a lab leaves beside its timeline: figures and verdicts. */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>

#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row of results.csv: median, min, max and cov of the samples.
 * name is words separated by single spaces, the swept value last: "return h2d pageable 65536".
 * Units: "ns", "bytes", "bytes/ns" (= GB/s), "cycles/ns" (= GHz), "share" (0 to 1), "ratio",
 * "count"; "class" and "bits" as in concurrency.h. Copies everything. */
void result(const char *part, const char *name, const char *unit, const struct samples *samples);

/* The same for a single figure (n = 1). */
void result_value(const char *part, const char *name, const char *unit, double value);

/* The largest median among the results of that name, over all parts; 0 if there is none. */
double results_largest(const char *name);

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_CANNOT_SHOW };

/* One row of checks.csv. id: "a-flag-clear-after-queueing", part letter first. measured and
 * required are short texts with units; why says in one sentence what it shows, or why it cannot
 * be shown here. A run that is marked invalid turns every verdict into cannot-show. */
void check(const char *id, bool passed, const char *measured, const char *required,
           const char *why);
void check_cannot_show(const char *id, const char *why);

/* Makes every verdict of this run, also earlier ones, a cannot-show with this reason
 * (CUDA_LAUNCH_BLOCKING=1, another program on the GPU). Copies the text; the first one stays. */
void run_invalid(const char *reason);
const char *run_invalid_reason(void); /* NULL while valid */

int checks_count(enum verdict verdict);

/* Writes results.csv, checks.csv into dir; prints the check table. Used by lab_end. */
void results_write(const char *dir);
void checks_write(const char *dir);
void checks_print(void);

#ifdef __cplusplus
}
#endif
#endif
