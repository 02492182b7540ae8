/* gpus.cu - the GPUs of lab 6. A stream, an event and memory belong to the device that is current
 * when they are made, and a kernel runs on the device that is current when it is launched (CUDA
 * C++ Programming Guide, "Multi-Device System"). */
#include <math.h>
#include <string.h>

#include "gpus.h"
#include "lab.h"

static void leave(void) {
    CUDA_CHECK(cudaSetDevice(device()->index));
}

bool memory_on(const struct gpu *gpu, size_t bytes, void **memory) {
    CUDA_CHECK(cudaSetDevice(gpu->index));
    cudaError_t answer = cudaMalloc(memory, bytes);
    if (answer == cudaErrorMemoryAllocation)
        cudaGetLastError(); /* or the next LAUNCH_CHECK would report it */
    else
        CUDA_CHECK(answer);
    leave();
    return answer == cudaSuccess;
}

struct gpu gpu_new(int index, size_t bytes) {
    struct gpu gpu;
    int resident;
    gpu.index = index;
    CUDA_CHECK(cudaSetDevice(index));
    CUDA_CHECK(cudaDeviceGetAttribute(&gpu.sms, cudaDevAttrMultiProcessorCount, index));
    CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sleep_kernel, SLEEP_THREADS, 0));
    gpu.capacity = resident * gpu.sms;
    CUDA_CHECK(cudaStreamCreateWithFlags(&gpu.kernel_stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&gpu.copy_stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&gpu.kernel_end));
    CUDA_CHECK(cudaEventCreate(&gpu.copy_start));
    CUDA_CHECK(cudaEventCreate(&gpu.copy_end));
    if (!memory_on(&gpu, bytes, &gpu.send) || !memory_on(&gpu, bytes, &gpu.receive))
        die(EXIT_ENVIRONMENT, "GPU %d has no room for two buffers of %s; use fewer --bytes", index,
            show_bytes((double)bytes));
    leave();
    return gpu;
}

void gpu_free(const struct gpu *gpu) {
    CUDA_CHECK(cudaSetDevice(gpu->index));
    CUDA_CHECK(cudaStreamDestroy(gpu->kernel_stream));
    CUDA_CHECK(cudaStreamDestroy(gpu->copy_stream));
    CUDA_CHECK(cudaEventDestroy(gpu->kernel_end));
    CUDA_CHECK(cudaEventDestroy(gpu->copy_start));
    CUDA_CHECK(cudaEventDestroy(gpu->copy_end));
    CUDA_CHECK(cudaFree(gpu->send));
    CUDA_CHECK(cudaFree(gpu->receive));
    leave();
}

void gpu_sleep(const struct gpu *gpu, int blocks, int64_t ns) {
    CUDA_CHECK(cudaSetDevice(gpu->index));
    bool selected = gpu->index == device()->index; /* events of two devices cannot be compared */
    if (selected)
        event_span_begin(gpu->kernel_stream, SPAN_KERNEL, "sleep_kernel");
    sleep_kernel<<<blocks, SLEEP_THREADS, 0, gpu->kernel_stream>>>(cycles_for(ns), spin_guard());
    LAUNCH_CHECK();
    if (selected)
        event_span_end(gpu->kernel_stream);
    CUDA_CHECK(cudaEventRecord(gpu->kernel_end, gpu->kernel_stream));
    leave();
}

void gpu_wait(const struct gpu *gpu) {
    CUDA_CHECK(cudaStreamSynchronize(gpu->kernel_stream));
    CUDA_CHECK(cudaStreamSynchronize(gpu->copy_stream));
}

double host_link_rate(const struct gpu *gpu, size_t bytes) {
    enum { TRIES = 5 };
    void *host;
    float ms, least_ms = INFINITY;
    CUDA_CHECK(cudaSetDevice(gpu->index));
    CUDA_CHECK(cudaHostAlloc(&host, bytes, cudaHostAllocDefault));
    for (int i = 0; i < TRIES; i++) {
        CUDA_CHECK(cudaEventRecord(gpu->copy_start, gpu->copy_stream));
        CUDA_CHECK(
            cudaMemcpyAsync(host, gpu->send, bytes, cudaMemcpyDeviceToHost, gpu->copy_stream));
        CUDA_CHECK(cudaEventRecord(gpu->copy_end, gpu->copy_stream));
        CUDA_CHECK(cudaEventSynchronize(gpu->copy_end));
        CUDA_CHECK(cudaEventElapsedTime(&ms, gpu->copy_start, gpu->copy_end));
        least_ms = ms < least_ms ? ms : least_ms;
    }
    CUDA_CHECK(cudaFreeHost(host));
    leave();
    return (double)bytes / ((double)least_ms * 1e6);
}

const char *no_second_gpu(int64_t *peer) {
    int count;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (count < 2 && strstr(device()->name, "MIG"))
        return "This is a MIG instance: a program sees one, and no instance reaches another.";
    if (count < 2)
        return "This program sees one GPU (nvidia-smi -L and CUDA_VISIBLE_DEVICES say which).";
    if (*peer < 0)
        *peer = (device()->index + 1) % count;
    if (*peer >= count)
        die(EXIT_USAGE, "--peer %lld: there are GPUs 0 to %d", (long long)*peer, count - 1);
    if (*peer == device()->index)
        die(EXIT_USAGE, "--peer %lld is the GPU of --device itself; name another",
            (long long)*peer);
    return NULL;
}

const char *no_peer_access(const struct gpu *a, const struct gpu *b) {
    int there = 0, back = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&there, a->index, b->index));
    CUDA_CHECK(cudaDeviceCanAccessPeer(&back, b->index, a->index));
    if (there && back)
        return NULL;
    return "The driver offers no peer access between these two GPUs (nvidia-smi topo -p2p r shows "
           "which pairs have it).";
}

static cudaError_t enable_one_way(const struct gpu *from, const struct gpu *to) {
    CUDA_CHECK(cudaSetDevice(from->index));
    cudaError_t answer = cudaDeviceEnablePeerAccess(to->index, 0);
    if (answer == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError(); /* or the next LAUNCH_CHECK would report it */
    else
        CUDA_CHECK(answer);
    leave();
    return answer;
}

cudaError_t enable_peer_access(const struct gpu *a, const struct gpu *b) {
    cudaError_t there = enable_one_way(a, b), back = enable_one_way(b, a);
    return there != cudaSuccess ? there : back;
}
