/* queued.h - calls that queue device work: when they returned, and what was done by then. */
#ifndef QUEUED_H
#define QUEUED_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One call, over the measured rounds. All but returned hold 1 for true and 0 for false. */
struct call {
    struct samples returned; /* ns from entering the call to its return */
    struct samples pending;  /* earlier work of the stream was not done when the call was entered */
    struct samples waited;   /* it was pending, and done when the call returned: the call blocked */
    struct samples own_done; /* the call's own work was done when it returned */
};

/* Times `expression`, a call that queues work in `stream`. `earlier` is an event recorded in that
 * stream behind the work the call may wait for, or NULL if there is none. Asking costs about 1 us
 * before and after the call, not inside the time kept, and is left out under the tracer. */
#define QUEUE_CALL(call, earlier, stream, expression)                                              \
    do {                                                                                           \
        call_entered((call), (earlier));                                                           \
        TIME_CALL(&(call)->returned, expression);                                                  \
        call_returned((call), (earlier), (stream));                                                \
    } while (0)
void call_entered(struct call *call, cudaEvent_t earlier);
void call_returned(struct call *call, cudaEvent_t earlier, cudaStream_t stream);

/* True if all work of the stream is done. */
bool stream_done(cudaStream_t stream);

/* Of samples that are 1 or 0: how many are 1, whether most are, and "9 of 11". One round in which
 * the host was held up must not change a verdict. */
int count_true(const struct samples *samples);
bool mostly(const struct samples *samples);
const char *show_count(const struct samples *samples);

#ifdef __cplusplus
}
#endif
#endif
