/* first.cu - what lab 5 does in a fresh process. */
#include <stdlib.h>
#include <string.h>

#include "first.h"
#include "lab.h"
#include "spin.cuh"

/* ---- kernels --------------------------------------------------------------------------------- */

extern "C" __global__ void first_kernel(int *out) {
    *out = 1;
}

extern "C" __global__ void other_kernel(int *out) {
    *out = 2;
}

/* Runs for that many cycles of the SM's clock and leaves how many ns that took. */
extern "C" __global__ void clock_kernel(int64_t cycles, int64_t *ns) {
    int64_t start_cycles = clock64();
    int64_t start_ns = global_ns();
    while (clock64() - start_cycles < cycles)
        continue;
    *ns = global_ns() - start_ns;
}

/* Spins until it is told to stop, or for limit_ns. */
extern "C" __global__ void hold_kernel(struct hold *hold, int64_t limit_ns) {
    int64_t start_ns = global_ns();
    hold->started = 1;
    while (!hold->stop && global_ns() - start_ns < limit_ns)
        continue;
    hold->spun_ns = global_ns() - start_ns;
}

/* ---- context, kernels, and other things ------------------------------------------------------ */

const char *const order_names[ORDERS] = {"cudaFree-first", "cudaSetDevice-first",
                                         "cudaMalloc-first"};

static void call_free(struct numbers *out) {
    TIME(out, cudaFree(0));
}

static void call_set_device(struct numbers *out) {
    TIME(out, cudaSetDevice(0));
}

static void call_malloc(struct numbers *out) {
    void *memory;
    TIME(out, cudaMalloc(&memory, 1 << 20));
}

static void context(struct numbers *out, const char *order) {
    void (*const calls[ORDERS])(struct numbers *) = {call_free, call_set_device, call_malloc};
    int first = 0;
    while (first < ORDERS - 1 && strcmp(order, order_names[first]) != 0)
        first++;
    for (int pass = 0; pass < 2; pass++) {
        calls[first](out);
        for (int i = 0; i < ORDERS; i++)
            if (i != first)
                calls[i](out);
    }
}

/* The launch call alone: the device is idle before it. */
static void time_launch(struct numbers *out, void (*kernel)(int *), int *memory) {
    int64_t start_ns = wall_ns();
    kernel<<<1, 1>>>(memory);
    int64_t end_ns = wall_ns();
    LAUNCH_CHECK();
    numbers_add(out, end_ns - start_ns);
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void launch(struct numbers *out, const char *argument) {
    (void)argument;
    int *memory;
    call_free(out);
    CUDA_CHECK(cudaMalloc((void **)&memory, sizeof *memory));
    CUDA_CHECK(cudaDeviceSynchronize());
    time_launch(out, first_kernel, memory);
    time_launch(out, first_kernel, memory);
    time_launch(out, other_kernel, memory);
    time_launch(out, other_kernel, memory);
}

static void event(struct numbers *out, const char *argument) {
    (void)argument;
    CUDA_CHECK(cudaFree(0));
    for (int i = 0; i < 2; i++) {
        cudaEvent_t event;
        int64_t start_ns = wall_ns();
        CUDA_CHECK(cudaEventCreate(&event));
        CUDA_CHECK(cudaEventRecord(event, 0));
        CUDA_CHECK(cudaEventSynchronize(event));
        numbers_add(out, wall_ns() - start_ns);
    }
}

static void pinned(struct numbers *out, const char *argument) {
    (void)argument;
    void *memory;
    CUDA_CHECK(cudaFree(0));
    for (int i = 0; i < 2; i++)
        TIME(out, cudaHostAlloc(&memory, 1 << 20, cudaHostAllocDefault));
}

static void nothing(void *state) {
    (void)state;
}

static void callback(struct numbers *out, const char *argument) {
    (void)argument;
    CUDA_CHECK(cudaFree(0));
    for (int i = 0; i < 2; i++) {
        int64_t start_ns = wall_ns();
        CUDA_CHECK(cudaLaunchHostFunc(0, nothing, NULL));
        CUDA_CHECK(cudaStreamSynchronize(0));
        numbers_add(out, wall_ns() - start_ns);
    }
}

/* ---- the clock, and a launch behind a spinning kernel ---------------------------------------- */

static void clock_ramp(struct numbers *out, const char *argument) {
    (void)argument;
    enum { LAUNCHES = 150, CYCLES = 2000000 };
    int64_t *ns, khz[LAUNCHES], at_ns[LAUNCHES];
    CUDA_CHECK(cudaHostAlloc((void **)&ns, sizeof *ns, cudaHostAllocDefault));
    clock_kernel<<<1, 1>>>(1, ns);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaDeviceSynchronize());
    int64_t start_ns = wall_ns();
    for (int i = 0; i < LAUNCHES; i++) {
        clock_kernel<<<1, 1>>>(CYCLES, ns);
        LAUNCH_CHECK();
        CUDA_CHECK(cudaDeviceSynchronize());
        at_ns[i] = wall_ns() - start_ns;
        khz[i] = CYCLES * (int64_t)1000000 / *ns;
    }
    int64_t settled_khz = khz[LAUNCHES - 1];
    int settled = LAUNCHES - 1;
    while (settled > 0 && llabs(khz[settled - 1] - settled_khz) * 50 <= settled_khz)
        settled--; /* within 2 % from here to the end */
    numbers_add(out, khz[0]);
    numbers_add(out, settled_khz);
    numbers_add(out, settled ? at_ns[settled - 1] : 0);
}

static int64_t launch_beside(void (*kernel)(int *), int *memory, cudaStream_t stream) {
    int64_t start_ns = wall_ns();
    kernel<<<1, 1, 0, stream>>>(memory);
    int64_t end_ns = wall_ns();
    LAUNCH_CHECK();
    return end_ns - start_ns;
}

/* hold_kernel spins in one stream; two kernels are launched in another, which needs nothing of it.
 * The first was loaded before, the second never. If loading waits for an idle device, the launch
 * waits for the spin, and the spin, which this thread could stop only after the launch, for its
 * own limit. */
static void behind(struct numbers *out, const char *argument) {
    (void)argument;
    const int64_t limit_ns = HOLD_LIMIT_MS * (int64_t)1000000;
    cudaStream_t holding, other;
    struct hold *hold;
    int *memory;
    CUDA_CHECK(cudaHostAlloc((void **)&hold, sizeof *hold, cudaHostAllocDefault));
    CUDA_CHECK(cudaMalloc((void **)&memory, sizeof *memory));
    CUDA_CHECK(cudaStreamCreateWithFlags(&holding, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    hold_kernel<<<1, 1, 0, holding>>>(hold, 0); /* loads it */
    launch_beside(first_kernel, memory, other);
    CUDA_CHECK(cudaDeviceSynchronize());
    hold->started = hold->stop = 0;
    hold_kernel<<<1, 1, 0, holding>>>(hold, limit_ns);
    LAUNCH_CHECK();
    for (int64_t start_ns = wall_ns(); !hold->started && wall_ns() - start_ns < limit_ns;)
        continue;
    numbers_add(out, launch_beside(first_kernel, memory, other));
    numbers_add(out, launch_beside(other_kernel, memory, other));
    hold->stop = 1;
    CUDA_CHECK(cudaDeviceSynchronize());
    numbers_add(out, hold->spun_ns);
}

extern const struct child_experiment first_experiments[] = {{"context", context},
                                                            {"launch", launch},
                                                            {"event", event},
                                                            {"pinned", pinned},
                                                            {"callback", callback},
                                                            {"products", first_products},
                                                            {"naive", first_naive},
                                                            {"right", first_right},
                                                            {"clock", clock_ramp},
                                                            {"behind", behind},
                                                            {NULL, NULL}};
