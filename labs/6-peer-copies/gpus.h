/* gpus.h - the GPUs of lab 6 with their streams and buffers, and whether they reach each other. */
#ifndef GPUS_H
#define GPUS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One GPU. Handles belong to it; all are freed by gpu_free. */
struct gpu {
    int index;         /* as CUDA counts */
    int sms, capacity; /* SMs; blocks of sleep_kernel that fill it */
    cudaStream_t kernel_stream, copy_stream;
    cudaEvent_t kernel_end, copy_start, copy_end;
    void *send, *receive; /* device memory of `bytes` each */
};

enum { SLEEP_THREADS = 1024 }; /* the most a block can have: few blocks fill a GPU */

/* Makes it, and leaves the selected device current, as all calls here do. Dies with
 * EXIT_ENVIRONMENT if the memory is not there. */
struct gpu gpu_new(int index, size_t bytes);
void gpu_free(const struct gpu *gpu);

/* Memory on that GPU, to be freed with cudaFree; false if there is no room. */
bool memory_on(const struct gpu *gpu, size_t bytes, void **memory);

/* Queues a sleep of that many blocks in its kernel_stream and records kernel_end behind it. */
void gpu_sleep(const struct gpu *gpu, int blocks, int64_t ns);

void gpu_wait(const struct gpu *gpu);

/* Rate of a copy to pinned host memory, in bytes per ns: what the link to the host carries. */
double host_link_rate(const struct gpu *gpu, size_t bytes);

/* Why there are no two GPUs to copy between: a sentence, or NULL if there are. peer: the second
 * one's index, or below 0 for the next after the selected; changed to the index. */
const char *no_second_gpu(int64_t *peer);

/* Why peer access cannot be had, as a sentence, or NULL if the driver offers it both ways. */
const char *no_peer_access(const struct gpu *a, const struct gpu *b);

/* Lets both reach each other's memory. That it is enabled already is no error. Returns what the
 * driver answered, cudaSuccess or cudaErrorPeerAccessAlreadyEnabled. */
cudaError_t enable_peer_access(const struct gpu *a, const struct gpu *b);

#ifdef __cplusplus
}
#endif
#endif
