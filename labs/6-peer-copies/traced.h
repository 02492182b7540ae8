/* traced.h - the copies of a part of lab 6 as the timeline has them, and which of its records can
 * be believed.
 *
 * A staged copy (through the host) leaves two records, d2h and h2d, each with all bytes but with
 * the time of its last piece only (CUPTI of CUDA 13.0). A record faster than the link or the memory
 * is not that of the whole copy. Then events recorded in the copy's own stream just before and
 * behind it tell how long it took, and the last record when it ended: so for every staged copy, and
 * for any whose record beats its limit. */
#ifndef TRACED_H
#define TRACED_H

#include <stdbool.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct traced {
    struct span span;
    bool staged;           /* recorded as a copy to the host and one from it */
    bool by_events;        /* the start is an event's: the copy may have waited before it ran */
    int64_t sure_ns;       /* from here on it certainly ran */
    double disbelieved_ns; /* time of a record that beat its limit; 0 if none did */
    enum span_kind disbelieved_kind;
};

/* The nth copy of the part, which took event_ns by events in a stream of that GPU. Replaces in the
 * timeline records that do not hold its time by one span. False if nothing of it was recorded. */
bool traced_copy(const char *part, int nth, int gpu, double event_ns, struct traced *copy);

/* The host call that queued it. */
bool traced_call(const char *part, int nth, struct span *call);

/* Of the copy with that GPU's kernel, as a share of the shorter; NaN if there is no such kernel.
 * Where only events tell the start, what may have been waiting does not count. */
double overlap_with_kernel(const struct traced *copy, const char *part, int gpu);

/* Share of that GPU's kernel that had passed when the copy began. */
double begun_in_kernel(const struct traced *copy, const char *part, int gpu);

#ifdef __cplusplus
}
#endif
#endif
