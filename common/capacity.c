/* How many blocks of a traced kernel an SM holds, from what the trace says about it. */
#include "error.h"
#include "device.h"

/* What an SM has. From the device's attributes: they differ within a compute capability too. */
struct sm_limits {
    int threads, blocks, registers, shared_bytes, reserved_shared_bytes;
};

static int limit(enum cudaDeviceAttr which) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device()->index));
    return value;
}

static struct sm_limits sm_limits(void) {
    struct sm_limits sm;
    sm.threads = limit(cudaDevAttrMaxThreadsPerMultiProcessor);
    sm.blocks = limit(cudaDevAttrMaxBlocksPerMultiprocessor);
    sm.registers = limit(cudaDevAttrMaxRegistersPerMultiprocessor);
    sm.shared_bytes = limit(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    sm.reserved_shared_bytes = limit(cudaDevAttrReservedSharedMemoryPerBlock);
    return sm;
}

/* In what portions an SM hands out its resources. No attribute tells; these are the figures of
 * CUDA's own occupancy calculator (cuda_occupancy.h): a warp's registers in portions of 256, warps
 * in groups of one a sub-partition (4, but 2 on compute capability 6.0), and shared memory in
 * portions of 256 bytes up to compute capability 7.x and of 128 bytes from 8.0 on. */
enum { WARP_THREADS = 32, WARP_REGISTERS = 256 };

static int warp_group(const struct device *gpu) {
    return gpu->major == 6 && gpu->minor == 0 ? 2 : 4;
}

static int shared_portion(const struct device *gpu) {
    return gpu->major >= 8 ? 128 : 256;
}

static int round_up(int value, int portion) {
    return (value + portion - 1) / portion * portion;
}

static int blocks_by_registers(const struct sm_limits *sm, const struct device *gpu, int registers,
                               int warps) {
    if (registers == 0)
        return sm->blocks;
    int of_a_warp = round_up(registers * WARP_THREADS, WARP_REGISTERS);
    int group = warp_group(gpu);
    int resident_warps = sm->registers / of_a_warp / group * group;
    return resident_warps / round_up(warps, group);
}

static int blocks_by_shared(const struct sm_limits *sm, const struct device *gpu, int bytes) {
    int of_a_block = round_up(bytes + sm->reserved_shared_bytes, shared_portion(gpu));
    return of_a_block == 0 ? sm->blocks : sm->shared_bytes / of_a_block;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

int device_capacity_of(const struct span *kernel) {
    int threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    if (threads <= 0)
        return 0;
    struct sm_limits sm = sm_limits();
    const struct device *gpu = device();
    int warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    int blocks = smaller(sm.blocks, sm.threads / WARP_THREADS / warps);
    blocks = smaller(blocks, blocks_by_registers(&sm, gpu, kernel->registers, warps));
    blocks = smaller(blocks, blocks_by_shared(&sm, gpu, kernel->shared_bytes));
    return blocks * gpu->sms;
}
