/* verdicts.h - the checks of lab 3. Each compares what was seen with what the theory says for this
 * device; none expects a dim to overlap because it did on another GPU. */
#ifndef VERDICTS_H
#define VERDICTS_H

#include "study.h"
#include "methods.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Was the predicted class seen at every dim? Close to a boundary either of two will do. */
void verdict_classes(const char *id, const struct study *study, int n, enum mode mode);

/* Control: products of one stream never overlap, in no round. */
void verdict_never_overlap(const char *id, const struct study *study, int n, enum mode mode);

/* At the longest product: all calls had returned before the first product was done. */
void verdict_calls_return_early(const char *id, const struct study *study, int n);

/* Dims that were launch-bound and leave room overlap behind the gate. */
void verdict_gate(const char *id, const struct study *study, int n);

/* The tail: in two streams the second product starts before the first has ended, in one it does
 * not. */
void verdict_tail(const struct study *study);

/* Where products are launch-bound, one launch of all of them takes the device less time. */
void verdict_one_launch(const struct study *alone, const struct method_run *run);

/* No product is faster than the device's FP64 units. */
void verdict_physics(const char *id, const struct study *study, int n);

/* All products of a part are right; those the device does not compute cannot be shown to be. */
void verdict_products(char part, const struct tally *tally);

#ifdef __cplusplus
}
#endif
#endif
