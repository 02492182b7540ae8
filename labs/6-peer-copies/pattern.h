/* pattern.h - device memory filled with a pattern, and counted byte by byte after a copy. */
#ifndef PATTERN_H
#define PATTERN_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The 8 bytes at word i: each word and each seed gives another, so that bytes which arrive late,
 * in the wrong place or not at all are seen (the finaliser of splitmix64, Vigna 2015). */
#ifdef __CUDACC__
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif
static inline ON_BOTH uint64_t pattern_word(uint64_t seed, uint64_t i) {
    uint64_t z = seed * 0x100000001b3u + i + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Both work on memory of the current device, bytes a multiple of 8, and wait until it is done. */
void pattern_fill(void *memory, size_t bytes, uint64_t seed);
uint64_t pattern_wrong_bytes(const void *memory, size_t bytes, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
