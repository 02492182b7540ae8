/* clock.c - the host's clocks on a real GPU. */
#include <time.h>

#include "clock.h"
#include "device.h"

const char device_kind[] = "gpu";

static int64_t read_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t wall_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

int64_t cpu_ns(void) {
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}
