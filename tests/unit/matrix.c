#include "matrix.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#include "device.h"
#include "tap.h"

static double m[4 * 4096], other[4 * 4096];

static void same_seed_same_numbers(void) {
    matrix_random(m, 7, 0, 4096);
    matrix_random(other, 7, 1000, 3096);
    EXPECT_NEAR(matrix_distance(3096, m + 1000, other), 0, 0);
    matrix_random(other, 8, 0, 4096);
    int same = 0;
    for (int i = 0; i < 4096; i++)
        same += m[i] == other[i];
    EXPECT_INT(same, 0);
}

/* Mean 0, variance 1/3, both halves and both ends reached, no two alike. */
static void even_between_minus_one_and_one(void) {
    double sum = 0, squares = 0, least = 1, most = -1;
    int zero = 0, outside = 0, n = 4 * 4096;
    matrix_random(m, 1, 0, (size_t)n);
    for (int i = 0; i < n; i++) {
        sum += m[i];
        squares += m[i] * m[i];
        least = fmin(least, m[i]);
        most = fmax(most, m[i]);
        zero += m[i] == 0;
        outside += !(m[i] >= -1 && m[i] < 1);
    }
    EXPECT_NEAR(sum / n, 0, 0.02);
    EXPECT_NEAR(squares / n, 1.0 / 3, 0.02);
    EXPECT_NEAR(least, -1, 0.01);
    EXPECT_NEAR(most, 1, 0.01);
    EXPECT_INT(zero, 0);
    EXPECT_INT(outside, 0);
}

/* Column-major: (1 3; 2 4) (5 7; 6 8) = (23 31; 34 46). */
static void product_of_two_by_two(void) {
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, wanted[] = {23, 34, 31, 46};
    double c[4] = {NAN, NAN, NAN, NAN};
    matrix_multiply(2, a, b, c);
    for (int i = 0; i < 4; i++)
        EXPECT_NEAR(c[i], wanted[i], 0);
}

/* Widths that are and are not multiples of four, against sums by the definition. */
static void product_of_odd_dims(void) {
    for (int dim = 1; dim <= 9; dim++) {
        double a[81], b[81], c[81], worst = 0;
        matrix_random(a, 3, 0, 81);
        matrix_random(b, 4, 0, 81);
        matrix_multiply(dim, a, b, c);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                double sum = 0;
                for (int k = 0; k < dim; k++)
                    sum += a[k * dim + i] * b[j * dim + k];
                worst = fmax(worst, fabs(sum - c[j * dim + i]));
            }
        EXPECT_NEAR(worst, 0, matrix_tolerance(dim) / 10);
    }
}

static void not_a_number_is_far_away(void) {
    double x[] = {1, 2, 3}, y[] = {1, 2.5, 2.75};
    EXPECT_NEAR(matrix_distance(3, x, y), 0.5, 0);
    y[0] = NAN;
    EXPECT(isinf(matrix_distance(3, x, y)));
    EXPECT(isinf(matrix_distance(3, y, x)));
    x[0] = NAN;
    EXPECT(isinf(matrix_distance(3, x, y)));
    x[2] = INFINITY;
    y[2] = INFINITY; /* the difference is not a number */
    EXPECT(isinf(matrix_distance(3, x, y)));
}

/* ---- on the device --------------------------------------------------------------------------- */

/* Puts the right C of product i there, computed from what is in A and B on the device. */
static void compute(struct products *p, int i) {
    size_t at = (size_t)i * p->stride, bytes = p->stride * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    cudaMemcpy(a, p->a + at, bytes, cudaMemcpyDefault);
    cudaMemcpy(b, p->b + at, bytes, cudaMemcpyDefault);
    matrix_multiply(p->dim, a, b, c);
    cudaMemcpy(p->c + at, c, bytes, cudaMemcpyDefault);
    free(a);
    free(b);
    free(c);
}

static void change(struct products *p, size_t element, double by) {
    double value;
    cudaMemcpy(&value, p->c + element, sizeof value, cudaMemcpyDefault);
    value += by;
    cudaMemcpy(p->c + element, &value, sizeof value, cudaMemcpyDefault);
}

/* dim 33: element by element; 150: Freivalds, and no multiple of the panel's width or of four. */
static void check_dim(int dim) {
    double error;
    struct products *p = products_new(3, dim, 5);
    size_t last = 3 * p->stride - 1;
    products_clear(p);
    EXPECT_INT(products_wrong(p, &error), 3); /* never computed */
    for (int i = 0; i < 3; i++)
        compute(p, i);
    EXPECT_INT(products_wrong(p, &error), 0);
    EXPECT(error < 0.2);
    change(p, p->stride + 7, 1e-8); /* one element of one product */
    EXPECT_INT(products_wrong(p, &error), 1);
    EXPECT(error > 1);
    change(p, last, NAN);
    EXPECT_INT(products_wrong(p, &error), 2);
    products_free(p);
}

static void small_products_checked(void) {
    check_dim(33);
}

static void larger_products_checked(void) {
    check_dim(150);
}

/* Swapped products are wrong: each has its own matrices. */
static void products_differ(void) {
    double error;
    struct products *p = products_new(2, 20, 5);
    compute(p, 0);
    cudaMemcpy(p->c + p->stride, p->c, p->stride * sizeof(double), cudaMemcpyDefault);
    EXPECT_INT(products_wrong(p, &error), 1);
    products_free(p);
}

/* Above what the device computes nothing is written, so nothing may count as right. */
static void above_the_limit_nothing_is_right(void) {
    double error;
    struct products *p = products_new(1, max_verified_dim() + 1, 5);
    EXPECT(!p->computed);
    products_clear(p);
    EXPECT_INT(products_wrong(p, &error), 1);
    products_free(p);
}

static void bytes_of_products(void) {
    EXPECT_INT(products_bytes(2, 8192), (int64_t)3 << 30);
    EXPECT_INT(products_bytes(32, 32768), (int64_t)32 * 3 * 8 << 30);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"same seed, same numbers", same_seed_same_numbers},
        {"even between -1 and 1", even_between_minus_one_and_one},
        {"product of two by two", product_of_two_by_two},
        {"product of odd dims", product_of_odd_dims},
        {"not a number is far away", not_a_number_is_far_away},
        {"small products checked", small_products_checked},
        {"larger products checked", larger_products_checked},
        {"products differ", products_differ},
        {"above the limit nothing is right", above_the_limit_nothing_is_right},
        {"bytes of products", bytes_of_products},
    };
    device_select(0);
    device_open();
    return TAP_RUN(tests);
}
