/* Lab 1, part d: how many launches can the host run ahead before a launch has to wait?
 *
 * A gate keeps the stream from starting anything, and the host launches behind it until one launch
 * does not come back. That launch waits for the gate, so the host cannot open it: a copy in a
 * second stream does, queued before, behind a sleep. */
#include "async_check.h"
#include "lab.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

static const int64_t SLOW_LAUNCH_NS = 50 * 1000; /* many times what a launch takes */
/* Of the time the gate was closed: no launch is that slow. */
static const double WAITED_SHARE = 0.1;

struct queue {
    cudaStream_t stream, opener;
    volatile int *open; /* pinned: the device reads and writes it */
    int *one;           /* on the device, holds 1 */
    int64_t closed_ns;
    int rounds, full_rounds;
    double *returned; /* [rounds + 1][max_launches]: ns, NaN if there was no such launch */
    struct samples depth;
};

static void close_gate(struct queue *q) {
    *q->open = 0;
    CUDA_CHECK(launch_sleep(1, 1, q->closed_ns, q->opener));
    CUDA_CHECK(cudaMemcpyAsync((void *)q->open, q->one, sizeof(int), cudaMemcpyDefault, q->opener));
    gate_kernel<<<1, 1, 0, q->stream>>>(q->open, spin_guard());
    LAUNCH_CHECK();
}

/* Launches until one comes back after the gate has opened; keeps what each took. Returns how many
 * came back before. *full: that one waited for the gate, and was not just under way as it opened.
 */
static int launch_until_full(struct queue *q, double *returned, bool *full) {
    int launches = 0;
    *full = false;
    for (int k = 0; k < max_launches; k++)
        returned[k] = NAN;
    close_gate(q);
    while (launches < max_launches) {
        int64_t start = wall_ns();
        CUDA_CHECK(launch_sleep(1, 1, 0, q->stream));
        returned[launches] = (double)(wall_ns() - start);
        if (*q->open) {
            *full = returned[launches] > WAITED_SHARE * (double)q->closed_ns;
            break;
        }
        launches++;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
    return launches;
}

static struct samples returns_of(const struct queue *q, int launch) {
    struct samples samples = {};
    for (int round = 1; round <= q->rounds; round++) {
        double ns = q->returned[round * max_launches + launch - 1];
        if (!isnan(ns))
            samples_add(&samples, ns);
    }
    return samples;
}

static void keep_results(const struct queue *q) {
    for (int launch = 1; launch <= max_launches; launch++) {
        struct samples returned = returns_of(q, launch);
        if (returned.n > 0)
            result("d", text("launch return %d", launch), "ns", &returned);
    }
    if (q->full_rounds > 0)
        result("d", "queue depth", "count", &q->depth);
}

static void print_launch(const struct queue *q, int launch) {
    struct samples returned = returns_of(q, launch);
    if (returned.n == 0)
        return;
    table_cell("%d", launch);
    table_cell("%s", show_times(&returned));
}

/* Launches 1, 10, 100, ..., the last one that came back at once and the one that did not. */
static void print_launches(const struct queue *q, int depth) {
    table_begin(2, "launch", "returned after");
    for (int launch = 1; launch < depth; launch *= 10)
        print_launch(q, launch);
    if (depth > 0)
        print_launch(q, depth);
    if (depth < max_launches)
        print_launch(q, depth + 1);
    table_end();
}

static void report(const struct queue *q) {
    bool full = 2 * q->full_rounds > q->rounds;
    int depth = (int)median_of(&q->depth);
    print_launches(q, depth);
    if (depth < 2)
        say("What this shows: launches wait here from the start; nothing is queued.");
    else if (full)
        say("What this shows: a launch is asynchronous only while there is room to queue it. After "
            "%d launches the next one came back only when the gate had opened, %s after it was "
            "closed. Once the queue is full, each further launch waits for a kernel to end.",
            depth, show_time((double)q->closed_ns));
    else
        say("What this shows: %d launches came back while the gate was closed, and none waited: "
            "the queue is deeper than that.",
            depth);
    check("d-launches-run-ahead", depth > 1, text("%d launches", depth), "2 or more",
          "Launches come back while the device has not started the first of them.");
    if (full || depth < 2)
        check("d-queue-is-finite", depth > 1, text("launch %d waited", depth + 1),
              text("one of launches 3 to %d", (int)max_launches),
              "When the queue is full, the next launch waits until there is room.");
    else
        check_cannot_show("d-queue-is-finite",
                          "no launch waited; more of them (--max-launches) may fill the queue");
}

static struct queue queue_new(void) {
    struct queue q = {};
    q.closed_ns = max_launches * SLOW_LAUNCH_NS;
    if (q.closed_ns < 200 * MS)
        q.closed_ns = 200 * MS;
    q.rounds = repeats(q.closed_ns);
    q.returned = (double *)calloc((q.rounds + 1) * max_launches, sizeof *q.returned);
    if (!q.returned)
        die(EXIT_ENVIRONMENT, "part d: out of host memory; give a smaller --max-launches");
    CUDA_CHECK(cudaStreamCreateWithFlags(&q.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&q.opener, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMallocHost((void **)&q.open, sizeof(int)));
    CUDA_CHECK(cudaMalloc((void **)&q.one, sizeof(int)));
    *q.open = 1;
    CUDA_CHECK(cudaMemcpy(q.one, (void *)q.open, sizeof(int), cudaMemcpyDefault));
    return q;
}

static void queue_free(struct queue *q) {
    CUDA_CHECK(cudaFree(q->one));
    CUDA_CHECK(cudaFreeHost((void *)q->open));
    CUDA_CHECK(cudaStreamDestroy(q->opener));
    CUDA_CHECK(cudaStreamDestroy(q->stream));
    free(q->returned);
}

void queue_depth(void) {
    static struct queue q;
    bool full;
    q = queue_new();
    say("A gate holds a stream for %s while up to %d kernels that do nothing are launched behind "
        "it.",
        show_time((double)q.closed_ns), (int)max_launches);
    launch_until_full(&q, q.returned, &full); /* warm-up */
    for (int round = 1; round <= q.rounds; round++) {
        int depth = launch_until_full(&q, q.returned + round * max_launches, &full);
        samples_add(&q.depth, depth);
        q.full_rounds += full;
    }
    if (tracer_works()) {
        trace_begin("d");
        launch_until_full(&q, q.returned, &full);
        trace_end();
    }
    keep_results(&q);
    report(&q);
    queue_free(&q);
}
