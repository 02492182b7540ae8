/* cuda_runtime.h - the CUDA runtime as the simulator offers it. With these headers clang compiles
 * the host side of a .cu file, and any C or C++ compiler a .c file, with no CUDA toolkit. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

/* The runtime takes void ** and const void *; in C++ the toolkit also accepts T ** and a kernel's
 * own type. cudaMalloc(&x, n) then compiles without a cast here exactly if it does there. */
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size) {
    return cudaMalloc((void **)(void *)p, size);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0) {
    return cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags) {
    return cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)(void *)p, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) {
    return cudaMallocAsync((void **)(void *)p, size, stream);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return cudaEventCreateWithFlags(event, flags);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                           size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *kernel) {
    return cudaFuncGetAttributes(attr, (const void *)kernel);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute attr, int value) {
    return cudaFuncSetAttribute((const void *)kernel, attr, value);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         shared);
}

#endif

#ifdef __CUDA__
#include "device_code.h"
#endif

#endif
