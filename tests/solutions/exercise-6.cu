/* Solution 6: the edges first. Each is copied, in a stream of its own, as soon as it is done, and
 * directly, as each GPU may reach the other's memory. The inner words are worked on meanwhile. All
 * kernels are queued before the first copy: a copy that has no direct way holds the host. */
#include "exercise.h"

static cudaStream_t kernels[2], copies[2];
static cudaEvent_t edge_done[2];

static void reach(int gpu) {
    cudaError_t answer = cudaDeviceEnablePeerAccess(gpu, 0);
    if (answer == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError(); /* or the next LAUNCH_CHECK would report it */
    else
        CUDA_CHECK(answer);
}

void exercise_setup(struct exercise *x) {
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x->side[i].gpu));
        CUDA_CHECK(cudaStreamCreateWithFlags(&kernels[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaStreamCreateWithFlags(&copies[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&edge_done[i], cudaEventDisableTiming));
        reach(x->side[1 - i].gpu);
    }
}

static void transform(struct exercise *x, uint32_t *words, size_t n, cudaStream_t in) {
    transform_kernel<<<transform_blocks(n), TRANSFORM_THREADS, 0, in>>>(words, n, x->transform);
    LAUNCH_CHECK();
}

void exercise_step(struct exercise *x) {
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x->side[i].gpu));
        transform(x, x->side[i].edge, x->edge_words, kernels[i]);
        CUDA_CHECK(cudaEventRecord(edge_done[i], kernels[i]));
        transform(x, x->side[i].inner, x->inner_words, kernels[i]);
    }
    for (int i = 0; i < 2; i++) {
        const struct side *mine = &x->side[i], *other = &x->side[1 - i];
        CUDA_CHECK(cudaSetDevice(mine->gpu));
        CUDA_CHECK(cudaStreamWaitEvent(copies[i], edge_done[i], 0));
        CUDA_CHECK(cudaMemcpyPeerAsync(other->halo, other->gpu, mine->edge, mine->gpu,
                                       x->edge_words * sizeof *mine->edge, copies[i]));
    }
}

void exercise_cleanup(struct exercise *x) {
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x->side[i].gpu));
        CUDA_CHECK(cudaStreamDestroy(kernels[i]));
        CUDA_CHECK(cudaStreamDestroy(copies[i]));
        CUDA_CHECK(cudaEventDestroy(edge_done[i]));
    }
}
