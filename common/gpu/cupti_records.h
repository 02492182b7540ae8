/* cupti_records.h - CUPTI's records become spans. Only for cupti.c. */
#ifndef CUPTI_RECORDS_H
#define CUPTI_RECORDS_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

/* Spans of this part: calls entered between the two times, and the work they queued. */
void records_begin(const char *part, int64_t begin_ns, int64_t end_ns);

/* First over all records, to tell the throw-away work's from the part's. */
void records_survey(CUpti_Activity *record);

/* True if the throw-away work was recorded: then the tracer can be believed. */
bool records_seen_throw_away(void);

/* Then over all records again: adds a span for each that belongs to the part. */
void records_add(CUpti_Activity *record);

#endif
