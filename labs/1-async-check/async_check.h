/* async_check.h - what the files of lab 1 share. */
#ifndef ASYNC_CHECK_H
#define ASYNC_CHECK_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "clock.h"
#include "host_memory.h"
#include "queued.h"
#include "spans.h"

#ifdef __cplusplus
extern "C" {
#endif

extern int64_t bytes, sleep_ns, blocks, threads, max_launches; /* options */

/* One run of parts a, b or c: what a round works on, and what was seen in all rounds. */
struct work {
    const char *part;
    enum host_kind memory;
    int round;                   /* also the seed of the data */
    uint32_t *in, *out, *device; /* NULL in part a: no copies */
    cudaStream_t stream;
    cudaEvent_t copied_in, slept;
    struct call copy_in, launch, copy_out, callback, synchronise;
    struct samples flag_after_queueing, flag_after_synchronise; /* 1: the callback has run */
    int corrupt_rounds;
};

/* What the device work of one round took, from the traced round; NaN if it was not recorded. */
struct took {
    double copy_in_ns, kernel_ns, copy_out_ns, all_ns;
};

/* The report of parts a, b and c: report.c. Prints the table of calls and keeps its figures. */
struct took report_calls(const struct work *w);
void explain_copies(const struct work *w, const struct took *t);
void explain_waves(const char *part, double kernel_ns);
void check_calls(const struct work *w);
void check_copy_calls(const struct work *w, const struct took *t);

void queue_depth(void); /* part d: queue_depth.cu */
void null_stream(void); /* part e: null_stream.cu */

#ifdef __cplusplus
}
#endif
#endif
