/* run_range.h - names the parts of a run for profilers (Nsight Systems), through NVTX. */
#ifndef RUN_RANGE_H
#define RUN_RANGE_H

/* Ends the range that is open, if any, and begins one of that name. Nothing without NVTX. */
void range_begin(const char *name);
void range_end(void);

#endif
