/* run.h - the life of a lab: begin, parts, rounds, end. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lab {
    const char *name;                  /* "lab-1": the prefix of messages, the folder in out/ */
    const char *title;                 /* "async-check" */
    const char *summary;               /* one or two sentences for --help and the report */
    const char *const *parts;          /* titles of parts a, b, c, ...; ends with NULL */
    const struct option_spec *options; /* ends with {0}; NULL if none */
};

/* Parses the command line (--help and --version end here), marks the run invalid if
 * CUDA_LAUNCH_BLOCKING is set, picks the device, takes its lock, starts the tracer, creates the
 * context, prepares the kernels and prints the heading: lab, device, and SIMULATED if it is. */
void lab_begin(const struct lab *lab, int argc, char **argv);

/* True if the part was asked for (--parts); prints its heading. */
bool part_begin(char letter);

/* How many rounds to measure: --repeats, or 11 for work under 100 ms a round, 3 above. */
int repeats(int64_t round_ns);

/* One round: queue the work, wait for it, keep() what was measured. */
typedef void round_fn(void *state);

/* One warm-up round, n measured rounds without the tracer, one round under the tracer as spans
 * of `part`. keep() keeps values in the measured rounds only. Prints how much the tracer slows
 * a round and stores it as the result "tracer slow-down". The device is idle between rounds. */
void part_rounds(const char *part, int n, round_fn *round, void *state);

/* The same for parts with many small configurations: prints nothing, and traces several rounds, the
 * ith as spans of traced_part(part, i): "a-64", "a-64-round-2", ... The slow-down is that of the
 * first. */
void quiet_rounds(const char *part, int n, int traced, round_fn *round, void *state);
const char *traced_part(const char *part, int i);

/* Writes run.csv, results.csv, timeline.csv, checks.csv to --out, prints the checks, frees what
 * lab_begin took, and returns the exit status for main. */
int lab_end(void);

extern int64_t opt_repeats; /* --repeats; 0: not given */

#ifdef __cplusplus
}
#endif
#endif
