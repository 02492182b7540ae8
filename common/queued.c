#include "queued.h"

#include "error.h"
#include "text.h"
#include "tracer.h"

/* "Not ready" is an answer, but the runtime also remembers it as its last error. */
static bool done(cudaError_t answer, const char *call) {
    if (answer == cudaErrorNotReady)
        cudaGetLastError();
    else if (answer != cudaSuccess)
        cuda_failed(answer, call, __FILE__, __LINE__);
    return answer == cudaSuccess;
}

static bool event_done(cudaEvent_t event) {
    return done(cudaEventQuery(event), "cudaEventQuery");
}

bool stream_done(cudaStream_t stream) {
    return done(cudaStreamQuery(stream), "cudaStreamQuery");
}

void call_entered(struct call *call, cudaEvent_t earlier) {
    if (!tracing())
        keep(&call->pending, earlier && !event_done(earlier));
}

void call_returned(struct call *call, cudaEvent_t earlier, cudaStream_t stream) {
    if (tracing())
        return;
    bool earlier_done = !earlier || event_done(earlier);
    int n = call->pending.n;
    keep(&call->waited, n > 0 && call->pending.value[n - 1] != 0 && earlier_done);
    keep(&call->own_done, stream_done(stream));
}

int count_true(const struct samples *samples) {
    int count = 0;
    for (int i = 0; i < samples->n; i++)
        count += samples->value[i] != 0;
    return count;
}

bool mostly(const struct samples *samples) {
    return 2 * count_true(samples) > samples->n;
}

const char *show_count(const struct samples *samples) {
    return text("%d of %d", count_true(samples), samples->n);
}
