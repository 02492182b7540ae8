#include "matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "mix.h"

/* 53 bits, and half of the last one: an odd number of halves is never 0. */
void matrix_random(double *out, uint64_t seed, size_t first, size_t n) {
    uint64_t key = mix64(seed + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = mix64(key + (first + i) * MIX_STEP) >> 12;
        out[i] = (double)(2 * bits + 1) * 0x1p-52 - 1;
    }
}

void matrix_add_product(int dim, int columns, const double *m, const double *x, double *y) {
    int j = 0;
    for (; j + 4 <= columns; j += 4) {
        const double *p = m + (size_t)j * (size_t)dim, *q = p + dim, *r = q + dim, *s = r + dim;
        for (int i = 0; i < dim; i++)
            y[i] += (p[i] * x[j] + q[i] * x[j + 1]) + (r[i] * x[j + 2] + s[i] * x[j + 3]);
    }
    for (; j < columns; j++)
        for (int i = 0; i < dim; i++)
            y[i] += m[(size_t)j * (size_t)dim + (size_t)i] * x[j];
}

/* Column j of the product is a times column j of b. */
void matrix_multiply(int dim, const double *a, const double *b, double *c) {
    memset(c, 0, (size_t)dim * (size_t)dim * sizeof *c);
    for (int j = 0; j < dim; j++) {
        size_t column = (size_t)j * (size_t)dim;
        matrix_add_product(dim, dim, a, b + column, c + column);
    }
}

double matrix_distance(size_t n, const double *x, const double *y) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double distance = fabs(x[i] - y[i]);
        if (!(distance <= worst))
            worst = isnan(distance) ? INFINITY : distance;
    }
    return worst;
}

/* A sum of dim terms of size 1 is off by at most dim * dim * epsilon / 2, and in practice by its
 * square root (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). */
double matrix_tolerance(int dim) {
    return 16 * DBL_EPSILON * dim;
}

double matrix_vector_tolerance(int dim) {
    return 4 * DBL_EPSILON * dim * (double)dim;
}
