/* large.cu - a copy so large that the driver cannot queue all of it at once. */
#include "large.h"

#include "lab.h"
#include "fastest.h"
#include "link.h"
#include "pattern.h"
#include "queued.h"
#include "text.h"
#include "traced.h"

enum { EDGE_BYTES = 1 << 20, SEED = 77 };
static const double HELD = 0.25; /* a call that only queues is back within far less of the copy */

struct large {
    const struct gpu *a, *b;
    size_t bytes;
    char *send, *receive;
    struct call call;
    struct samples copy_ns; /* by events */
    double last_ns;         /* ... in the traced round */
};

/* Only its first and last bytes are filled and verified: the rest is like the smaller copies. */
static void fill(const struct large *large) {
    size_t last = large->bytes - EDGE_BYTES;
    CUDA_CHECK(cudaSetDevice(large->b->index));
    CUDA_CHECK(cudaMemset(large->receive, 0xa5, EDGE_BYTES));
    CUDA_CHECK(cudaMemset(large->receive + last, 0xa5, EDGE_BYTES));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaSetDevice(large->a->index));
    pattern_fill(large->send, EDGE_BYTES, SEED);
    pattern_fill(large->send + last, EDGE_BYTES, SEED + 1);
    CUDA_CHECK(cudaSetDevice(device()->index));
}

static uint64_t wrong_bytes(const struct large *large) {
    size_t last = large->bytes - EDGE_BYTES;
    CUDA_CHECK(cudaSetDevice(large->b->index));
    uint64_t wrong = pattern_wrong_bytes(large->receive, EDGE_BYTES, SEED) +
                     pattern_wrong_bytes(large->receive + last, EDGE_BYTES, SEED + 1);
    CUDA_CHECK(cudaSetDevice(device()->index));
    return wrong;
}

static void copy_alone(void *state) {
    struct large *large = (struct large *)state;
    const struct gpu *a = large->a;
    float ms;
    CUDA_CHECK(cudaEventRecord(a->copy_start, a->copy_stream));
    QUEUE_CALL(&large->call, NULL, a->copy_stream,
               cudaMemcpyPeerAsync(large->receive, large->b->index, large->send, a->index,
                                   large->bytes, a->copy_stream));
    CUDA_CHECK(cudaEventRecord(a->copy_end, a->copy_stream));
    CUDA_CHECK(cudaStreamSynchronize(a->copy_stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, a->copy_start, a->copy_end));
    large->last_ns = (double)ms * 1e6;
    keep(&large->copy_ns, large->last_ns);
}

static void judge(const struct large *large) {
    const char *what;
    double bytes = (double)large->bytes, return_ns = median_of(&large->call.returned);
    double copy_ns = median_of(&large->copy_ns), share = return_ns / copy_ns;
    uint64_t wrong = wrong_bytes(large);
    result_value("b", "large bytes", "bytes", bytes);
    result("b", "large return", "ns", &large->call.returned);
    result("b", "large copy", "ns", &large->copy_ns);
    result_value("b", "large rate", "bytes/ns", bytes / copy_ns);
    result_value("b", "large return share", "share", share);
    say("%s, one way, with nothing beside: the call returned after %s, the copy took %s (%s, by "
        "events): for %s of its time it held the host.",
        show_bytes(bytes), show_time(return_ns), show_time(copy_ns), show_rate(bytes, copy_ns),
        show_percent(share));
    check("b-large-data", wrong == 0, text("%llu bytes", (unsigned long long)wrong), "0 bytes",
          "Bytes that arrived wrong at the beginning and the end of the large copy.");
    if (share >= HELD)
        check("b-large-call-holds-the-host", true, show_percent(share),
              text("at least %s of the copy", show_percent(HELD)),
              "The call queues the pieces of a staged copy, and waits when its queue is full.");
    else
        check_cannot_show("b-large-call-holds-the-host",
                          "The call came back before much of the copy had passed: here it has room "
                          "to queue all of it.");
    struct traced copy;
    bool staged = traced_copy("b-large", 0, large->a->index, large->last_ns, &copy) && copy.staged;
    double limit = limit_of(staged ? SPAN_H2D : SPAN_PEER, &what);
    check_within_limit("b-large-rate-within-limit", bytes, copy_ns, limit, what);
}

void large_copy(const struct gpu *a, const struct gpu *b, size_t bytes) {
    static struct large large;
    large.a = a;
    large.b = b;
    large.bytes = bytes;
    bool room = memory_on(a, bytes, (void **)&large.send);
    if (room && memory_on(b, bytes, (void **)&large.receive)) {
        fill(&large);
        part_rounds("b-large", repeats(50 * MS), copy_alone, &large);
        judge(&large);
        CUDA_CHECK(cudaFree(large.receive));
    } else {
        say("There is no room for a copy of %s; take fewer --large-bytes.",
            show_bytes((double)bytes));
        check_cannot_show("b-large-data", "There is no memory for the large copy.");
    }
    if (room)
        CUDA_CHECK(cudaFree(large.send));
}
