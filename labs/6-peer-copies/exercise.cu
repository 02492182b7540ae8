/* Exercise 6: exchange the edges while the inner part is worked on.
 *
 * Two GPUs each work on one side of a field, step by step. After each step each needs a copy of the
 * other's edge. This program works on everything, and then copies: meanwhile no SM has anything to
 * do. Most of the work does not change an edge. And look at the way that the copies take.
 *
 * Goal     at least 80 % of the copies' time passes while both GPUs' kernels run; a step takes no
 *          longer than its kernels (and 10 %); all words are right.
 * Yours    everything in this file. The kernel and the words a block works on stay as they are.
 * Try      make exercise-6 (two GPUs; with fewer nothing can be shown)
 */
#include "exercise.h"

static cudaStream_t stream[2];

void exercise_setup(struct exercise *x) {
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x->side[i].gpu));
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    }
}

static void transform(struct exercise *x, uint32_t *words, size_t n, cudaStream_t in) {
    transform_kernel<<<transform_blocks(n), TRANSFORM_THREADS, 0, in>>>(words, n, x->transform);
    LAUNCH_CHECK();
}

void exercise_step(struct exercise *x) {
    for (int i = 0; i < 2; i++) {
        const struct side *mine = &x->side[i], *other = &x->side[1 - i];
        CUDA_CHECK(cudaSetDevice(mine->gpu));
        transform(x, mine->inner, x->inner_words, stream[i]);
        transform(x, mine->edge, x->edge_words, stream[i]);
        CUDA_CHECK(cudaMemcpyPeerAsync(other->halo, other->gpu, mine->edge, mine->gpu,
                                       x->edge_words * sizeof *mine->edge, stream[i]));
    }
}

void exercise_cleanup(struct exercise *x) {
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x->side[i].gpu));
        CUDA_CHECK(cudaStreamDestroy(stream[i]));
    }
}
