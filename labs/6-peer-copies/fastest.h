/* fastest.h - what no copy of lab 6 can beat: a time that does is not that of the copy. */
#ifndef FASTEST_H
#define FASTEST_H

#include "gpus.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the limits out. host_rate: what a copy to pinned memory ran at, in bytes per ns. b: NULL if
 * there is no second GPU. */
void limits_init(const struct gpu *a, const struct gpu *b, double host_rate);

/* Bytes per ns that no copy of this kind can exceed, 0 if not known, and in *what (unless NULL)
 * what sets the limit: h2d, d2h: the link to the host; peer: the memory of either GPU; d2d: half of
 * the memory's rate, because there each byte is read and written. */
double limit_of(enum span_kind kind, const char **what);

/* True unless the copy is faster than its limit. */
bool within_limit(enum span_kind kind, double bytes, double ns);

#ifdef __cplusplus
}
#endif
#endif
