/* clock.h - the host's clocks. On a simulated GPU both are the simulator's virtual clock.
 * Implemented by gpu/clock.c and by the simulator. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { US = 1000, MS = 1000 * US }; /* ns */

/* Wall time in ns since an arbitrary start; never goes back (CLOCK_MONOTONIC). */
int64_t wall_ns(void);

/* CPU time used by this process, all threads, in ns (CLOCK_PROCESS_CPUTIME_ID).
 * It stands still while the process sleeps, and runs while the driver spins. */
int64_t cpu_ns(void);

#ifdef __cplusplus
}
#endif
#endif
