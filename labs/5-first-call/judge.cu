/* judge.cu - runs exercise.cu as it is in a fresh process, compares what it says with a benchmark
 * of its own, and looks on the timeline whether the work was done. Not modifiable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "judge.h"
#include "lab.h"
#include "matrix.h"
#include "spans.h"
#include "text.h"

/* Long enough to keep a GPU busy while the host queues the next one, where the device can be
 * trusted to compute it (max_verified_dim). */
enum { LARGEST_DIM = 1024, ROUNDS = 21, CLOCK_UP_NS = 20 * 1000 * 1000 };
static const char by_judge[] = "a-judge", by_student[] = "a-exercise"; /* timeline parts */

static struct exercise x;
static uint32_t seed;
static struct samples first_run, reference; /* ns a reading */
static int64_t first_call_ns;
static struct products *judged; /* the same matrices, the judge's own */
static cublasHandle_t cublas;
static int runs, runs_right;

/* Nobody can know beforehand how much work it will be. */
static void draw_work(void) {
    uint32_t drawn[3];
    random_words(drawn, 3);
    int most = LARGEST_DIM < max_verified_dim() ? LARGEST_DIM : max_verified_dim();
    x.dim = most - 16 * (int)(drawn[0] % 5);
    x.products = 4 + (int)(drawn[1] % 4);
    seed = drawn[2];
    size_t n = (size_t)x.dim * (size_t)x.dim;
    double *host = (double *)malloc(3 * n * sizeof *host);
    if (!host)
        die(EXIT_ENVIRONMENT, "out of host memory; close other programs");
    matrix_random(host, seed, 0, 2 * n); /* the A and B that products_new makes from this seed */
    x.a = host;
    x.b = host + n;
    x.c = host + 2 * n;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static size_t matrix_bytes(void) {
    return (size_t)x.dim * (size_t)x.dim * sizeof(double);
}

static void students(void *state) {
    (void)state;
    x.readings = 0;
    memset(x.ns, 0, sizeof x.ns);
    memset(x.c, 0xff, matrix_bytes()); /* NaN: a result that is left out shows */
    exercise_benchmark(&x);
    CUDA_CHECK(cudaDeviceSynchronize());
    if (x.readings < 1 || x.readings > MOST_READINGS)
        die(EXIT_FAIL, "exercise_benchmark set x->readings to %d; allowed: 1 to %d", x.readings,
            MOST_READINGS);
}

static void verify(void) {
    double error;
    runs++;
    CUDA_CHECK(cudaMemcpy(judged->c, x.c, matrix_bytes(), cudaMemcpyHostToDevice));
    runs_right += products_wrong(judged, &error) == 0;
}

static void judges_reading(void *state) {
    (void)state;
    const double one = 1, zero = 0;
    int64_t start_ns = wall_ns();
    for (int i = 0; i < x.products; i++)
        CUBLAS_CHECK(cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, x.dim, x.dim, x.dim, &one,
                                 judged->a, x.dim, judged->b, x.dim, &zero, judged->c, x.dim));
    CUDA_CHECK(cudaDeviceSynchronize());
    keep(&reference, (double)(wall_ns() - start_ns));
}

static double reported_ns(void) {
    double sum = 0;
    for (int i = 0; i < x.readings; i++)
        sum += (double)x.ns[i];
    return sum;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void tell(void) {
    struct stats said = stats_of(&first_run);
    say("%d products of dim %d. The judge: %s. Yours: %s, the first of them %s.", x.products, x.dim,
        show_times(&reference), show_times(&first_run), show_time(said.first));
    result("a", "reading judge", "ns", &reference);
    result("a", "reading exercise", "ns", &first_run);
    result_value("a", "first to median", "ratio", said.first / said.median);
}

/* In the traced run the device did as many products as the readings say, and the readings last at
 * least as long as the kernels of so many. */
static bool check_work(void) {
    double kernels_ns = (double)total_ns(by_student, SPAN_KERNEL);
    double wanted = (double)x.readings * timeline_count_of(by_judge, SPAN_KERNEL);
    double wanted_ns = (double)x.readings * (double)total_ns(by_judge, SPAN_KERNEL);
    double share =
        fmin(timeline_count_of(by_student, SPAN_KERNEL) / wanted, kernels_ns / wanted_ns);
    double covered = reported_ns() / wanted_ns;
    check("a-work-done", share >= 0.8, show_percent(share), "at least 80 % of the kernels",
          "kernels that the device ran, of those that so many readings consist of");
    check("a-readings-contain-work", covered >= 0.8, show_percent(covered),
          "at least 80 % of the kernels' time", "the clock was read before and after the work");
    return share >= 0.8 && covered >= 0.8;
}

/* worked: the readings are of work that was done. */
static void judge_readings(bool worked) {
    struct stats said = stats_of(&first_run);
    const char *not_done = "not all the work done";
    double off = said.median / stats_of(&reference).median - 1;
    check("a-agrees", worked && fabs(off) <= 0.10,
          counted(text("%+.1f %%", 100 * off), worked, not_done), "within 10 %, all the work done",
          "the median of the readings and the judge's");
    if (said.n < LEAST_READINGS)
        check("a-first-to-median", false, text("readings: %d", said.n),
              text("readings: at least %d", LEAST_READINGS),
              "one reading does not tell whether it is a usual one");
    else
        check("a-first-to-median", worked && said.min > 0 && said.first < 3 * said.median,
              counted(text("%.2f", said.first / said.median), worked, not_done),
              "under 3, all the work done", "what only the first product needs was done before");
}

static void run_all(void) {
    int64_t start_ns = wall_ns();
    students(NULL);
    first_call_ns = wall_ns() - start_ns;
    double sum_ns = reported_ns();
    for (int i = 0; i < x.readings; i++)
        samples_add(&first_run, (double)x.ns[i]);

    judged = products_new(1, x.dim, seed);
    CUBLAS_CHECK(cublasCreate(&cublas));
    verify();
    CUDA_CHECK(launch_sleep(1, 1, CLOCK_UP_NS, 0)); /* the GPU was idle: its clock may be low */
    part_rounds(by_judge, ROUNDS, judges_reading, NULL);
    part_rounds(by_student, 1, students, NULL);
    verify();
    check("a-products-right", runs_right == runs, text("%d of %d runs", runs_right, runs),
          "all of them", "the result in x->c; NaN is wrong");
    bool passed = sum_ns <= 1.01 * (double)first_call_ns;
    check("a-time-passed", passed, show_time(sum_ns),
          text("at most %s", show_time((double)first_call_ns)),
          "all readings together, and the call they were made in");
    tell();
    if (judged_on_timeline("a-agrees")) {
        bool worked = check_work();
        judge_readings(worked && passed && runs_right == runs);
    }
    products_free(judged);
    CUBLAS_CHECK(cublasDestroy(cublas));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"what the benchmark says, and what is right", NULL};
    static const struct lab lab = {"exercise-5", "repair a benchmark",
                                   "Say how long some matrix products take.", parts, NULL};
    lab_begin(&lab, argc, argv);
    draw_work();
    if (part_begin('a'))
        run_all();
    free((void *)x.a);
    return lab_end();
}
