/* program.h - part a of lab 2: what is measured in program.cu and reported in program_report.c. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>

#include "queued.h"
#include "spans.h"

#ifdef __cplusplus
extern "C" {
#endif

enum direction { COPY_IN, COPY_OUT, DIRECTIONS };
enum state { UNTOUCHED, TOUCHED, PINNED, REGISTERED, STATES }; /* of the host memory */
enum wait { SPIN, BLOCK, WAITS };                              /* how the driver waits */

/* In ns of wall time, or of CPU time of the process. */
struct measured {
    struct call copy[DIRECTIONS];
    struct samples copy_cpu[DIRECTIONS];
    struct samples synchronise, synchronise_cpu;
    struct samples total; /* first call to the end of the synchronisation */
};

extern struct measured runs[STATES][WAITS]; /* no samples where the driver refused the mode */
extern int corrupt_rounds;

const char *state_name(enum state state);
void introduce_program(void);
void report_program(void);

#ifdef __cplusplus
}
#endif
#endif
