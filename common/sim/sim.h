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

/* The keys of a profile that the core reads; profile.h declares them as doubles of these names.
 *
 * the GPU (strings: name)
 *   cc_major cc_minor  sms  sm_threads sm_blocks sm_registers sm_shared_bytes  (per SM, maxima)
 *   block_threads block_shared_bytes block_shared_optin_bytes reserved_shared_bytes (per block)
 *   memory_bytes l2_bytes  sm_clock_ghz memory_clock_ghz memory_bus_bits  pageable_access (0 or 1)
 *   copy_engines  concurrent_kernels  priority_levels  driver_version runtime_version (13000)
 * queueing
 *   launch_queue_depth     operations a stream holds before a launch waits for one to end
 *   start_latency_ns       a call has queued work in an idle stream -> the device starts it
 *   kernel_gap_ns          end of an operation -> start of the kernel queued behind it
 *   copy_gap_ns            end of an operation -> start of the copy or memset behind it
 *   event_gap_ns           end of an operation -> time stamp of the event behind it
 *   stream_wait_ns         extra, when what it waited for is in another stream
 *   dispatch_ns            the GPU's front end, busy this long with each kernel it starts
 *   graph_dispatch_ns      the same for a kernel node of a graph
 *   host_function_ns       stream reaches a host function -> it runs, and again -> stream goes on
 *   lazy_load_waits        1: loading a kernel's module waits for the device to be idle
 * copies (rates in bytes per ns = GB/s)
 *   h2d_rate d2h_rate  h2d_both_rate d2h_both_rate (while the other direction runs)
 *   copy_start_ns          fixed part of a DMA copy on the device
 *   d2d_rate d2d_start_ns  memset_rate memset_start_ns
 *   inline_bytes inline_call_ns inline_rate   pageable H2D up to this size goes with the command
 *   staged_call_ns         fixed part of a pageable H2D above it
 *   pageable_busy_ns       extra for either while the stream is busy
 *   staging_bytes staging_chunk_bytes         the driver's pinned buffers for pageable H2D
 *   stage_cached_bytes stage_cached_rate stage_rate   host copying into them: up to that size /
 * above pageable_d2h_call_ns pageable_d2h_rate pageable_d2h_large_bytes pageable_d2h_large_rate
 *   host_copy_cached_rate host_copy_rate      H2H, up to stage_cached_bytes / above
 *   read_fault_ns write_fault_ns              first touch of a 4 KiB page by reading / by writing
 *   peer_rate peer_start_ns (rate 0: no peer access)   peer_staged_rate peer_staged_start_ns
 * host calls, what each takes before any waiting
 *   call_ns (any not named)  launch_call_ns  copy_call_ns (pinned)  d2d_copy_call_ns
 * sync_copy_call_ns memset_call_ns  event_record_ns  event_create_ns  event_sync_ns (nothing to
 * wait for) stream_create_ns stream_destroy_ns  stream_sync_ns  device_sync_ns  query_ns
 *   stream_wait_call_ns  host_function_call_ns
 *   malloc_ns free_ns malloc_async_ns free_async_ns
 *   malloc_host_ns malloc_host_page_ns  free_host_ns free_host_page_ns (per 4 KiB)
 *   register_ns register_page_ns  unregister_ns unregister_page_ns
 *   context_ns  module_load_ns (first launch of a kernel)  eager_load_ns (per kernel, at context)
 *   graph_create_ns graph_node_ns instantiate_ns instantiate_node_ns graph_launch_ns
 *   graph_launch_node_ns  peer_enable_ns
 *   spin_wake_ns           end of what a spinning wait waited for -> its return
 *   block_wake_ns block_wake_cpu_ns   the same for a blocking wait: wall, and CPU time it uses
 *   wall_clock_ns cpu_clock_ns        reading the clocks
 *   tracer_node_ns         traced: extra dispatch time of a graph's kernel node
 *   tracer_call_ns tracer_first_ns tracer_flush_ns   under the tracer: extra per call that queues
 * work, first launch after it is switched on, first call after a forced flush
 */

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
    unsigned char loaded[16];      /* the simulator's: module loaded, by device */
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
 * none. sm_limit and such are the model's. Returns the launch's error. */
cudaError_t sim_launch(const struct sim_kernel_model *model, dim3 grid, dim3 block, void **args,
                       size_t dynamic_shared_bytes, cudaStream_t stream);

/* A host call that is not one of the CUDA runtime's own (cublasDgemm): counted for SIM_FAIL, its
 * span recorded, its cost taken from the host's clocks. enter returns the error that SIM_FAIL
 * wants, or the error of making the context; then do nothing and return it. */
cudaError_t sim_library_enter(const char *function);
void sim_library_leave(double cost_ns);

/* Copies that a library call makes in a stream (cublasSetMatrix, scalars): cudaMemcpyAsync's rules.
 */

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

/* Touches every page of fresh host memory as far as the model goes: no page fault is to come when
 * a copy uses it. Its contents stay as they are, and no room is taken. */
void sim_touch(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
