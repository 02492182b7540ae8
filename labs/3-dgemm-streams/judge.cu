/* judge.cu - runs exercise.cu beside the program it starts from and judges it on the timeline.
 * Not modifiable. */
#include <math.h>
#include <stdlib.h>

#include "exercise.h"
#include "judge.h"
#include "lab.h"
#include "spans.h"
#include "text.h"

enum { PRODUCTS = 32, DIM = 64, ELEMENTS = PRODUCTS * DIM * DIM };

static struct exercise x;
static cublasHandle_t cublas; /* what exercise.cu sets in its own does not change the starter */
static double *a, *b, *c;     /* on the host */
static double *device_a, *device_b;
static struct samples starter_total, student_total;
static bool right = true;

static void random_matrices(double *m) {
    static uint32_t words[ELEMENTS];
    random_words(words, ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++)
        m[i] = (double)words[i] / 4294967296.0 - 0.5;
}

/* NaN: a product that is left out shows. */
static void forget_products(void) {
    CUDA_CHECK(cudaMemset(x.c, 0xff, ELEMENTS * sizeof *c));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void new_matrices(void) {
    size_t bytes = ELEMENTS * sizeof *a;
    random_matrices(a);
    random_matrices(b);
    CUDA_CHECK(cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice));
    forget_products();
}

/* Each element against its own sum; a NaN is not within any bound. */
static bool products_right(void) {
    CUDA_CHECK(cudaMemcpy(c, x.c, ELEMENTS * sizeof *c, cudaMemcpyDeviceToHost));
    for (int p = 0; p < PRODUCTS * DIM; p++) { /* a column of a product */
        const double *left = a + p / DIM * DIM * DIM, *right_column = b + p * DIM;
        for (int row = 0; row < DIM; row++) {
            double sum = 0;
            for (int k = 0; k < DIM; k++)
                sum += left[k * DIM + row] * right_column[k];
            if (!(fabs(c[p * DIM + row] - sum) < 1e-12 * DIM))
                return false;
        }
    }
    return true;
}

static void one_after_another(void *state) {
    (void)state;
    const double one = 1, zero = 0;
    int64_t start = wall_ns();
    for (int i = 0; i < PRODUCTS; i++) {
        int at = i * DIM * DIM;
        CUBLAS_CHECK(cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, DIM, DIM, DIM, &one,
                                 device_a + at, DIM, device_b + at, DIM, &zero, x.c + at, DIM));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    keep(&starter_total, (double)(wall_ns() - start));
}

static void students(void *state) {
    (void)state;
    struct exercise given = x;
    int64_t start = wall_ns();
    exercise_queue(&given);
    CUDA_CHECK(cudaDeviceSynchronize());
    keep(&student_total, (double)(wall_ns() - start));
}

/* What counts: both programs on the same new matrices, one right after the other. The host has just
 * made and checked matrices: the first launch after that takes several times as long, which would
 * be most of the time of a program with one launch. Here the first program has it. */
static void round_that_counts(void) {
    new_matrices();
    one_after_another(NULL);
    forget_products();
    students(NULL);
    right = right && products_right();
}

/* On a simulated GPU the host takes no time, and could do all of it. */
static void check_kernels(void) {
    int n = timeline_count_of("b", SPAN_KERNEL);
    check("b-kernels", n > 0, text("%d", n), "at least 1", "the device did the work");
}

/* From the first call to an idle device, without the tracer: under it each node of a graph takes
 * some us more, and a graph would be judged by that. Neither program can look better than its
 * device makespan in this; the products of each round that counts were checked. */
static void judge(void) {
    double starter_ns = stats_of(&starter_total).median, ns = stats_of(&student_total).median;
    say("One after another: %s. Yours: %s.", show_times(&starter_total),
        show_times(&student_total));
    say("On the timeline, slowed by the tracer, the device was done within %s and %s.",
        show_time((double)device_makespan_ns("a")), show_time((double)device_makespan_ns("b")));
    result("a", "total", "ns", &starter_total);
    result("b", "total", "ns", &student_total);
    check("b-makespan", right && ns <= 0.25 * starter_ns,
          counted(show_percent(ns / starter_ns), right, "products wrong"),
          "at most 25 % of one after another, products right",
          "the device gets all the products at once");
}

static double *host_matrices(void) {
    double *m = (double *)malloc(ELEMENTS * sizeof *m);
    if (!m)
        die(EXIT_ENVIRONMENT, "out of host memory; close other programs");
    return m;
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"one after another", "exercise.cu", NULL};
    static const struct lab lab = {"exercise-3", "thirty-two products at once",
                                   "Give the device 32 small products at once.", parts, NULL};
    size_t bytes = ELEMENTS * sizeof *a;
    lab_begin(&lab, argc, argv);
    a = host_matrices();
    b = host_matrices();
    c = host_matrices();
    CUDA_CHECK(cudaMalloc((void **)&device_a, bytes));
    CUDA_CHECK(cudaMalloc((void **)&device_b, bytes));
    CUDA_CHECK(cudaMalloc((void **)&x.c, bytes));
    x.products = PRODUCTS;
    x.dim = DIM;
    x.a = device_a;
    x.b = device_b;
    CUBLAS_CHECK(cublasCreate(&cublas));
    CUBLAS_CHECK(cublasCreate(&x.cublas));
    struct exercise given = x; /* x stays as it is, whatever exercise.cu does */
    exercise_setup(&given);
    if (part_begin('a')) {
        new_matrices();
        part_rounds("a", repeats(1000000), one_after_another, NULL);
    }
    if (part_begin('b')) {
        part_rounds("b", repeats(1000000), students, NULL);
        starter_total.n = student_total.n = 0;
        for (int i = 0; i < repeats(1000000); i++)
            round_that_counts();
        check("b-products-right", right, right ? "all right" : "wrong elements",
              "each of the 32 products, within rounding", "the matrices are new each time");
        if (judged_on_timeline("b-makespan")) {
            check_kernels();
            judge();
        }
    }
    given = x;
    exercise_cleanup(&given);
    CUBLAS_CHECK(cublasDestroy(x.cublas));
    CUBLAS_CHECK(cublasDestroy(cublas));
    CUDA_CHECK(cudaFree(device_a));
    CUDA_CHECK(cudaFree(device_b));
    CUDA_CHECK(cudaFree(x.c));
    free(a);
    free(b);
    free(c);
    return lab_end();
}
