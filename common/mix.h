/* mix.h - numbers that look random, of which number i needs no other: on the host and in kernels.
 */
#ifndef MIX_H
#define MIX_H

#include <stdint.h>

#ifdef __CUDACC__
#define MIX_ON_BOTH __host__ __device__
#else
#define MIX_ON_BOTH
#endif

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014; constants: Vigna 2015): one to one, and
 * every bit of z changes about half of the result's. */
static inline MIX_ON_BOTH uint64_t mix64(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#define MIX_STEP 0x9e3779b97f4a7c15u /* between one z and the next: 2^64 / the golden ratio */

#endif
