/* Sleeps last as long as they say, gates hold and open, and both give up in time.
 * With an argument it provokes a time-out: the run must end with a message and status 1. */
#include <string.h>

#include "expect.h"

static const int64_t us = 1000, ms = 1000 * us;

static double slept_ns(int64_t ns, int blocks, cudaStream_t stream) {
    cudaEvent_t start, end;
    float elapsed_ms = 0;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventRecord(start, stream));
    queue_sleep(ns, blocks, stream);
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start, end));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(end));
    return (double)elapsed_ms * 1e6;
}

static void sleeps_last_as_asked(cudaStream_t stream) {
    const int64_t lengths_ns[] = {200 * us, 1 * ms, 10 * ms, 50 * ms};
    for (int i = 0; i < 4; i++) {
        for (int blocks = 1; blocks <= 128; blocks += 127) {
            double ns = slept_ns(lengths_ns[i], blocks, stream);
            expect(ns > 0.9 * (double)lengths_ns[i] && ns < 1.1 * (double)lengths_ns[i],
                   "%d blocks asked to sleep %s slept %s", blocks, show_time((double)lengths_ns[i]),
                   show_time(ns));
        }
    }
}

static void wait_ns(int64_t ns) {
    int64_t end_ns = wall_ns() + ns;
    while (wall_ns() < end_ns)
        ;
}

static void gate_holds_and_opens(cudaStream_t stream) {
    struct gate *gate = gate_new();
    cudaStream_t other = new_stream();
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    gate_close(gate, stream);
    CUDA_CHECK(cudaEventRecord(event, stream));
    CUDA_CHECK(cudaStreamWaitEvent(other, event, 0));
    queue_sleep(1, 1, other);
    wait_ns(20 * ms);
    expect(cudaStreamQuery(stream) == cudaErrorNotReady, "a closed gate holds its stream");
    expect(cudaStreamQuery(other) == cudaErrorNotReady, "and a stream that waits for its event");
    int64_t opened_ns = wall_ns();
    gate_open(gate);
    CUDA_CHECK(cudaStreamSynchronize(other));
    double took_ns = (double)(wall_ns() - opened_ns);
    expect(took_ns < 5e6, "an opened gate lets both go, %s later", show_time(took_ns));
    for (int i = 0; i < 500; i++) {
        gate_close(gate, stream);
        gate_open(gate);
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect(spin_guard()->timed_out == SPIN_NONE, "closing again at once hides no opening");
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaStreamDestroy(other));
    gate_free(gate);
}

static void spinning_ends(cudaStream_t stream) {
    struct gate *gate = gate_new();
    struct spin_guard *guard = spin_guard();
    int64_t limit_ns = guard->limit_ns, start_ns = wall_ns();
    guard->limit_ns = 20 * ms;
    gate_close(gate, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    double took_ns = (double)(wall_ns() - start_ns);
    expect(guard->timed_out == SPIN_GATE && took_ns > 15e6 && took_ns < 100e6,
           "a gate nobody opens gives up after 20 ms: it took %s", show_time(took_ns));
    guard->timed_out = SPIN_NONE;
    queue_sleep(500 * ms, 1, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect(guard->timed_out == SPIN_SLEEP, "a sleep of 500 ms gives up after 20 ms");
    guard->timed_out = SPIN_NONE;
    guard->limit_ns = limit_ns;
    gate_free(gate);
}

static void provoke_time_out(const char *which, cudaStream_t stream) {
    struct gate *gate = gate_new();
    spin_guard()->limit_ns = 20 * ms;
    if (strcmp(which, "gate-time-out") == 0)
        gate_close(gate, stream);
    else
        queue_sleep(500 * ms, 1, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    spin_check();
}

int main(int argc, char **argv) {
    gpu_begin("kernels");
    cudaStream_t stream = new_stream();
    if (argc > 1) {
        provoke_time_out(argv[1], stream);
        return EXIT_PASS;
    }
    sleeps_last_as_asked(stream);
    gate_holds_and_opens(stream);
    spinning_ends(stream);
    int capacity = sleep_capacity(128);
    expect(capacity >= device()->sms && capacity % device()->sms == 0,
           "sleep_capacity(128) is %d, whole blocks on each of %d SMs", capacity, device()->sms);
    CUDA_CHECK(cudaStreamDestroy(stream));
    kernels_free();
    return expect_end();
}
