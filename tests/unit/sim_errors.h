/* sim_errors.h - what the tests of the simulated GPU's errors share: a kernel, memory, a stream. */
#ifndef SIM_ERRORS_H
#define SIM_ERRORS_H

#include <stdlib.h>

#include "core.h"
#include "tap.h"

enum { BYTES = 1 << 20, SMALL = 4096 };

static void nap_plan(struct sim_launch *launch, struct sim_plan *plan) {
    plan->block_ns = 1e6 * SIM_ARG(launch, 0, int);
}

SIM_KERNEL_MODEL(nap, .arg_bytes = {sizeof(int)}, .registers = 16, .static_shared_bytes = 64,
                 .plan = nap_plan);

void __device_stub__nap(int ms);
void __device_stub__nap(int ms) {
    (void)ms;
}
static const void *const nap = (const void *)__device_stub__nap;

static const dim3 one = {1, 1, 1};
static int ms = 1;
static void *args[] = {&ms};

static cudaError_t launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    return cudaLaunchKernel(nap, grid, block, args, shared, stream);
}

static char *pinned, *device, *pageable;
static cudaStream_t stream;
static int nothing; /* its address is no handle */

static void prepare(void) {
    cudaGetLastError();
    if (stream)
        return;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocHost((void **)&pinned, BYTES);
    cudaMalloc((void **)&device, BYTES);
    pageable = malloc(BYTES);
    memset(pageable, 1, BYTES);
    launch(one, one, 0, stream);
    cudaDeviceSynchronize();
}

#endif
