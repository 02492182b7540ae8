/* The rules are those of CUDA's own occupancy calculator (cuda_occupancy.h of the toolkit, which
 * the unit test compares with) and of the compute capability table of the programming guide. */
#include "capacity.h"

#include "device.h"
#include "error.h"

enum { WARP_THREADS = 32, WARP_REGISTERS = 256 };

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int round_up(int value, int portion) {
    return (value + portion - 1) / portion * portion;
}

/* An SM's registers are split among its sub-partitions, and a warp stays in one. */
static int sub_partitions(const struct sm_limits *sm) {
    return sm->major == 6 && sm->minor == 0 ? 2 : 4;
}

static int blocks_by_registers(const struct sm_limits *sm, int registers, int warps) {
    if (registers == 0)
        return sm->blocks;
    int of_a_warp = round_up(registers * WARP_THREADS, WARP_REGISTERS);
    int parts = sub_partitions(sm);
    return sm->registers / parts / of_a_warp * parts / warps;
}

static int blocks_by_shared(const struct sm_limits *sm, int bytes) {
    int portion = sm->major >= 8 ? 128 : 256;
    int of_a_block = round_up(bytes + sm->reserved_shared_bytes, portion);
    return of_a_block == 0 ? sm->blocks : sm->shared_bytes / of_a_block;
}

int sm_resident_blocks(const struct sm_limits *sm, const struct block_needs *block) {
    int warps = (block->threads + WARP_THREADS - 1) / WARP_THREADS;
    int blocks = smaller(sm->blocks, sm->threads / WARP_THREADS / warps);
    blocks = smaller(blocks, blocks_by_registers(sm, block->registers, warps));
    return smaller(blocks, blocks_by_shared(sm, block->shared_bytes));
}

/* From the device's attributes: limits differ within a compute capability too. */
static int limit(enum cudaDeviceAttr which) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device()->index));
    return value;
}

static struct sm_limits sm_limits(void) {
    struct sm_limits sm;
    sm.major = device()->major;
    sm.minor = device()->minor;
    sm.threads = limit(cudaDevAttrMaxThreadsPerMultiProcessor);
    sm.blocks = limit(cudaDevAttrMaxBlocksPerMultiprocessor);
    sm.registers = limit(cudaDevAttrMaxRegistersPerMultiprocessor);
    sm.shared_bytes = limit(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    sm.reserved_shared_bytes = limit(cudaDevAttrReservedSharedMemoryPerBlock);
    return sm;
}

int device_capacity_of(const struct span *kernel) {
    struct block_needs block = {kernel->block[0] * kernel->block[1] * kernel->block[2],
                                kernel->registers, kernel->shared_bytes};
    if (block.threads <= 0)
        return 0;
    struct sm_limits sm = sm_limits();
    return sm_resident_blocks(&sm, &block) * device()->sms;
}
