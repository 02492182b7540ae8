#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { COLD_START_RATIO = 50 };

static bool kept = true;

void stats_keep(bool on) {
    kept = on;
}

void keep(struct samples *samples, double value) {
    if (kept)
        samples_add(samples, value);
}

void samples_add(struct samples *samples, double value) {
    if (samples->n == MAX_SAMPLES)
        die(EXIT_FAIL, "a quantity was measured more than %d times; choose fewer --repeats",
            MAX_SAMPLES);
    samples->value[samples->n++] = value;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct stats no_stats(int n, double first) {
    struct stats s = {n, NAN, NAN, NAN, NAN, NAN, first};
    return s;
}

/* Two passes: the sum of squares of large times would lose the digits that the spread is in. */
static double sample_deviation(const struct samples *samples, double mean) {
    double sum = 0;
    for (int i = 0; i < samples->n; i++)
        sum += (samples->value[i] - mean) * (samples->value[i] - mean);
    return sqrt(sum / (samples->n - 1));
}

static double cov_of(const struct samples *samples, double mean) {
    double deviation = samples->n < 2 ? 0 : sample_deviation(samples, mean);
    return deviation == 0 ? 0 : deviation / fabs(mean);
}

struct stats stats_of(const struct samples *samples) {
    int n = samples->n;
    if (n == 0)
        return no_stats(0, NAN);
    double sorted[MAX_SAMPLES], sum = 0;
    for (int i = 0; i < n; i++) {
        /* One NaN makes all figures NaN: it must not be sorted out of sight. */
        if (isnan(samples->value[i]))
            return no_stats(n, samples->value[0]);
        sorted[i] = samples->value[i];
        sum += sorted[i];
    }
    qsort(sorted, (size_t)n, sizeof sorted[0], by_value);
    struct stats s;
    s.n = n;
    s.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    s.min = sorted[0];
    s.max = sorted[n - 1];
    s.mean = sum / n;
    s.cov = cov_of(samples, s.mean);
    s.first = samples->value[0];
    return s;
}

double median_of(const struct samples *samples) {
    return stats_of(samples).median;
}

bool stats_cold_start(const struct stats *stats) {
    return stats->n > 1 && stats->first > COLD_START_RATIO * stats->median;
}
