/* beside.h - a copy beside kernels that fill its GPUs: run again and again, traced, verified. */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpus.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One way to do it. from and to are the same GPU for a copy inside it. */
struct way {
    const struct gpu *from, *to;
    bool to_stream; /* the copy is in a stream of the GPU it goes to, not where it comes from */
    bool own;       /* in the stream of that GPU's kernel, behind it, not in another */
    bool both;      /* a second copy goes the other way, in the other GPU's stream */
    bool half;      /* the kernel leaves half of the GPU's SMs empty */
    size_t bytes;
    int64_t kernel_ns;
    double alone_ns; /* both: what the same copy takes one way */
};

enum recorded { RECORDED_NOT, RECORDED_DIRECT, RECORDED_STAGED };

/* What came of it. Overlaps are shares of the shorter one, NaN if the tracer did not see them. */
struct seen {
    double return_ns;   /* median time until the call returned */
    bool copy_done;     /* when it returned its copy was done, in most rounds */
    bool kernel_waited; /* it returned only after the kernel before it in its stream had ended */
    double copy_ns;     /* of the device: by the tracer if its record can be believed, else... */
    double events_ns;   /* median by events in the copy's stream, before it and behind it */
    double back_ns;     /* the same of the copy the other way */
    enum recorded recorded; /* what the tracer says: straight, or to the host and from it */
    double disbelieved_ns;  /* its record's time if that beats the physical limit, else 0 */
    enum span_kind disbelieved_kind;
    double over_from, over_to; /* overlap of the copy with the kernel of each GPU */
    double over_back;          /* ... with the copy the other way */
    double begun_at;           /* share of the kernels' time that had passed when the copy began: of
                                  the kernel of which more had. Near 1: in the kernel's tail */
    int64_t back_held_ns;      /* that copy started so long after its call had returned */
    uint64_t wrong_bytes;      /* at the end, both copies together */
    bool call_stands_in;       /* the tracer recorded no copy: the host call's time stands for it */
};

/* Fills the sources with bytes that were never there, runs `rounds` rounds as timeline part `part`,
 * verifies what arrived, and stores the results under `letter` with `words` as their last words. */
struct seen way_run(const struct way *way, const char *letter, const char *part, const char *words,
                    int rounds);

#ifdef __cplusplus
}
#endif
#endif
