/* pattern.h - device memory filled with a pattern, and counted byte by byte after a copy. */
#ifndef PATTERN_H
#define PATTERN_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "mix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The 8 bytes at word i: each word and each seed gives another, so that bytes which arrive late,
 * in the wrong place or not at all are seen. */
static inline MIX_ON_BOTH uint64_t pattern_word(uint64_t seed, uint64_t i) {
    return mix64(seed * 0x100000001b3u + i + MIX_STEP);
}

/* Both work on memory of the current device, bytes a multiple of 8, and wait until it is done. */
void pattern_fill(void *memory, size_t bytes, uint64_t seed);
uint64_t pattern_wrong_bytes(const void *memory, size_t bytes, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
