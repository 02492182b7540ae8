/* Lab 2, part a: one copy in, a kernel, one copy out, and two clocks.
 *
 * The wall clock tells when a call came back. The CPU clock tells how long the process worked: it
 * runs while the driver copies or spins, and stands still while the driver sleeps. */
#include "copies.h"
#include "host_memory.h"
#include "lab.h"
#include "link.h"
#include "program.h"
#include "queued.h"
#include "text.h"

#include <string.h>

enum { BLOCKS = 128, THREADS = 128 };

struct measured runs[STATES][WAITS];
int corrupt_rounds;

struct buffers {
    void *host, *device;
    cudaStream_t stream;
    cudaEvent_t slept;
};

static void timed_copy(struct measured *m, enum direction d, const struct buffers *b) {
    void *to = d == COPY_IN ? b->device : b->host, *from = d == COPY_IN ? b->host : b->device;
    cudaEvent_t earlier = d == COPY_IN ? NULL : b->slept;
    event_span_begin(b->stream, d == COPY_IN ? SPAN_H2D : SPAN_D2H, "copy");
    call_entered(&m->copy[d], earlier);
    int64_t cpu = cpu_ns(), wall = wall_ns();
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, b->stream);
    wall = wall_ns() - wall;
    cpu = cpu_ns() - cpu;
    if (error != cudaSuccess)
        cuda_failed(error, "cudaMemcpyAsync", __FILE__, __LINE__);
    keep(&m->copy[d].returned, (double)wall);
    keep(&m->copy_cpu[d], (double)cpu);
    call_returned(&m->copy[d], earlier, b->stream);
    event_span_end(b->stream);
}

static void timed_synchronise(struct measured *m, const struct buffers *b) {
    int64_t cpu = cpu_ns(), wall = wall_ns();
    cudaError_t error = cudaStreamSynchronize(b->stream);
    wall = wall_ns() - wall;
    cpu = cpu_ns() - cpu;
    if (error != cudaSuccess)
        cuda_failed(error, "cudaStreamSynchronize", __FILE__, __LINE__);
    keep(&m->synchronise, (double)wall);
    keep(&m->synchronise_cpu, (double)cpu);
}

static void run_program(struct measured *m, const struct buffers *b) {
    int64_t start = wall_ns();
    timed_copy(m, COPY_IN, b);
    event_span_begin(b->stream, SPAN_KERNEL, "sleep_kernel");
    CUDA_CHECK(launch_sleep(BLOCKS, THREADS, sleep_ns, b->stream));
    event_span_end(b->stream);
    CUDA_CHECK(cudaEventRecord(b->slept, b->stream));
    timed_copy(m, COPY_OUT, b);
    timed_synchronise(m, b);
    keep(&m->total, (double)(wall_ns() - start));
    spin_check();
}

/* Also the warm-up: the marks go to the device, are cleared on the host, and must come back. */
static void verify_copies(const struct buffers *b, int seed) {
    mark_pages(b->host, bytes, seed);
    CUDA_CHECK(cudaMemcpyAsync(b->device, b->host, bytes, cudaMemcpyDefault, b->stream));
    CUDA_CHECK(cudaStreamSynchronize(b->stream));
    clear_pages(b->host, bytes);
    CUDA_CHECK(cudaMemcpyAsync(b->host, b->device, bytes, cudaMemcpyDefault, b->stream));
    CUDA_CHECK(cudaStreamSynchronize(b->stream));
    corrupt_rounds += !pages_marked(b->host, bytes, seed);
}

/* Memory nobody has touched is new for every round, and reads as zeros: so must what comes back,
 * although the device held something else. */
static void untouched_round(struct measured *m, struct buffers *b) {
    size_t distance = mark_distance(bytes);
    CUDA_CHECK(cudaMemset2D(b->device, distance, 0xff, sizeof(uint64_t), bytes / distance));
    CUDA_CHECK(cudaDeviceSynchronize());
    b->host = host_alloc(HOST_PAGEABLE, bytes);
    if (!b->host)
        die(EXIT_ENVIRONMENT, "part a: no %s of host memory; give a smaller --bytes",
            show_bytes((double)bytes));
    run_program(m, b);
    corrupt_rounds += !pages_clear(b->host, bytes);
    host_free(HOST_PAGEABLE, b->host, bytes);
}

/* CUDA runtime API, cudaSetDeviceFlags: on a device that is in use it replaces the flags. A driver
 * may keep how it waits all the same, so ask. */
static bool set_wait(enum wait wait) {
    unsigned flag = wait == SPIN ? cudaDeviceScheduleSpin : cudaDeviceScheduleBlockingSync;
    unsigned now = 0;
    CUDA_CHECK(cudaSetDeviceFlags(flag));
    CUDA_CHECK(cudaGetDeviceFlags(&now));
    return (now & cudaDeviceScheduleMask) == flag;
}

static void trace_program(enum state state, const struct buffers *b) {
    static struct measured ignored;
    stats_keep(false);
    trace_begin(timeline_name(text("a-%s", state_name(state))));
    run_program(&ignored, b);
    trace_end();
    stats_keep(true);
}

static void run_state(enum state state, struct buffers *b) {
    /* ns a round: 8 GB/s is slow. All kinds of memory get as many rounds as the slow ones. */
    int rounds = repeats(bytes / 8);
    if (state != UNTOUCHED)
        verify_copies(b, state);
    for (int wait = SPIN; wait < WAITS; wait++) {
        struct measured *m = &runs[state][wait];
        /* Page faults take their time however the driver waits: once is enough, at 2 s a round. */
        if (state == UNTOUCHED && wait != SPIN)
            continue;
        if (!set_wait((enum wait)wait))
            continue;
        for (int round = 0; round < rounds; round++) {
            if (state == UNTOUCHED)
                untouched_round(m, b);
            else
                run_program(m, b);
        }
    }
    set_wait(SPIN);
    if (state != UNTOUCHED)
        trace_program(state, b);
}

/* Touched memory comes first: it warms up the path that untouched memory takes. */
static void run_states(struct buffers *b) {
    b->host = host_alloc_touched(HOST_PAGEABLE, bytes);
    run_state(TOUCHED, b);
    CUDA_CHECK(cudaHostRegister(b->host, bytes, cudaHostRegisterDefault));
    run_state(REGISTERED, b);
    CUDA_CHECK(cudaHostUnregister(b->host));
    host_free(HOST_PAGEABLE, b->host, bytes);
    run_state(UNTOUCHED, b);
    b->host = host_alloc_touched(HOST_PINNED, bytes);
    run_state(PINNED, b);
    host_free(HOST_PINNED, b->host, bytes);
}

void part_program(void) {
    struct buffers b = {};
    bytes = bytes_that_fit('a', bytes, 1, 1);
    CUDA_CHECK(cudaMalloc(&b.device, bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&b.slept, cudaEventDisableTiming));
    introduce_program();
    run_states(&b);
    CUDA_CHECK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    CUDA_CHECK(cudaEventDestroy(b.slept));
    CUDA_CHECK(cudaStreamDestroy(b.stream));
    CUDA_CHECK(cudaFree(b.device));
    report_program();
}
