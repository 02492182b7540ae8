/* bench - what the labs' machinery costs: each lab-style measurement beside the bare calls, in one
 * run, taking turns. Misses of a goal fail on a real GPU; on a simulated one nothing is judged. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host_memory.h"
#include "lab.h"
#include "text.h"

enum { ROUNDS = 7, LAUNCHES = 1000, READS = 1000000, SPANS = 1000000, BATCHES = 100 };

static int64_t opt_bytes = (int64_t)2 << 30, opt_dim = 8192;
static const struct option_spec options[] = {
    {"bytes", OPTION_BYTES, &opt_bytes, 1, INT64_MAX / 4, NULL, "size of the copies"},
    {"dim", OPTION_INT, &opt_dim, 1, 32768, NULL, "dimension of the products"},
    {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL}};
static const char *const parts[] = {"copies", "matrix products", "tracing", "clock and timeline",
                                    NULL};
static const struct lab bench = {
    "bench", "what the measuring costs",
    "The labs' way of copying, multiplying, timing and recording, beside the bare calls.", parts,
    options};

/* The real clock, also on a simulated GPU: what the host's own code costs. */
static int64_t real_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void judge(const char *id, bool met, const char *measured, const char *goal,
                  const char *why) {
    if (device_simulated())
        check_cannot_show(id, "a simulated GPU's times are the model's");
    else
        check(id, met, measured, goal, why);
}

/* One row: the lab's way, the bare way, and how much of the bare speed is left. */
static void row(const char *what, const struct samples *lab, const struct samples *bare) {
    table_cell("%s", what);
    table_cell("%s", show_times(lab));
    table_cell("%s", show_times(bare));
    table_cell("%.4f", median_of(bare) / median_of(lab));
}

static void require_bare_speed(const char *id, const struct samples *lab,
                               const struct samples *bare) {
    double ratio = median_of(bare) / median_of(lab);
    judge(id, ratio >= 0.98, text("%.4f", ratio), "at least 0.98",
          "The lab's way of measuring leaves the speed as it is.");
}

/* ---- a. copies ------------------------------------------------------------------------------- */

struct copying {
    cudaStream_t stream;
    void *device, *lab_host, *bare_host;
    size_t bytes;
    struct samples call, lab[2], bare[2]; /* by direction: h2d, d2h */
};

static void lab_copy(struct copying *c, int d2h) {
    void *to = d2h ? c->lab_host : c->device, *from = d2h ? c->device : c->lab_host;
    int64_t start_ns = wall_ns();
    TIME_CALL(&c->call, cudaMemcpyAsync(to, from, c->bytes, cudaMemcpyDefault, c->stream));
    CUDA_CHECK(cudaStreamSynchronize(c->stream));
    keep(&c->lab[d2h], (double)(wall_ns() - start_ns));
    spin_check();
}

static void bare_copy(struct copying *c, int d2h) {
    void *to = d2h ? c->bare_host : c->device, *from = d2h ? c->device : c->bare_host;
    int64_t start_ns = real_ns();
    cudaMemcpyAsync(to, from, c->bytes, d2h ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                    c->stream);
    cudaStreamSynchronize(c->stream);
    samples_add(&c->bare[d2h], (double)(real_ns() - start_ns));
}

static void compare_copies(void) {
    static struct copying c;
    c.bytes = (size_t)opt_bytes;
    CUDA_CHECK(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMalloc(&c.device, c.bytes));
    CUDA_CHECK(cudaMallocHost(&c.bare_host, c.bytes));
    memset(c.bare_host, 1, c.bytes);
    c.lab_host = host_alloc_touched(HOST_PINNED, c.bytes);
    for (int i = -1; i < ROUNDS; i++) {
        for (int d2h = 0; d2h < 2; d2h++) {
            lab_copy(&c, d2h);
            bare_copy(&c, d2h);
        }
        if (i < 0) /* warm-up */
            c.call.n = c.lab[0].n = c.lab[1].n = c.bare[0].n = c.bare[1].n = 0;
    }
    table_begin(4, "copy, pinned", "lab", "bare", "speed kept");
    for (int d2h = 0; d2h < 2; d2h++)
        row(d2h ? "device to host" : "host to device", &c.lab[d2h], &c.bare[d2h]);
    table_end();
    say("%s each way at %s and %s.", show_bytes((double)c.bytes),
        show_rate((double)c.bytes, median_of(&c.lab[0])),
        show_rate((double)c.bytes, median_of(&c.lab[1])));
    require_bare_speed("a-h2d", &c.lab[0], &c.bare[0]);
    require_bare_speed("a-d2h", &c.lab[1], &c.bare[1]);
    host_free(HOST_PINNED, c.lab_host, c.bytes);
    CUDA_CHECK(cudaFreeHost(c.bare_host));
    CUDA_CHECK(cudaFree(c.device));
    CUDA_CHECK(cudaStreamDestroy(c.stream));
}

/* ---- b. matrix products ---------------------------------------------------------------------- */

/* Random data: a GPU multiplies constant matrices faster, because it needs less power. */
static double *random_matrix(size_t count) {
    const size_t block_count = 1 << 20;
    static double block[block_count];
    double *matrix;
    uint64_t state = 20240131;
    for (size_t i = 0; i < block_count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        block[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    CUDA_CHECK(cudaMalloc((void **)&matrix, count * sizeof *matrix));
    for (size_t at = 0; at < count; at += block_count) {
        size_t part = count - at < block_count ? count - at : block_count;
        CUDA_CHECK(cudaMemcpy(matrix + at, block, part * sizeof *matrix, cudaMemcpyHostToDevice));
    }
    return matrix;
}

struct multiplying {
    cublasHandle_t cublas;
    cudaStream_t stream;
    double *a, *b, *c;
    int dim;
    struct samples call, lab, bare;
};

static cublasStatus_t multiply(struct multiplying *m) {
    const double one = 1, zero = 0;
    return cublasDgemm(m->cublas, CUBLAS_OP_N, CUBLAS_OP_N, m->dim, m->dim, m->dim, &one, m->a,
                       m->dim, m->b, m->dim, &zero, m->c, m->dim);
}

static void lab_product(struct multiplying *m) {
    int64_t start_ns = wall_ns();
    CUBLAS_CHECK(cublasSetStream(m->cublas, m->stream));
    int64_t call_ns = wall_ns();
    CUBLAS_CHECK(multiply(m));
    keep(&m->call, (double)(wall_ns() - call_ns));
    CUDA_CHECK(cudaStreamSynchronize(m->stream));
    keep(&m->lab, (double)(wall_ns() - start_ns));
    spin_check();
}

static void bare_product(struct multiplying *m) {
    int64_t start_ns = real_ns();
    multiply(m);
    cudaStreamSynchronize(m->stream);
    samples_add(&m->bare, (double)(real_ns() - start_ns));
}

static void compare_products(void) {
    static struct multiplying m;
    size_t count = (size_t)opt_dim * (size_t)opt_dim;
    m.dim = (int)opt_dim;
    m.a = random_matrix(count);
    m.b = random_matrix(count);
    m.c = random_matrix(count);
    CUDA_CHECK(cudaStreamCreateWithFlags(&m.stream, cudaStreamNonBlocking));
    CUBLAS_CHECK(cublasCreate(&m.cublas));
    CUBLAS_CHECK(cublasSetStream(m.cublas, m.stream));
    for (int i = -3; i < ROUNDS; i++) {
        lab_product(&m);
        bare_product(&m);
        if (i < 0)
            m.call.n = m.lab.n = m.bare.n = 0;
    }
    table_begin(4, text("product, %d", m.dim), "lab", "bare", "speed kept");
    row("cublasDgemm", &m.lab, &m.bare);
    table_end();
    say("%.1f TFLOP/s.", 2e-3 * (double)count * m.dim / median_of(&m.lab));
    require_bare_speed("b-dgemm", &m.lab, &m.bare);
    CUBLAS_CHECK(cublasDestroy(m.cublas));
    CUDA_CHECK(cudaStreamDestroy(m.stream));
    CUDA_CHECK(cudaFree(m.a));
    CUDA_CHECK(cudaFree(m.b));
    CUDA_CHECK(cudaFree(m.c));
}

/* ---- c. tracing ------------------------------------------------------------------------------ */

static double ns_per_launch(cudaStream_t stream) {
    int64_t start_ns = wall_ns();
    for (int i = 0; i < LAUNCHES; i++) {
        sleep_kernel<<<1, 1, 0, stream>>>(1, spin_guard());
        LAUNCH_CHECK();
    }
    double ns = (double)(wall_ns() - start_ns) / LAUNCHES;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return ns;
}

static void cost_of_tracing(void) {
    static struct samples plain, traced;
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ns_per_launch(stream);
    for (int i = 0; i < ROUNDS; i++) {
        samples_add(&plain, ns_per_launch(stream));
        trace_begin("c");
        samples_add(&traced, ns_per_launch(stream));
        trace_end();
    }
    say("A launch takes %s, under the tracer (%s) %s: tracing costs %s each.",
        show_time(median_of(&plain)), tracer_name(), show_time(median_of(&traced)),
        show_time(median_of(&traced) - median_of(&plain)));
    result("c", "launch call", "ns", &plain);
    result("c", "launch call traced", "ns", &traced);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

/* ---- d. the host's own code ------------------------------------------------------------------ */

static void cost_of_clock(void) {
    static struct samples lab, bare;
    struct timespec now;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start_ns = real_ns();
        for (int j = 0; j < READS; j++)
            wall_ns();
        int64_t middle_ns = real_ns();
        for (int j = 0; j < READS; j++)
            clock_gettime(CLOCK_MONOTONIC, &now);
        samples_add(&lab, (double)(middle_ns - start_ns) / READS);
        samples_add(&bare, (double)(real_ns() - middle_ns) / READS);
    }
    double lab_ns = median_of(&lab), bare_ns = median_of(&bare);
    say("Reading the wall clock takes %.1f ns, %.1f ns more than clock_gettime (%.1f ns).", lab_ns,
        lab_ns - bare_ns, bare_ns);
    result("d", "wall_ns over clock_gettime", "ns", &lab);
}

/* The median over batches: now and then one has to move the whole timeline. */
static void cost_of_timeline(void) {
    static struct samples batches;
    struct span span = {};
    span.part = timeline_name("d");
    span.name = timeline_name("gemm<double, 16>");
    span.kind = SPAN_KERNEL;
    for (int i = 0; i < BATCHES; i++) {
        int64_t start_ns = real_ns();
        for (int j = 0; j < SPANS / BATCHES; j++) {
            span.start_ns = 1000 * (int64_t)(++span.correlation);
            span.end_ns = span.start_ns + 900;
            timeline_add(&span);
        }
        samples_add(&batches, (double)(real_ns() - start_ns) / (SPANS / BATCHES));
    }
    struct stats s = stats_of(&batches);
    say("Adding a span to the timeline takes %.1f ns (%.1f to %.1f ns).", s.median, s.min, s.max);
    result("d", "timeline_add", "ns", &batches);
    judge("d-timeline-add", s.median < 50, text("%.1f ns", s.median), "under 50 ns",
          "Collecting spans does not slow a lab.");
}

static void cost_of_writing(void) {
    char dir[] = "/tmp/bench-XXXXXX";
    if (!mkdtemp(dir))
        die(EXIT_ENVIRONMENT, "cannot make a folder in /tmp; make room or give permission");
    int64_t start_ns = real_ns();
    timeline_write(dir);
    double seconds = (double)(real_ns() - start_ns) * 1e-9;
    unlink(text("%s/timeline.csv", dir));
    rmdir(dir);
    say("Writing %zu rows of timeline.csv takes %.2f s.", timeline_count(), seconds);
    judge("d-timeline-write", seconds < 1, text("%.2f s for %zu rows", seconds, timeline_count()),
          "under 1 s", "A long timeline does not hold up a lab's end.");
}

int main(int argc, char **argv) {
    lab_begin(&bench, argc, argv);
    if (part_begin('a'))
        compare_copies();
    if (part_begin('b'))
        compare_products();
    if (part_begin('c'))
        cost_of_tracing();
    if (part_begin('d')) {
        cost_of_clock();
        cost_of_timeline();
        cost_of_writing();
    }
    return lab_end();
}
