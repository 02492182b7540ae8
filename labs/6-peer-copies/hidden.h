/* hidden.h - how much of a part's copies between GPUs passed while kernels ran on both. */
#ifndef HIDDEN_H
#define HIDDEN_H

#include <stdint.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hidden {
    int64_t copies_ns; /* sum of the copies' times */
    int64_t hidden_ns; /* ... while a kernel ran on each of the two GPUs (of those times the
                          shorter) */
    int64_t bytes;
};

struct hidden hidden_copies(const char *part, int gpu, int other_gpu);

#ifdef __cplusplus
}
#endif
#endif
