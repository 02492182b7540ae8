#include "stats.h"

#include <stdlib.h>

#include "error.h"
#include "tap.h"

static struct samples samples_of(int n, const double *values) {
    struct samples s = {0};
    for (int i = 0; i < n; i++)
        samples_add(&s, values[i]);
    return s;
}

#define STATS(...)                                                                                 \
    (s = samples_of((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                       \
                    (double[]){__VA_ARGS__}),                                                      \
     stats_of(&s))

static struct samples s;

static void figures_of_an_odd_number(void) {
    struct stats f = STATS(9, 2, 4, 4, 5, 7, 4);
    EXPECT_INT(f.n, 7);
    EXPECT_NEAR(f.median, 4, 0);
    EXPECT_NEAR(f.min, 2, 0);
    EXPECT_NEAR(f.max, 9, 0);
    EXPECT_NEAR(f.mean, 5, 0);
    EXPECT_NEAR(f.cov, sqrt(32.0 / 6) / 5, 1e-15); /* squares 16 9 1 1 0 4 1 over n - 1 */
    EXPECT_NEAR(f.first, 9, 0);
}

static void figures_of_an_even_number(void) {
    struct stats f = STATS(8, 1, 3, 2);
    EXPECT_NEAR(f.median, 2.5, 0);
    EXPECT_NEAR(f.cov, sqrt(29.0 / 3) / 3.5, 1e-15);
}

static void one_sample(void) {
    struct stats f = STATS(42);
    EXPECT_NEAR(f.median, 42, 0);
    EXPECT_NEAR(f.min, 42, 0);
    EXPECT_NEAR(f.max, 42, 0);
    EXPECT_NEAR(f.cov, 0, 0);
}

static void no_sample_is_nan_not_zero(void) {
    struct samples none = {0};
    struct stats f = stats_of(&none);
    EXPECT_INT(f.n, 0);
    EXPECT(isnan(f.median) && isnan(f.min) && isnan(f.max) && isnan(f.mean) && isnan(f.cov));
    EXPECT(!stats_cold_start(&f));
}

static void a_nan_among_samples_is_not_sorted_away(void) {
    struct stats f = STATS(1, NAN, 3);
    EXPECT_INT(f.n, 3);
    EXPECT(isnan(f.median) && isnan(f.min) && isnan(f.max) && isnan(f.cov));
}

static void spread_round_zero(void) {
    struct stats f = STATS(0, 0, 0);
    EXPECT_NEAR(f.cov, 0, 0);
    f = STATS(-4, -6);
    EXPECT_NEAR(f.cov, sqrt(2) / 5, 1e-15); /* by the size of the mean */
    EXPECT_NEAR(f.median, -5, 0);
}

/* NIST Statistical Reference Datasets, univariate, NumAcc2 to NumAcc4: 1001 values, the first one
 * the mean, then 500 times mean - 0.1, mean + 0.1; certified standard deviation 0.1. They defeat a
 * sum of squares. */
static void nist_numerical_accuracy(void) {
    static const double mean[] = {1.2, 1000000.2, 10000000.2};
    for (int set = 0; set < 3; set++) {
        s.n = 0;
        samples_add(&s, mean[set]);
        for (int i = 0; i < 500; i++) {
            samples_add(&s, mean[set] - 0.1);
            samples_add(&s, mean[set] + 0.1);
        }
        struct stats f = stats_of(&s);
        EXPECT_NEAR(f.mean, mean[set], 1e-14 * 1001 * mean[set]);
        EXPECT_NEAR(f.cov * f.mean, 0.1, 1e-8);
        EXPECT_NEAR(f.median, mean[set], 0);
    }
}

/* The definition, by counting: as many samples below the median as above it, in any order. */
static void median_of_shuffled_samples(void) {
    srand(1);
    for (int n = 1; n <= 200; n++) {
        s.n = 0;
        for (int i = 0; i < n; i++)
            samples_add(&s, rand() % 50);
        double median = stats_of(&s).median;
        int below = 0, above = 0;
        for (int i = 0; i < n; i++) {
            below += s.value[i] < median;
            above += s.value[i] > median;
        }
        EXPECT(below <= n / 2 && above <= n / 2);
    }
}

static void order_of_samples_is_kept(void) {
    struct stats f = STATS(3, 1, 2);
    EXPECT_NEAR(f.first, 3, 0);
    EXPECT_NEAR(s.value[0], 3, 0);
    EXPECT_NEAR(s.value[1], 1, 0);
    EXPECT_NEAR(s.value[2], 2, 0);
}

static void warm_up_rounds_are_not_kept(void) {
    s.n = 0;
    keep(&s, 1);
    stats_keep(false);
    keep(&s, 2);
    stats_keep(true);
    keep(&s, 3);
    EXPECT_INT(s.n, 2);
    EXPECT_NEAR(s.value[1], 3, 0);
}

static void a_cold_start_is_seen(void) {
    struct stats warm = STATS(500, 10, 10), cold = STATS(501, 10, 10), late = STATS(10, 501, 10);
    EXPECT(!stats_cold_start(&warm)); /* 50 times, not over 50 */
    EXPECT(stats_cold_start(&cold));
    EXPECT(!stats_cold_start(&late));
}

static void add_too_many(void *count) {
    s.n = 0;
    for (int i = 0; i < *(int *)count; i++)
        samples_add(&s, i);
}

static void a_full_array_dies(void) {
    int fits = MAX_SAMPLES, too_many = MAX_SAMPLES + 1;
    EXPECT_INT(tap_child(add_too_many, &fits), 0);
    EXPECT_DIES(add_too_many, &too_many, EXIT_FAIL, "--repeats");
}

int main(void) {
    static const struct tap_test tests[] = {
        {"figures of an odd number of samples", figures_of_an_odd_number},
        {"figures of an even number of samples", figures_of_an_even_number},
        {"one sample", one_sample},
        {"no sample gives NaN, not 0", no_sample_is_nan_not_zero},
        {"a NaN among samples is not sorted away", a_nan_among_samples_is_not_sorted_away},
        {"spread round zero", spread_round_zero},
        {"NIST NumAcc2, NumAcc3, NumAcc4", nist_numerical_accuracy},
        {"median of shuffled samples", median_of_shuffled_samples},
        {"the order of samples is kept", order_of_samples_is_kept},
        {"warm-up rounds are not kept", warm_up_rounds_are_not_kept},
        {"a cold start is seen", a_cold_start_is_seen},
        {"a full array dies", a_full_array_dies},
    };
    return TAP_RUN(tests);
}
