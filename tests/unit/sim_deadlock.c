/* sim_deadlock.c - waits that cannot end on the simulated GPU: each is one line that names the
 * call, the kernel and its stream, and the program ends. */
#include <stdlib.h>

#include "core.h"
#include "cublas_v2.h"
#include "kernels.h"
#include "tap.h"

enum { BYTES = 1 << 20 };

static char *device, *pinned, *pageable, *pageable2;
static cudaStream_t stream, other; /* streams 3 and 4: two GPUs and kernels_init have one each */
static cudaEvent_t event;
static struct gate *gate;

/* On two GPUs; the gate is in `stream`. */
static void behind_a_closed_gate(void) {
    kernels_init();
    cudaMalloc((void **)&device, BYTES);
    cudaMallocHost((void **)&pinned, BYTES);
    pageable = calloc(1, BYTES);
    pageable2 = calloc(1, BYTES);
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    gate = gate_new();
    cudaDeviceSynchronize();
    gate_close(gate, stream);
}

static void open_gate(void *data) {
    gate_open(data);
}

static void do_nothing(void *data) {
    (void)data;
}

/* ---- what waits --------------------------------------------------------------------------------
 */

static void stream_sync(void) {
    cudaStreamSynchronize(stream);
}
static void null_stream_sync(void) {
    cudaStreamSynchronize(NULL);
}
static void device_sync(void) {
    cudaDeviceSynchronize();
}
static void event_sync(void) {
    cudaEventRecord(event, stream);
    cudaEventSynchronize(event);
}
static void copy(void) {
    cudaMemcpy(pinned, device, BYTES, cudaMemcpyDefault);
}
static void copy_from_pageable(void) {
    cudaMemcpy(device, pageable, 4, cudaMemcpyDefault);
}
static void copy_to_pageable(void) {
    cudaMemcpyAsync(pageable, device, 4, cudaMemcpyDefault, stream);
}
static void large_copy_from_pageable(void) {
    size_t large = (size_t)64 << 20;
    void *to, *from = calloc(1, large);
    cudaMallocAsync(&to, large, other);
    cudaMemcpyAsync(to, from, large, cudaMemcpyDefault, stream);
}
static void copy_on_the_host(void) {
    cudaMemcpyAsync(pageable, pageable2, 4, cudaMemcpyDefault, stream);
}
static void memset_of_pinned(void) {
    cudaMemset(pinned, 0, BYTES);
}
static void freeing(void) {
    cudaFree(device);
}
static void freeing_pinned(void) {
    cudaFreeHost(pinned);
}
static void unregistering(void) {
    cudaHostRegister(pageable, BYTES, 0);
    cudaHostUnregister(pageable);
}
static void full_queue(void) {
    for (int i = 0; i < 100000; i++)
        cudaMemsetAsync(device, 0, 4, stream);
}
static void resetting(void) {
    cudaDeviceReset();
}
static void destroying_cublas(void) {
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasDestroy(handle);
}

/* The wait is in another stream, and on another device: for an event that is never reached. */
static void event_never_reached(void) {
    cudaEventRecord(event, stream);
    cudaSetDevice(1);
    cudaStream_t there;
    cudaStreamCreate(&there);
    cudaStreamWaitEvent(there, event, 0);
    cudaStreamSynchronize(there);
}

/* The function that would open the gate waits behind it. */
static void opened_from_behind(void) {
    cudaLaunchHostFunc(stream, open_gate, gate);
    cudaStreamSynchronize(stream);
}

static void host_function_behind(void) {
    cudaLaunchHostFunc(stream, do_nothing, NULL);
    cudaStreamSynchronize(stream);
}

static void graph(void) {
    cudaGraph_t made;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed);
    cudaMemsetAsync(device, 0, 4, other);
    cudaStreamEndCapture(other, &made);
    cudaGraphInstantiate(&exec, made, 0);
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
}

static void run(void *wait) {
    behind_a_closed_gate();
    (*(void (**)(void))wait)();
}

#define STUCK(wait, call)                                                                          \
    do {                                                                                           \
        void (*fn)(void) = (wait);                                                                 \
        EXPECT_DIES(run, &fn, 1, call " never returns: gate_kernel in stream 3 of");               \
    } while (0)

static void waits(void) {
    STUCK(stream_sync, "cudaStreamSynchronize");
    STUCK(null_stream_sync, "cudaStreamSynchronize");
    STUCK(device_sync, "cudaDeviceSynchronize");
    STUCK(event_sync, "cudaEventSynchronize");
    STUCK(event_never_reached, "cudaStreamSynchronize");
    STUCK(opened_from_behind, "cudaStreamSynchronize");
    STUCK(host_function_behind, "cudaStreamSynchronize");
    STUCK(graph, "cudaStreamSynchronize");
}

static void calls_that_wait_for_earlier_work(void) {
    STUCK(copy, "cudaMemcpy");
    STUCK(copy_from_pageable, "cudaMemcpy");
    STUCK(copy_to_pageable, "cudaMemcpyAsync");
    STUCK(large_copy_from_pageable, "cudaMemcpyAsync");
    STUCK(copy_on_the_host, "cudaMemcpyAsync");
    STUCK(memset_of_pinned, "cudaMemset");
    STUCK(full_queue, "cudaMemsetAsync");
}

static void calls_that_wait_for_the_device(void) {
    STUCK(freeing, "cudaFree");
    STUCK(freeing_pinned, "cudaFreeHost");
    STUCK(unregistering, "cudaHostUnregister");
    STUCK(resetting, "cudaDeviceReset");
    STUCK(destroying_cublas, "cudaDeviceSynchronize");
}

static void two_gates(void) {
    cudaStream_t there;
    cudaSetDevice(1);
    cudaStreamCreate(&there);
    gate_close(gate_new(), there);
    cudaStreamSynchronize(there);
}

/* Each waits for its own device's. */
static void a_gate_on_each_device(void) {
    void (*fn)(void) = two_gates;
    EXPECT_DIES(run, &fn, 1, "cudaStreamSynchronize never returns: gate_kernel in stream 5 of");
}

static void wait_for_the_host(void *flag) {
    while (!*(volatile int *)flag)
        ;
}

static void host_function_that_waits(void *state) {
    static int flag;
    (void)state;
    cudaLaunchHostFunc(NULL, wait_for_the_host, &flag);
    cudaDeviceSynchronize();
    flag = 1;
}

static void a_host_function_that_waits(void) {
    EXPECT_DIES(host_function_that_waits, NULL, 1, "a host function in stream 0 of the simulated");
}

/* Waits in a circle cannot be queued: each is for a record that came before it. */
static void waits_in_a_circle(void) {
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaStreamCreate(&streams[i]);
        cudaEventCreate(&events[i]);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++) {
            cudaSetDevice(i);
            EXPECT_INT(cudaStreamWaitEvent(streams[i], events[1 - i], 0), cudaSuccess);
            EXPECT_INT(cudaEventRecord(events[i], streams[i]), cudaSuccess);
        }
    for (int i = 0; i < 2; i++)
        EXPECT_INT(cudaStreamSynchronize(streams[i]), cudaSuccess);
}

int main(void) {
    setenv("SIM_GPUS", "2", 1);
    static const struct tap_test tests[] = {
        {"waits for what is behind a closed gate", waits},
        {"calls that wait for earlier work", calls_that_wait_for_earlier_work},
        {"calls that wait for the device", calls_that_wait_for_the_device},
        {"a gate on each device", a_gate_on_each_device},
        {"a host function that waits for the host", a_host_function_that_waits},
        {"waits in a circle end", waits_in_a_circle},
    };
    return TAP_RUN(tests);
}
