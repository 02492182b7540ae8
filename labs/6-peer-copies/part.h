/* part.h - the ways that one part of lab 6 tries, and questions about all of them. */
#ifndef PART_H
#define PART_H

#include "beside.h"

#ifdef __cplusplus
extern "C" {
#endif

struct part {
    const char *letter;
    int n;
    struct way way[8];
    struct seen seen[8];
};

/* Runs one more way and keeps what came of it. words name it in results.csv; joined by dashes they
 * name its timeline part. */
const struct seen *part_run(struct part *part, const struct way *way, const char *words);

uint64_t part_wrong_bytes(const struct part *part);

/* Of the copies in another stream than the kernel's: the longest time to return. */
double part_slowest_return_ns(const struct part *part);

/* True if the copy began only in the second half of a kernel that it is beside. It is queued when
 * the kernel has hardly begun, so it waited, and found room when the kernel's first blocks ended.
 */
bool in_the_tail(const struct seen *seen);

/* Of the copies in another stream, one way: the most that one overlaps both GPUs' kernels, 0 for
 * one in a kernel's tail. Of those that go both ways: the most that they overlap each other. NaN if
 * no overlap was seen. */
double part_most_over_kernels(const struct part *part);
double part_most_over_back(const struct part *part);

/* True if every second copy started soon after it was queued (within 20 us, or half a copy's time):
 * if it did not overlap the first, then because that was over by then, and not because the device
 * held it. */
bool part_back_never_held(const struct part *part);

/* True if the tracer recorded copies through the host. */
bool part_staged(const struct part *part);

/* Paragraphs, where there is reason: records that do not hold a copy's time, and where it
 * comes from instead; copies back that waited for the first although in another stream. */
void say_where_times_come_from(const struct part *part);
void say_what_was_held_back(const struct part *part);

/* Checks that hold for every part: no copy faster than what carries it, no wrong byte, no overlap
 * with the kernel before it in its own stream. */
void check_rates(const struct part *part);
void check_data(const struct part *part);
void check_own_stream_waits(const struct part *part);

#ifdef __cplusplus
}
#endif
#endif
