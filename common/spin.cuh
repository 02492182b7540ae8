/* spin.cuh - how a kernel passes time on the device, with a time-out. For .cu files only. */
#ifndef SPIN_CUH
#define SPIN_CUH

#include "kernels.h"

/* PTX %globaltimer: ns, the same for all SMs; it steps by up to 1 us, 32 ns on an H200. */
static __device__ __forceinline__ int64_t global_ns(void) {
    int64_t now = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
#endif
    return now;
}

/* Spins until `cycles` of this SM's clock have passed since start_cycles. After guard->limit_ns it
 * gives up and leaves `kernel` in the guard, for spin_check. */
static __device__ __forceinline__ void spin(int64_t start_cycles, int64_t cycles,
                                            struct spin_guard *guard, enum spin_kernel kernel) {
    int64_t start_ns = global_ns();
    int64_t limit_ns = guard->limit_ns;
    while (clock64() - start_cycles < cycles) {
        if (global_ns() - start_ns > limit_ns) {
            guard->timed_out = kernel;
            return;
        }
    }
}

#endif
