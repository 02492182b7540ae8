/* tracer_backend.h - what tracer.c needs from whatever can see the device work: CUPTI on a GPU
 * (gpu/cupti.c), the schedule on a simulated GPU (sim/). Nobody else includes this. */
#ifndef TRACER_BACKEND_H
#define TRACER_BACKEND_H

#ifdef __cplusplus
extern "C" {
#endif

/* "cupti" or "sim". */
extern const char backend_name[];

/* Puts the tracer into the process. NULL if work can be recorded, else why not. */
const char *backend_attach(void);

/* Takes it out again: while it is in, host calls take longer even when nothing is recorded. */
void backend_detach(void);

/* Starts recording; the tracer is attached and the device is idle. Work of its own that it needs
 * for a steady state is not among the spans. NULL, or why nothing can be recorded: then it is not
 * called again. */
const char *backend_begin(void);

/* Waits for the device, stops recording, and adds to the timeline, with this part's name, every
 * host call and all device work since backend_begin, in any order. Returns how many records were
 * lost before they got here. */
int backend_end(const char *part);

/* The stand-in without a backend: tracer_events.c. The same meaning. */
void events_begin(void);
void events_end(const char *part);

#ifdef __cplusplus
}
#endif
#endif
