/* matrix.h - square matrices of random numbers, and products of them that are checked.
 * Column-major, as cuBLAS has them. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- on the host ----------------------------------------------------------------------------- */

/* Elements first .. first + n - 1 of the endless random sequence of this seed: even in [-1, 1),
 * never 0. Any part of it can be made again. Real data: a GPU multiplies equal or zero numbers with
 * less power, so with a higher clock. */
void matrix_random(double *out, uint64_t seed, size_t first, size_t n);

/* c = a b, by the definition. For small dims. */
void matrix_multiply(int dim, const double *a, const double *b, double *c);

/* y += m x over `columns` columns of dim rows; x has an element a column. */
void matrix_add_product(int dim, int columns, const double *m, const double *x, double *y);

/* The largest |x - y|; infinite if any is not a number. */
double matrix_distance(size_t n, const double *x, const double *y);

/* How far a right result may be off: elements of a product (of dims up to FULL_CHECK_DIM), and of
 * (a b) times a vector, for elements in [-1, 1). Rounding makes about a thousandth of it. */
double matrix_tolerance(int dim);
double matrix_vector_tolerance(int dim);

/* ---- on the device --------------------------------------------------------------------------- */

/* Up to this dim a result is compared with matrix_multiply element by element; above by Freivalds'
 * check: C x against A (B x) for a random x, which costs dim^2 and not dim^3. A wrong C passes it
 * with probability 0 but for rounding (Freivalds 1977: at most 1/2 with x of zeros and ones). */
enum { FULL_CHECK_DIM = 128 };

/* count independent products C = A B of one dim. Matrix i of a kind starts at i * dim * dim. */
struct products {
    int count, dim;
    double *a, *b, *c; /* device memory */
    size_t stride;     /* elements from one matrix to the next: dim * dim */
    double *x;         /* host: the random vector, or unused */
    double *expected;  /* host: count products, or count vectors A (B x) */
    int computed;      /* 0: the device only models products of this dim, so C holds nothing */
};

/* Device memory they take. */
size_t products_bytes(int count, int dim);

/* Allocates them, puts random numbers into A and B, and finds out what to expect of C. Dies with
 * EXIT_ENVIRONMENT if memory is short: ask device_free_bytes first. products_free frees it. */
struct products *products_new(int count, int dim, uint64_t seed);
void products_free(struct products *products);

/* Fills C with NaN, so that a product never made is a wrong one. The device is idle after. */
void products_clear(struct products *products);

/* Copies each C to the host and checks it. Returns how many are wrong; NaN is wrong. *error gets
 * the largest error as a share of what rounding explains. Meaningless unless `computed`. */
int products_wrong(struct products *products, double *error);

/* Shortest time in which this device could make `count` products: its FP64 units at their highest
 * clock. Generous where CUDA does not say, so that only the impossible is below. 0: not known. */
double products_floor_ns(int count, int dim);

#ifdef __cplusplus
}
#endif
#endif
