/* stamp.cu - kernels that note when and on which SM each piece of their work ran. */
#include "lab.h"
#include "piece.cuh"
#include "stamp.h"

extern "C" __global__ void stamp_kernel(const int64_t *cycles, struct stamp *stamps,
                                        struct spin_guard *guard) {
    if (threadIdx.x == 0)
        run_piece(cycles[blockIdx.x], &stamps[blockIdx.x], guard);
    __syncthreads();
}

/* Blocks that stay and take piece after piece from a counter, until none is left. */
extern "C" __global__ void persistent_kernel(const int64_t *cycles, int pieces, int *next,
                                             struct stamp *stamps, struct spin_guard *guard) {
    __shared__ int piece;
    for (;;) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        if (piece >= pieces)
            return;
        if (threadIdx.x == 0)
            run_piece(cycles[piece], &stamps[piece], guard);
        __syncthreads();
    }
}

struct work stamp_work_new(int pieces, const double *lengths_ns, int persistent_blocks) {
    struct work work = {pieces, NULL, NULL, NULL, persistent_blocks ? persistent_blocks : pieces};
    size_t bytes = (size_t)pieces * sizeof *work.cycles;
    int64_t *cycles;
    CUDA_CHECK(cudaHostAlloc((void **)&cycles, bytes, cudaHostAllocDefault));
    for (int i = 0; i < pieces; i++)
        cycles[i] = cycles_for((int64_t)lengths_ns[i]);
    CUDA_CHECK(cudaMalloc((void **)&work.cycles, bytes));
    CUDA_CHECK(cudaMemcpy(work.cycles, cycles, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaFreeHost(cycles));
    CUDA_CHECK(cudaHostAlloc((void **)&work.stamps, (size_t)pieces * sizeof *work.stamps,
                             cudaHostAllocDefault));
    if (persistent_blocks)
        CUDA_CHECK(cudaMalloc((void **)&work.next, sizeof *work.next));
    return work;
}

void stamp_work_free(struct work *work) {
    CUDA_CHECK(cudaFree(work->cycles));
    CUDA_CHECK(cudaFree(work->next));
    CUDA_CHECK(cudaFreeHost(work->stamps));
}

void stamp_work_launch(const struct work *work, int threads, cudaStream_t stream) {
    if (work->next) {
        CUDA_CHECK(cudaMemsetAsync(work->next, 0, sizeof *work->next, stream));
        persistent_kernel<<<work->blocks, threads, 0, stream>>>(
            work->cycles, work->pieces, work->next, work->stamps, spin_guard());
    } else {
        stamp_kernel<<<work->blocks, threads, 0, stream>>>(work->cycles, work->stamps,
                                                           spin_guard());
    }
    LAUNCH_CHECK();
}

int stamp_capacity(int threads) {
    return device_capacity((const void *)stamp_kernel, threads, 0);
}

int persistent_capacity(int threads) {
    return device_capacity((const void *)persistent_kernel, threads, 0);
}
