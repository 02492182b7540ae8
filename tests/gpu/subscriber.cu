/* When another profiler holds CUPTI, the tracer is "none" with the reason, and events stand in. */
#include <cupti.h>
#include <string.h>

#include "expect.h"

static void CUPTIAPI no_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data) {
    (void)user, (void)domain, (void)id, (void)data;
}

int main(void) {
    CUpti_SubscriberHandle other;
    if (cuptiSubscribe(&other, (CUpti_CallbackFunc)no_callback, NULL) != CUPTI_SUCCESS)
        die(EXIT_ENVIRONMENT, "another profiler is at work already; run without it");
    gpu_begin("subscriber");
    expect(!tracer_works(), "the tracer does not work");
    expect(strncmp(tracer_name(), "none: ", 6) == 0 && strstr(tracer_name(), "another profiler"),
           "and says why: %s", tracer_name());
    cudaStream_t stream = new_stream();
    queue_sleep(1, 1, stream);
    trace_begin("a");
    event_span_begin(stream, SPAN_KERNEL, "sleep_kernel");
    queue_sleep(2000000, 1, stream);
    event_span_end(stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    trace_end();
    const struct span *kernel = timeline_find("a", SPAN_KERNEL, 0);
    expect(kernel && span_ns(kernel) > 1800000 && span_ns(kernel) < 2200000,
           "events stand in: a sleep of 2 ms lasts %s",
           show_time(kernel ? (double)span_ns(kernel) : 0));
    kernels_free();
    return expect_end();
}
