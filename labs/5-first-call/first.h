/* first.h - what lab 5 does in a fresh process. The comment of each name says which numbers it
 * answers; all are ns on the host's clock unless it says otherwise. */
#ifndef FIRST_H
#define FIRST_H

#include "child.h"
#include "clock.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The three calls that may create the context, in any order: their first letters say which. */
#define ORDERS 3
extern const char *const order_names[ORDERS]; /* "cudaFree-first", ... */

enum { HOLD_LIMIT_MS = 100 }; /* the spinning kernel of part f gives up after this */

/* context <order>: the three calls in this order, then the same three again.
 * launch: context, kernel, same kernel, another kernel, same again.
 * event, pinned, callback: the first, the second.
 * products <dims>: cublasCreate, a second handle, then for each dim the first product and the
 *     second; how many of them were checked, how many of those were wrong.
 * clock: SM clock in kHz at first and when settled, time until it had settled.
 * naive <dim>: when it started; allocation with context, copy in, cublasCreate, product, copy out,
 *     all of it; products checked, products wrong.
 * right <dim>: one product by a benchmark done right, its first reading and its median; products
 *     checked, products wrong.
 * behind: launch of a loaded kernel, of one never launched; how long the spinning kernel spun. */
extern const struct child_experiment first_experiments[];

/* In products.cu. */
void first_products(struct numbers *out, const char *dims);
void first_naive(struct numbers *out, const char *dim);
void first_right(struct numbers *out, const char *dim);

/* Times a CUDA call on the host's clock, adds it (ns) and checks its error. */
#define TIME(out, call)                                                                            \
    do {                                                                                           \
        int64_t time_start_ns = wall_ns();                                                         \
        CUDA_CHECK(call);                                                                          \
        numbers_add((out), wall_ns() - time_start_ns);                                             \
    } while (0)

/* Between the host and hold_kernel, in pinned memory: the host sets stop, the kernel the others. */
struct hold {
    volatile int started, stop;
    volatile int64_t spun_ns;
};

#ifdef __cplusplus
}
#endif
#endif
