/* Solution 3: one call for all of them. The matrices lie at equal distances, so the strided-batched
 * product fits; a graph of 32 parallel nodes would do as well. */
#include "exercise.h"

void exercise_setup(struct exercise *x) {
    (void)x;
}

void exercise_queue(struct exercise *x) {
    const double one = 1, zero = 0;
    int n = x->dim;
    long long int stride = (long long int)n * n;
    CUBLAS_CHECK(cublasDgemmStridedBatched(x->cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, x->a,
                                           n, stride, x->b, n, stride, &zero, x->c, n, stride,
                                           x->products));
}

void exercise_cleanup(struct exercise *x) {
    (void)x;
}
