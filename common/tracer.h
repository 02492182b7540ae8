/* tracer.h - records what the device does. On a GPU this is CUPTI's activity API (gpu/cupti.c);
 * on a simulated GPU the simulator's own schedule (both: tracer_backend.h). Where neither can be
 * had, events recorded round the work stand in: name the work with event_span_begin and
 * event_span_end. */
#ifndef TRACER_H
#define TRACER_H

#include <cuda_runtime.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before tracer_init: no tracer in this run, for this reason ("--no-trace"). Not copied. */
void tracer_disable(const char *reason);

/* Prepares the tracer; called once by lab_begin before the CUDA context exists. */
void tracer_init(void);

/* "cupti", "sim", or "none: <reason>". Can become none later, when recording is refused. */
const char *tracer_name(void);

/* True if device work is recorded by a tracer (not by events). */
bool tracer_works(void);

/* Records everything from here to trace_end as spans of this part.
 * The device must be idle. Tracing slows launches: never time host calls while it is on. */
void trace_begin(const char *part);

/* Waits for the device, collects the spans into the timeline in launch order and validates them:
 * warns of records it had to reject, and counts them (timeline_rejected). Dies if kernels were
 * launched and none was recorded. */
void trace_end(void);

/* The tracer is in the process only from trace_begin to trace_end: CUPTI, once attached, makes each
 * launch a third slower even while nothing is recorded (measured on an H200, CUDA 13.0), and
 * attaching takes about 15 ms. Several traced rounds in a row can share one attachment: attach
 * before the first, detach after the last. */
void tracer_attach(void);
void tracer_detach(void);

/* True between trace_begin and trace_end. */
bool tracing(void);

/* Without a tracer, and only then, and only between trace_begin and trace_end, these record one
 * event before and one after the work queued between them, and trace_end makes two spans of it:
 * the work, and an api span "queue <name>" for the host's time between begin and end.
 * Elapsed times between events have a resolution of about 0.5 us (cudaEventElapsedTime); host
 * and device times are aligned within about 10 us. Spans of one stream may not be nested. */
void event_span_begin(cudaStream_t stream, enum span_kind kind, const char *name);
void event_span_end(cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
