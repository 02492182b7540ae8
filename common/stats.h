/* stats.h - repeated measurements of one quantity, and the figures printed for them. */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_SAMPLES = 1024 };

/* Measurements of one quantity, in the order taken. Times are in ns. Start from {0}. */
struct samples {
    int n;
    double value[MAX_SAMPLES];
};

struct stats {
    int n;
    double median, min, max, mean;
    double cov;   /* coefficient of variation: sample standard deviation / |mean|; 0 when n < 2 */
    double first; /* the first measurement: its ratio to the median shows a missing warm-up */
};

/* Keeps value unless the current round is a warm-up or a traced one (see part_rounds).
 * Dies when the array is full. */
void keep(struct samples *samples, double value);

/* Whether keep() keeps: part_rounds turns it off for warm-up and traced rounds. On at first. */
void stats_keep(bool on);

/* Keeps value always. */
void samples_add(struct samples *samples, double value);

/* The figures of the samples. n = 0, or one NaN among them, gives NaN everywhere: a missing
 * measurement never reads as 0. An even n takes the mean of the two middle values as median. */
struct stats stats_of(const struct samples *samples);
double median_of(const struct samples *samples);

/* True if the first measurement is over 50 times the median: something was not warmed up. */
bool stats_cold_start(const struct stats *stats);

/* Times one CUDA call on the host's wall clock, keeps it (ns), and checks its error. */
#define TIME_CALL(samples, call)                                                                   \
    do {                                                                                           \
        int64_t time_call_start = wall_ns();                                                       \
        cudaError_t time_call_error = (call);                                                      \
        keep((samples), (double)(wall_ns() - time_call_start));                                    \
        if (time_call_error != cudaSuccess)                                                        \
            cuda_failed(time_call_error, #call, __FILE__, __LINE__);                               \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
