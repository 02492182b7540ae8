/* experiment.cu - one dim of lab 3: a product alone, and equal products queued together. */
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static const char *const mode_names[MODES] = {"default-stream", "one-stream", "two-streams",
                                              "one-stream-gated", "two-streams-gated"};
static const double LONG_PRODUCT_NS = 0.6e9;

static int count;
static uint64_t seed;
static cublasHandle_t cublas;
static cudaStream_t streams[MAX_COUNT], gate_stream;
static cudaEvent_t gate_event;
static struct gate *gate;

const char *mode_name(enum mode mode) {
    return mode_names[mode];
}

/* One handle, as in the documents' program. Sharing it between streams does not put the products
 * in order: cublasSetStream also gives the handle back its default workspace (cuBLAS, 2.4.7). */
void experiment_begin(int products, uint64_t random_seed) {
    count = products;
    seed = random_seed;
    CUBLAS_CHECK(cublasCreate(&cublas));
    for (int i = 0; i < count; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&gate_stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&gate_event, cudaEventDisableTiming));
    gate = gate_new();
}

void experiment_end(void) {
    gate_free(gate);
    CUDA_CHECK(cudaEventDestroy(gate_event));
    CUDA_CHECK(cudaStreamDestroy(gate_stream));
    for (int i = 0; i < count; i++)
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
    CUBLAS_CHECK(cublasDestroy(cublas));
}

int experiment_count(void) {
    return count;
}

cublasHandle_t experiment_cublas(void) {
    return cublas;
}

/* A tenth of the memory is left to cuBLAS and to the driver. */
static bool memory_fits(int dim) {
    return (double)products_bytes(count, dim) <= 0.9 * (double)device_free_bytes();
}

bool dim_fits(int dim) {
    return memory_fits(dim) && products_floor_ns(1, dim) <= LONG_PRODUCT_NS;
}

int fitting_dim(int dim) {
    int room = dim, fit;
    while (room > 0 && !memory_fits(room))
        room /= 2;
    if (room < dim)
        say("dim %d needs %s of device memory, free are %s: at most dim %d.", dim,
            show_bytes((double)products_bytes(count, dim)), show_bytes((double)device_free_bytes()),
            room);
    for (fit = room; fit > 0 && !dim_fits(fit);)
        fit /= 2;
    if (fit < room)
        say("dim %d takes this device's FP64 units at least %s a product: at most dim %d.", room,
            show_time(products_floor_ns(1, room)), fit);
    return fit;
}

void multiply(struct products *p, int i, cudaStream_t stream) {
    static const double one = 1, zero = 0;
    size_t at = (size_t)i * p->stride;
    CUBLAS_CHECK(cublasSetStream(cublas, stream));
    event_span_begin(stream, SPAN_KERNEL, "dgemm");
    CUBLAS_CHECK(cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, p->dim, p->dim, p->dim, &one,
                             p->a + at, p->dim, p->b + at, p->dim, &zero, p->c + at, p->dim));
    event_span_end(stream);
}

void verify(struct products *p, struct tally *tally) {
    double error;
    if (!p->computed) {
        if (tally->unverified_dim == 0 || p->dim < tally->unverified_dim)
            tally->unverified_dim = p->dim;
        return;
    }
    int wrong = products_wrong(p, &error);
    tally->wrong += wrong;
    tally->right += p->count - wrong;
    tally->worst = fmax(tally->worst, error);
}

static const char *part_name(char part, const char *what, int dim) {
    char name[64];
    snprintf(name, sizeof name, "%c-%s-%d", part, what, dim);
    return timeline_name(name);
}

/* ---- one product alone ----------------------------------------------------------------------- */

struct alone {
    struct study *study;
    struct samples traced_call;
};

/* Twice, but never two at a time. */
static void alone_round(void *state) {
    struct alone *alone = (struct alone *)state;
    for (int i = 0; i < 2; i++) {
        int64_t entered_ns = wall_ns();
        multiply(alone->study->products, 0, streams[0]);
        int64_t returned_ns = wall_ns();
        CUDA_CHECK(cudaStreamSynchronize(streams[0]));
        keep(&alone->study->call, (double)(returned_ns - entered_ns));
        keep(&alone->study->alone_total, (double)(wall_ns() - entered_ns));
        if (tracing())
            samples_add(&alone->traced_call, (double)(returned_ns - entered_ns));
    }
}

static long blocks_of(const struct span *kernel) {
    return (long)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

/* The facts about the first product's longest kernel, and all kernel times. */
static void read_alone(struct study *study, const char *part, double spacing_ns) {
    static struct samples kernel_ns;
    struct queued_work work[2];
    kernel_ns.n = 0;
    for (int i = 0; i < TRACED_ALONE; i++) {
        study->kernels = trace_work_of_calls(traced_part(part, i), 2, work);
        for (int k = 0; study->kernels > 0 && k < 2; k++)
            samples_add(&kernel_ns, (double)(work[k].end_ns - work[k].start_ns));
    }
    const struct span *longest = trace_kernel(part, 0);
    for (int i = 1; i < study->kernels; i++)
        if (span_ns(trace_kernel(part, i)) > span_ns(longest))
            longest = trace_kernel(part, i);
    memset(&study->facts, 0, sizeof study->facts);
    study->facts.kernel_ns = median_of(&kernel_ns);
    study->facts.spacing_ns = spacing_ns;
    study->facts.sms = device()->sms;
    if (longest && tracer_works()) {
        study->facts.blocks = blocks_of(longest);
        study->facts.capacity = device_capacity_of(longest);
    }
}

/* "kernel 256": the name of a result. */
static const char *label(const char *what, int dim) {
    static char text[64];
    snprintf(text, sizeof text, "%s %d", what, dim);
    return text;
}

static void store_alone(const struct study *study, const char *part) {
    result_value(part, label("kernel", study->dim), "ns", study->facts.kernel_ns);
    result(part, label("call", study->dim), "ns", &study->call);
    if (study->facts.capacity > 0) {
        result_value(part, label("blocks", study->dim), "count", (double)study->facts.blocks);
        result_value(part, label("capacity", study->dim), "count", study->facts.capacity);
    }
}

/* A first use of a shape, or of a stream by cuBLAS, may wait for the device: never behind a gate.
 */
static void warm_every_stream(struct products *products) {
    multiply(products, 0, NULL);
    for (int i = 0; i < count; i++)
        multiply(products, i, streams[i]);
    CUDA_CHECK(cudaDeviceSynchronize());
}

void study_begin(struct study *study, char part, int dim) {
    static struct alone alone;
    const char *name = part_name(part, "alone", dim), letter[2] = {part, '\0'};
    memset(study, 0, sizeof *study);
    study->dim = dim;
    study->products = products_new(count, dim, seed);
    warm_every_stream(study->products);
    alone.study = study;
    alone.traced_call.n = 0;
    int64_t start_ns = wall_ns();
    alone_round(&alone);
    int64_t round_ns = wall_ns() - start_ns;
    study->call.n = study->alone_total.n = 0;
    quiet_rounds(name, repeats(round_ns), TRACED_ALONE, alone_round, &alone);
    read_alone(study, name, median_of(&alone.traced_call));
    store_alone(study, letter);
}

void study_end(struct study *study) {
    products_free(study->products);
    study->products = NULL;
}

/* ---- products together ----------------------------------------------------------------------- */

struct together {
    struct study *study;
    enum mode mode;
};

static bool is_gated(enum mode mode) {
    return mode == ONE_STREAM_GATED || mode == TWO_STREAMS_GATED;
}

static bool own_streams(enum mode mode) {
    return mode == TWO_STREAMS || mode == TWO_STREAMS_GATED;
}

static cudaStream_t stream_of(enum mode mode, int i) {
    if (mode == DEFAULT_STREAM)
        return NULL;
    return own_streams(mode) ? streams[i] : streams[0];
}

/* The gate has a stream of its own; the others wait for the event behind it. */
static void close_gate(void) {
    gate_close(gate, gate_stream);
    CUDA_CHECK(cudaEventRecord(gate_event, gate_stream));
    for (int i = 0; i < count; i++)
        CUDA_CHECK(cudaStreamWaitEvent(streams[i], gate_event, 0));
}

static void together_round(void *state) {
    struct together *together = (struct together *)state;
    struct outcome *outcome = &together->study->outcome[together->mode];
    int64_t returned_ns[MAX_COUNT] = {0};
    if (is_gated(together->mode))
        close_gate();
    int64_t entered_ns = wall_ns();
    for (int i = 0; i < count; i++) {
        multiply(together->study->products, i, stream_of(together->mode, i));
        returned_ns[i] = wall_ns();
    }
    if (is_gated(together->mode))
        gate_open(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
    keep(&outcome->total, (double)(wall_ns() - entered_ns));
    keep(&outcome->queued_after, (double)(returned_ns[1] - returned_ns[0]));
}

void study_predict(struct study *study, enum mode mode) {
    struct pair_facts facts = study->facts;
    facts.same_stream = !own_streams(mode);
    facts.gated = is_gated(mode);
    if (facts.gated)
        facts.release_ns = release_ns();
    study->outcome[mode].predicted = pair_predict(&facts);
}

static int by_start(const void *a, const void *b) {
    int64_t x = ((const struct queued_work *)a)->start_ns;
    int64_t y = ((const struct queued_work *)b)->start_ns;
    return (x > y) - (x < y);
}

/* The class is that of the first two products, in the order queued or let go by the gate. Without a
 * tracer there is none, and no overlap of two streams: events do not tell a kernel that runs from
 * one that waits for room. */
static void judge(struct outcome *outcome, const char *part, enum mode mode) {
    struct pair_seen seen[TRACED_ROUNDS];
    struct queued_work work[MAX_COUNT];
    outcome->rounds = outcome->early = outcome->overlap.n = 0;
    for (int i = 0; i < TRACED_ROUNDS; i++) {
        if (trace_work_of_calls(traced_part(part, i), count, work) == 0)
            continue;
        outcome->early += work[count - 1].queued_ns < work[0].end_ns;
        if (is_gated(mode))
            qsort(work, (size_t)count, sizeof *work, by_start);
        struct pair_seen now = pair_judge(&work[0], &work[1], is_gated(mode));
        samples_add(&outcome->overlap, now.overlap);
        seen[outcome->rounds++] = now;
    }
    if (outcome->rounds > 0)
        outcome->seen = pair_majority(seen, outcome->rounds);
}

static void store_outcome(const struct study *study, const char *part, enum mode mode) {
    const struct outcome *outcome = &study->outcome[mode];
    char text[64];
#define NAME(what) (snprintf(text, sizeof text, what " %s %d", mode_names[mode], study->dim), text)
    result(part, NAME("total"), "ns", &outcome->total);
    if (mode == TWO_STREAMS)
        result(part, label("queued-after", study->dim), "ns", &outcome->queued_after);
    if (outcome->rounds > 0 && (tracer_works() || !own_streams(mode)))
        result(part, NAME("overlap"), "share", &outcome->overlap);
    if (outcome->rounds == 0 || !tracer_works())
        return;
    result_value(part, NAME("class"), "class", outcome->seen.is);
    result_value(part, NAME("predicted-class"), "class", outcome->predicted.likely);
    result_value(part, NAME("predicted-classes"), "bits", outcome->predicted.possible);
#undef NAME
}

void study_run(struct study *study, char part, enum mode mode, int rounds, struct tally *tally) {
    static struct together together;
    const char *name = part_name(part, mode_names[mode], study->dim), letter[2] = {part, '\0'};
    struct outcome *outcome = &study->outcome[mode];
    outcome->total.n = outcome->queued_after.n = 0;
    together.study = study;
    together.mode = mode;
    products_clear(study->products);
    quiet_rounds(name, rounds, TRACED_ROUNDS, together_round, &together);
    verify(study->products, tally);
    judge(outcome, name, mode);
    store_outcome(study, letter, mode);
}

/* ---- behind a gate --------------------------------------------------------------------------- */

static void sleeps_behind_gate(void *state) {
    (void)state;
    close_gate();
    for (int i = 0; i < 2; i++) {
        sleep_kernel<<<1, 32, 0, streams[i]>>>(cycles_for(100 * 1000), spin_guard());
        LAUNCH_CHECK();
    }
    gate_open(gate);
    CUDA_CHECK(cudaDeviceSynchronize());
}

double release_ns(void) {
    static struct samples apart;
    if (apart.n > 0 || !tracer_works())
        return apart.n > 0 ? stats_of(&apart).max : 0;
    quiet_rounds("b-release", 1, TRACED_ROUNDS, sleeps_behind_gate, NULL);
    for (int i = 0; i < TRACED_ROUNDS; i++) {
        const struct span *first = trace_kernel(traced_part("b-release", i), 0);
        const struct span *second = trace_kernel(traced_part("b-release", i), 1);
        if (first && second)
            samples_add(&apart, fabs((double)(second->start_ns - first->start_ns)));
    }
    return apart.n > 0 ? stats_of(&apart).max : 0;
}
