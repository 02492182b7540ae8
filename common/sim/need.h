/* need.h - memory of the simulator's own. If there is none the run ends with EXIT_ENVIRONMENT. */
#ifndef SIM_NEED_H
#define SIM_NEED_H

#include <stddef.h>

/* Zeroed; the caller frees it. */
void *need_memory(size_t count, size_t bytes) __attribute__((malloc, returns_nonnull));

/* realloc: what is new is not zeroed. The caller frees it, and no longer what it gave. */
void *more_memory(void *memory, size_t bytes) __attribute__((returns_nonnull));

#endif
