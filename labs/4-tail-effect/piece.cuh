/* piece.cuh - one piece of work on the device, with its stamp. For .cu files only. */
#ifndef PIECE_CUH
#define PIECE_CUH

#include "blocks.h"
#include "spin.cuh"

static __device__ int sm_id(void) {
    int sm = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
#endif
    return sm;
}

/* One thread spins for its block; the others wait for it and hold their places on the SM. The
 * stamps are of globaltimer: one clock for all SMs, in steps of up to 1 us. */
static __device__ void run_piece(int64_t cycles, struct stamp *stamp, struct spin_guard *guard) {
    int64_t start_ns = global_ns();
    spin(clock64(), cycles, guard, SPIN_STAMP);
    stamp->start_ns = start_ns;
    stamp->end_ns = global_ns();
    stamp->sm = sm_id();
    stamp->block = (int)blockIdx.x;
}

#endif
