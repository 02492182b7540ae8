/* sim.h - what kernel models (kernels.c, gemm.c, a lab's sim.c) need from the simulated GPU:
 * how to describe a kernel's timing, how to launch one, and the virtual clock.
 * The files of the simulator's core share core.h; a model never needs it. */
#ifndef SIM_H
#define SIM_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h" /* struct sim_profile: the figures of the modelled GPU and its host */

#ifdef __cplusplus
extern "C" {
#endif

/* The profile of the run (GPU=..., SIM_HOST=...); read at the first use. */
const struct sim_profile *sim_profile(void);

enum { SIM_MAX_ARGS = 16 };

/* One launch of a kernel, as its model sees it. args[i] points to a copy of the ith argument that
 * lives until the kernel has ended. */
struct sim_launch {
    const struct sim_kernel_model *model;
    int device;
    int grid[3], block[3];
    size_t dynamic_shared_bytes;
    void **args;
    void *state;      /* free for the model: set in plan, released in effect */
    int64_t start_ns; /* virtual time at which the kernel started; 0 before */
    int64_t end_ns;   /* ... and at which its last block ended; 0 before */
};

/* What a model says about one launch when the kernel starts on the device. */
struct sim_plan {
    /* How long one block runs when it has its SM to itself. */
    double block_ns;
    /* Or, if not NULL: the same for each block; slower to simulate. */
    double (*block_ns_of)(const struct sim_launch *launch, long block);
    /* The share of an SM's throughput that one block running alone uses, 0 to 1. When the blocks
     * on an SM ask for more than 1 together, all that ask slow down alike. 0: the block's time
     * does not depend on its neighbours (a block that sleeps by the clock). */
    double sm_share;
    /* Time that passes after the last block, before the kernel counts as ended. */
    double drain_ns;
    /* If not NULL, asked whenever the host, or other work, may have written memory: true ends
     * every running block of this launch `wait_poll_ns` later. A block_ns of INFINITY then means
     * that nothing else ends it: if nobody can, the run stops and names the kernel. */
    bool (*wait_over)(const struct sim_launch *launch);
    double wait_poll_ns;
    /* If above 0: the blocks end after this long if nothing else has ended them. A host that waits
     * and can only be saved by this is told at once that it would wait for ever. */
    double give_up_ns;
    /* Ask for the schedule of each block to be kept for sim_block_of (stamp kernels). */
    bool keep_blocks;
};

/* A block as it was scheduled. */
struct sim_block {
    int sm;
    int64_t start_ns, end_ns;
};

/* The model of one kernel; lives as long as the program. */
struct sim_kernel_model {
    const char *name;               /* as in the source: "sleep_kernel" */
    size_t arg_bytes[SIM_MAX_ARGS]; /* sizes of the arguments in order, ended by 0 */
    int registers;                  /* per thread */
    size_t static_shared_bytes;     /* per block */
    /* Called when the kernel starts on the device: its input is in memory by then. */
    void (*plan)(struct sim_launch *launch, struct sim_plan *plan);
    /* Called when the last block has ended: do what the kernel does to memory. May be NULL. */
    void (*effect)(struct sim_launch *launch);
    struct sim_kernel_model *next; /* the simulator's */
    unsigned char loaded[16];      /* the simulator's: module loaded and used, by device */
    size_t shared_allowed;         /* the simulator's: by cudaFuncSetAttribute; 0: the default */
};

/* The block's schedule; only from effect, and only if plan asked with keep_blocks. */
const struct sim_block *sim_block_of(const struct sim_launch *launch, long block);

void sim_register_model(struct sim_kernel_model *model);

/* At file scope: SIM_KERNEL_MODEL(sleep_kernel, .arg_bytes = {8, 8}, .registers = 16, .plan =
 * plan); */
#define SIM_KERNEL_MODEL(kernel, ...)                                                              \
    static struct sim_kernel_model sim_model_##kernel = {.name = #kernel, __VA_ARGS__};            \
    __attribute__((constructor)) static void sim_register_##kernel(void) {                         \
        sim_register_model(&sim_model_##kernel);                                                   \
    }                                                                                              \
    extern int sim_needs_a_semicolon

/* Arguments by value: int64_t cycles = SIM_ARG(launch, 0, int64_t); */
#define SIM_ARG(launch, index, type) (*(type *)(launch)->args[index])

/* Queues a kernel as <<<grid, block, shared, stream>>> would, but without the cost of the host's
 * call: a library call (cublas.c) brackets it with sim_library_enter and _leave and says what it
 * costs. Works under stream capture. The arguments are copied; args may be NULL if the model has
 * none. Returns the launch's error. */
cudaError_t sim_launch(const struct sim_kernel_model *model, dim3 grid, dim3 block, void **args,
                       size_t dynamic_shared_bytes, cudaStream_t stream);

/* A host call that is not one of the CUDA runtime's own (cublasDgemm): counted for SIM_FAIL, its
 * span recorded, its cost taken from the host's clocks. enter returns the error that SIM_FAIL
 * wants, or the error of making the context; then do nothing and return it. */
cudaError_t sim_library_enter(const char *function);
void sim_library_leave(double cost_ns);

/* Virtual host time: passes `ns`, running whatever the device does meanwhile. cpu: does the CPU
 * clock advance too (work, spinning), or not (sleeping). Never from plan, effect or wait_over. */
void sim_host_work(double ns, bool cpu);

/* Virtual time now, without the cost of reading a clock. */
int64_t sim_now_ns(void);

/* Resident blocks per SM of this kernel: by threads, blocks, registers and shared memory, as the
 * programming guide's occupancy rules say. */
int sim_resident_blocks(const struct sim_kernel_model *model, int threads,
                        size_t dynamic_shared_bytes);

/* True if `bytes` from this address lie inside one live allocation of device, pinned or managed
 * memory: a model checks pointers with it before it touches them. */
bool sim_address_valid(const void *address, size_t bytes);

/* From plan or effect: the kernel failed, as with cudaErrorIllegalAddress. Every later call on its
 * device returns the error until cudaDeviceReset; what is queued still comes to an end, without
 * its effect. */
void sim_fault(const struct sim_launch *launch, cudaError_t error);

/* Touches every page of fresh host memory as far as the model goes: no page fault is to come when
 * a copy uses it. Its contents stay as they are, and no room is taken. */
void sim_touch(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
