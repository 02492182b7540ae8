/* kernels.cu - the spinning kernels all labs share, their calibration and their time-outs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "error.h"
#include "kernels.h"
#include "spin.cuh"

enum {
    GATE_SLOTS = 64,
    SPIN_LIMIT_S = 10,
    WARM_UP_NS = 50 * 1000 * 1000,
    WARM_UP_CYCLES = 2 * 1000 * 1000,
    WARM_UP_ROUNDS = 200,
    CALIBRATION_TRIES = 5
};

/* Each closing takes a flag of its own, so that closing a gate again cannot hide an opening from
 * a gate_kernel that has not polled since. */
struct gate {
    volatile int *open;
    int slot;
};

/* By enum spin_kernel. */
static const char *const kernel_names[] = {"", "sleep_kernel", "gate_kernel", "stamp_kernel",
                                           "transform_kernel"};
static struct spin_guard *guard;
static int *scratch; /* device memory */
static double cycles_per_ns;

extern "C" __global__ void sleep_kernel(int64_t cycles, struct spin_guard *guard) {
    spin(clock64(), cycles, guard, SPIN_SLEEP);
}

extern "C" __global__ void gate_kernel(volatile int *open, struct spin_guard *guard) {
    int64_t start_ns = global_ns();
    int64_t limit_ns = guard->limit_ns;
    while (!*open) {
        if (global_ns() - start_ns > limit_ns) {
            guard->timed_out = SPIN_GATE;
            return;
        }
    }
}

/* Time of one sleeping thread between two events of its stream, in ns. */
static double sleep_ns(int64_t cycles, cudaStream_t stream, cudaEvent_t start, cudaEvent_t end) {
    float ms = 0;
    CUDA_CHECK(cudaEventRecord(start, stream));
    sleep_kernel<<<1, 1, 0, stream>>>(cycles, guard);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, end));
    return (double)ms * 1e6;
}

/* An idle GPU runs at a fraction of its clock and takes some ms of work to raise it. */
static void raise_clock(cudaStream_t stream, cudaEvent_t start, cudaEvent_t end) {
    double total_ns = 0, before_ns = 0;
    for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        double ns = sleep_ns(WARM_UP_CYCLES, stream, start, end);
        total_ns += ns;
        if (total_ns > WARM_UP_NS && fabs(ns - before_ns) < 0.01 * ns)
            return;
        before_ns = ns;
    }
}

/* The slope between two lengths is the clock; launch and event overheads are in both and cancel. */
static void calibrate(cudaStream_t stream, cudaEvent_t start, cudaEvent_t end) {
    const int64_t short_cycles = 1000 * 1000, long_cycles = 8 * short_cycles;
    double off = 1;
    for (int i = 0; i < CALIBRATION_TRIES && off > 0.1; i++) {
        double short_ns = sleep_ns(short_cycles, stream, start, end);
        double long_ns = sleep_ns(long_cycles, stream, start, end);
        cycles_per_ns = (double)(long_cycles - short_cycles) / fmax(1, long_ns - short_ns);
        off = 0;
        for (int64_t ns = 500 * 1000; ns <= 8 * 1000 * 1000; ns *= 4)
            off = fmax(off, fabs(sleep_ns(cycles_for(ns), stream, start, end) / (double)ns - 1));
    }
    if (off > 0.1)
        warn("the SM clock is unsteady: a sleep lasted %.0f %% more or less than asked for; "
             "fix the clock (nvidia-smi --lock-gpu-clocks) or wait until the GPU is idle",
             off * 100);
}

bool launches_block(void) {
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    return blocking && *blocking && strcmp(blocking, "0") != 0;
}

static void load_gate_kernel(cudaStream_t stream) {
    struct gate *gate = gate_new();
    gate_close(gate, stream);
    gate_open(gate);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    gate_free(gate);
}

void kernels_init(void) {
    cudaStream_t stream;
    cudaEvent_t start, end;
    CUDA_CHECK(cudaHostAlloc((void **)&guard, sizeof *guard, cudaHostAllocPortable));
    guard->limit_ns = SPIN_LIMIT_S * (int64_t)1000 * 1000 * 1000;
    guard->timed_out = SPIN_NONE;
    CUDA_CHECK(cudaMalloc((void **)&scratch, sizeof *scratch));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&end));
    sleep_ns(1, stream, start, end);
    raise_clock(stream, start, end);
    calibrate(stream, start, end);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(end));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    load_gate_kernel(stream);
    CUDA_CHECK(cudaStreamDestroy(stream));
    spin_check();
}

void kernels_free(void) {
    CUDA_CHECK(cudaFree(scratch));
    CUDA_CHECK(cudaFreeHost(guard));
    scratch = NULL;
    guard = NULL;
}

void throw_away_work(void) {
    cudaStream_t stream;
    int host = 0;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    sleep_kernel<<<1, 1, 0, stream>>>(1, guard);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpyAsync(scratch, &host, sizeof host, cudaMemcpyDefault, stream));
    CUDA_CHECK(cudaMemsetAsync(scratch, 0, sizeof *scratch, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

struct spin_guard *spin_guard(void) {
    return guard;
}

int64_t cycles_for(int64_t ns) {
    return (int64_t)((double)ns * cycles_per_ns);
}

void spin_check(void) {
    int which = guard->timed_out;
    if (which == SPIN_NONE)
        return;
    if (which == SPIN_GATE)
        die(EXIT_FAIL,
            "gate_kernel gave up after %g s: nothing opened the gate, because a call queued "
            "behind it waited for the device; run again, with fewer --parts if it stays",
            (double)guard->limit_ns * 1e-9);
    die(EXIT_FAIL,
        "%s gave up after %g s: it was to spin for longer than that, or the SM clock fell; ask "
        "for a shorter time",
        kernel_names[which], (double)guard->limit_ns * 1e-9);
}

cudaError_t launch_sleep(int64_t blocks, int64_t threads, int64_t ns, cudaStream_t stream) {
    sleep_kernel<<<(unsigned)blocks, (unsigned)threads, 0, stream>>>(cycles_for(ns), guard);
    return cudaGetLastError();
}

struct gate *gate_new(void) {
    struct gate *gate = (struct gate *)malloc(sizeof *gate);
    if (!gate)
        die(EXIT_ENVIRONMENT, "gate_new: out of host memory; close other programs");
    CUDA_CHECK(cudaHostAlloc((void **)&gate->open, GATE_SLOTS * sizeof *gate->open,
                             cudaHostAllocPortable));
    gate->slot = 0;
    gate_open(gate);
    return gate;
}

/* With unified addressing (every 64-bit system) pinned memory has the same address on the device:
 * CUDA C++ Programming Guide, "Unified Virtual Address Space".
 * Where launches block, this one comes back when its kernel has ended, and nobody could open the
 * gate: it is left open. Such a run is invalid. */
void gate_close(struct gate *gate, cudaStream_t stream) {
    gate->slot = (gate->slot + 1) % GATE_SLOTS;
    volatile int *open = &gate->open[gate->slot];
    *open = launches_block();
    gate_kernel<<<1, 1, 0, stream>>>(open, guard);
    LAUNCH_CHECK();
}

void gate_open(struct gate *gate) {
    for (int i = 0; i < GATE_SLOTS; i++)
        gate->open[i] = 1;
}

void gate_free(struct gate *gate) {
    CUDA_CHECK(cudaFreeHost((void *)gate->open));
    free(gate);
}

int sleep_capacity(int threads) {
    return device_capacity((const void *)sleep_kernel, threads, 0);
}
