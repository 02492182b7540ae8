/* large.h - a copy between two GPUs so large that the driver cannot queue all of it at once. */
#ifndef LARGE_H
#define LARGE_H

#include "gpus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies that many bytes from a to b with nothing beside, in part b of the run: how much of the
 * copy has passed when the call returns. Results: "large bytes", "large return", "large copy" (ns,
 * by events), "large rate", "large return share" (of the copy). Says so if there is no memory. */
void large_copy(const struct gpu *a, const struct gpu *b, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
