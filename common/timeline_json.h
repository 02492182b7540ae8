/* timeline_json.h - timeline.json: the run's timeline for ui.perfetto.dev and chrome://tracing. */
#ifndef TIMELINE_JSON_H
#define TIMELINE_JSON_H

#ifdef __cplusplus
extern "C" {
#endif

/* Writes dir/timeline.json in the form that PyTorch's profiler writes: a process for the host and
 * for each device, a thread for each stream, an arrow from each call to the work it queued. Every
 * field of timeline.csv is in it, with the same values. The file appears whole or not at all. */
void timeline_json_write(const char *dir);

#ifdef __cplusplus
}
#endif
#endif
