/* Residency of blocks against CUDA's own calculator, where a toolkit is. */
#include "capacity.h"

#include "device.h"
#include "tap.h"

/* The compute capability table of the CUDA programming guide, one GPU for each set of rules. */
static const struct sm_limits gpus[] = {
    {3, 0, 2048, 16, 65536, 49152, 0},      /* GTX 650 Ti BOOST */
    {3, 5, 2048, 16, 65536, 49152, 0},      /* K40 */
    {3, 7, 2048, 16, 131072, 114688, 0},    /* K80 */
    {5, 0, 2048, 32, 65536, 65536, 0},      /* GTX 750 */
    {6, 0, 2048, 32, 65536, 65536, 0},      /* P100 */
    {6, 1, 2048, 32, 65536, 98304, 0},      /* GTX 1080 */
    {7, 0, 2048, 32, 65536, 98304, 0},      /* V100 */
    {7, 5, 1024, 16, 65536, 65536, 0},      /* T4 */
    {8, 0, 2048, 32, 65536, 167936, 1024},  /* A100 */
    {8, 6, 1536, 16, 65536, 102400, 1024},  /* A10 */
    {8, 9, 1536, 24, 65536, 102400, 1024},  /* L4 */
    {9, 0, 2048, 32, 65536, 233472, 1024},  /* H200 */
    {10, 0, 2048, 32, 65536, 233472, 1024}, /* B200 */
    {12, 0, 1536, 24, 65536, 102400, 1024}, /* RTX 5090 */
};
enum { GPUS = sizeof gpus / sizeof gpus[0] };

static int resident(const struct sm_limits *sm, int threads, int registers, int shared_bytes) {
    struct block_needs block = {threads, registers, shared_bytes};
    return sm_resident_blocks(sm, &block);
}

static const struct sm_limits *gpu(int major, int minor) {
    for (int i = 0; i < GPUS; i++) {
        if (gpus[i].major == major && gpus[i].minor == minor)
            return &gpus[i];
    }
    return NULL;
}

static void by_hand(void) {
    /* The document's kernel: <<<128, 128>>>, 16 blocks an SM on a GTX 650 Ti BOOST. */
    EXPECT_INT(resident(gpu(3, 0), 128, 10, 0), 16);
    /* 1024 threads: two blocks by threads, one by registers above 32 a thread. */
    EXPECT_INT(resident(gpu(9, 0), 1024, 32, 0), 2);
    EXPECT_INT(resident(gpu(9, 0), 1024, 33, 0), 1);
    /* 48 KiB of shared memory and 1 KiB reserved: 228 / 49. */
    EXPECT_INT(resident(gpu(9, 0), 32, 16, 49152), 4);
    /* Three warps: 64 of 128 registers a thread leave room for 16 warps, so five blocks. */
    EXPECT_INT(resident(gpu(9, 0), 96, 128, 0), 5);
    EXPECT_INT(resident(gpu(9, 0), 1, 16, 0), 32);
}

#if defined(__has_include)
#if __has_include(<cuda_occupancy.h>)
#define HAVE_CALCULATOR 1
#include <cuda_occupancy.h>
#endif
#endif

#ifdef HAVE_CALCULATOR
static int calculated(const struct sm_limits *sm, int threads, int registers, int shared_bytes) {
    struct cudaOccDeviceProp p = {0};
    p.computeMajor = sm->major;
    p.computeMinor = sm->minor;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = sm->threads;
    p.regsPerBlock = 65536;
    p.regsPerMultiprocessor = sm->registers;
    p.warpSize = 32;
    p.sharedMemPerBlock = 49152;
    p.sharedMemPerMultiprocessor = (size_t)sm->shared_bytes;
    p.numSms = 1;
    p.sharedMemPerBlockOptin =
        sm->major < 7 ? 49152 : (size_t)(sm->shared_bytes - sm->reserved_shared_bytes);
    p.reservedSharedMemPerBlock = (size_t)sm->reserved_shared_bytes;
    struct cudaOccFuncAttributes f = {0};
    f.maxThreadsPerBlock = 1024;
    f.numRegs = registers;
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    f.maxDynamicSharedSizeBytes = p.sharedMemPerBlockOptin;
    f.numBlockBarriers = 1;
    struct cudaOccDeviceState state = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
    struct cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &f, &state, threads,
                                                (size_t)shared_bytes) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

static void compare(const struct sm_limits *sm, int threads, int registers, int shared_bytes) {
    int wanted = calculated(sm, threads, registers, shared_bytes);
    if (wanted == 0) /* the kernel cannot be launched at all */
        return;
    int got = resident(sm, threads, registers, shared_bytes);
    if (!tap_expect(got == wanted))
        printf("# %d.%d: %d threads, %d registers, %d B shared: %d blocks, not %d\n", sm->major,
               sm->minor, threads, registers, shared_bytes, got, wanted);
}

static void like_the_toolkit(void) {
    static const int shared[] = {0, 1, 256, 1000, 8192, 33000, 49152, 65536, 100000, 200000};
    for (int g = 0; g < GPUS; g++) {
        for (int threads = 16; threads <= 1024; threads += 48) {
            for (int registers = 1; registers <= 255; registers += 13) {
                for (int s = 0; s < (int)(sizeof shared / sizeof shared[0]); s++)
                    compare(&gpus[g], threads, registers, shared[s]);
            }
        }
    }
}
#else
static void like_the_toolkit(void) {
    TAP_SKIP("no CUDA toolkit, so no calculator to compare with");
}
#endif

static void waves_round_up(void) {
    EXPECT_INT(waves(1, 264), 1);
    EXPECT_INT(waves(264, 264), 1);
    EXPECT_INT(waves(265, 264), 2);
    EXPECT_INT(waves(568, 264), 3);
    EXPECT_INT(waves(128, 64), 2);
    EXPECT_INT(waves(5, 0), 0);
}

/* The simulated GPU has an occupancy call of its own for kernels that it knows. */
static void a_traced_kernel_on_the_simulated_gpu(void) {
    device_select(0);
    struct span span = {0};
    EXPECT_INT(device_capacity_of(&span), 0);
    span.block[0] = 128, span.block[1] = 2, span.block[2] = 1;
    span.registers = 128;
    int blocks = device_capacity_of(&span);
    EXPECT(blocks > 0);
    EXPECT_INT(blocks % device()->sms, 0);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"by hand", by_hand},
        {"like the toolkit's calculator", like_the_toolkit},
        {"waves round up", waves_round_up},
        {"a traced kernel on the simulated GPU", a_traced_kernel_on_the_simulated_gpu},
    };
    return TAP_RUN(tests);
}
