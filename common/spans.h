/* spans.h - measures over all the device work of one traced part. */
#ifndef SPANS_H
#define SPANS_H

#include <stdint.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From the start of the first device operation to the end of the last, in ns; 0 if there is none.
 */
int64_t device_makespan_ns(const char *part);

/* Time during which at least one operation ran on the device, in ns. */
int64_t device_busy_ns(const char *part);

/* The end of the last device operation, 0 if there is none. */
int64_t device_end_ns(const char *part);

/* Sum over all spans of one kind, in ns and bytes: a pageable copy may be recorded in pieces. */
int64_t total_ns(const char *part, enum span_kind kind);
int64_t total_bytes(const char *part, enum span_kind kind);

/* total_ns as a measurement: NaN if there is no such span. */
double device_ns(const char *part, enum span_kind kind);

/* Copies between host and device, and between devices: the sum of their durations, and how much of
 * it passed while a kernel ran, in ns. */
int64_t copy_ns(const char *part);
int64_t copy_hidden_ns(const char *part);

#ifdef __cplusplus
}
#endif
#endif
