/* kernels.h - the kernels all labs share. Each spins; each gives up after a time limit, and then
 * the run fails naming it. */
#ifndef KERNELS_H
#define KERNELS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In pinned host memory that the device can read and write. */
struct spin_guard {
    int64_t limit_ns;       /* a kernel gives up after this long (globaltimer) */
    volatile int timed_out; /* which one did: enum spin_kernel, 0 if none */
};
enum spin_kernel { SPIN_NONE, SPIN_SLEEP, SPIN_GATE, SPIN_STAMP, SPIN_TRANSFORM };

#ifdef __CUDACC__
/* Each thread spins until `cycles` of the SM's clock have passed. */
__global__ void sleep_kernel(int64_t cycles, struct spin_guard *guard);

/* One thread spins until *open, in pinned memory, is not 0. Work queued behind it in its stream,
 * or behind an event recorded after it, waits until the host calls gate_open. */
__global__ void gate_kernel(volatile int *open, struct spin_guard *guard);
#endif

/* True if CUDA_LAUNCH_BLOCKING is set: every launch waits for its kernel, and the run is invalid
 * (CUDA programming guide, on CUDA_LAUNCH_BLOCKING). */
bool launches_block(void);

/* Loads the kernels (a first launch may wait for the device to drain: lazy loading) and measures
 * the SM clock so that sleeps last as long as they say. Called by lab_begin. */
void kernels_init(void);
void kernels_free(void);

/* Queues a kernel, a copy and a memset and waits for them: takes the cost of the first calls after
 * something changed (a tracer switched on or off), so that the next ones are as they always are. */
void throw_away_work(void);

/* The guard all launches pass on. */
struct spin_guard *spin_guard(void);

/* Cycles of the SM clock that last this long, as measured on this device (within 10 %). */
int64_t cycles_for(int64_t ns);

/* Call after a synchronisation: dies with EXIT_FAIL, naming the kernel, if one gave up. */
void spin_check(void);

/* sleep_kernel<<<blocks, threads, 0, stream>>> for that long: each block holds its place on an SM
 * for `ns`, then ends. Returns the launch's error. */
cudaError_t launch_sleep(int64_t blocks, int64_t threads, int64_t ns, cudaStream_t stream);

/* A gate holds a stream until the host opens it. Never put a pageable copy or a first launch
 * behind one: either may wait for the device, and the device waits for the host. */
struct gate;
struct gate *gate_new(void);
void gate_close(struct gate *gate, cudaStream_t stream); /* queues gate_kernel<<<1, 1>>> */
void gate_open(struct gate *gate);
void gate_free(struct gate *gate);

/* Waves of sleep_kernel: blocks resident at once on this device with that many threads. */
int sleep_capacity(int threads);

#ifdef __cplusplus
}
#endif
#endif
