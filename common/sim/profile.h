/* profile.h - the figures of a modelled GPU and of the host it sits in, read from a text file.
 *
 * A profile is one file of lines `key = value  # where the figure comes from`. All keys below must
 * be there, once; an unknown key is an error. Rates are in bytes per ns, which is GB/s. */
#ifndef PROFILE_H
#define PROFILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The GPU itself. X(key, smallest, largest value). */
#define PROFILE_GPU_KEYS(X)                                                                        \
    X(gpus, 1, 16)     /* GPUs of this kind in the machine */                                      \
    X(cc_major, 1, 99) /* compute capability */                                                    \
    X(cc_minor, 0, 9)                                                                              \
    X(sms, 1, 1024)                                                                                \
    X(sm_clock_ghz, 0.01, 10)                                                                      \
    X(single_to_double_ratio, 1, 64) /* throughput of float over that of double */                 \
    X(sm_threads, 32, 4096) /* most resident per SM: threads, blocks, registers, shared memory */  \
    X(sm_blocks, 1, 64)                                                                            \
    X(sm_registers, 1024, 1e7)                                                                     \
    X(sm_shared_bytes, 0, 1e7)                                                                     \
    X(block_threads, 32, 1024) /* most per block */                                                \
    X(block_shared_bytes, 0, 1e7)                                                                  \
    X(block_shared_optin_bytes, 0, 1e7)                                                            \
    X(reserved_shared_bytes, 0, 65536) /* per block, for the system */                             \
    X(memory_bytes, 1048576, 1e13)                                                                 \
    X(l2_bytes, 0, 2147483647) /* an int to CUDA */                                                \
    X(memory_clock_ghz, 0.01, 100)                                                                 \
    X(memory_bus_bits, 32, 16384)                                                                  \
    X(pageable_access, 0, 1) /* cudaDevAttrPageableMemoryAccess */                                 \
    X(copy_engines, 0, 16)                                                                         \
    X(concurrent_kernels, 1, 1024)                                                                 \
    X(priority_levels, 1, 16)                                                                      \
    X(driver_version, 1000, 99999) /* as CUDA counts: 13000 is 13.0 */                             \
    X(runtime_version, 1000, 99999)                                                                \
    /* queueing */                                                                                 \
    X(launch_queue_depth, 1, 1e6) /* operations a stream holds before a launch waits */            \
    X(start_latency_ns, 0, 1e9)   /* work queued in an idle stream -> the device starts it */      \
    X(kernel_gap_ns, 0, 1e9)      /* end of an operation -> start of the kernel behind it */       \
    X(copy_gap_ns, 0, 1e9)        /* ... of the copy or memset behind it */                        \
    X(event_gap_ns, 0, 1e9)       /* ... time stamp of the event behind it */                      \
    X(stream_wait_ns, 0, 1e9)     /* extra, when what it waited for is in another stream */        \
    X(dispatch_ns, 0, 1e9)        /* the front end is busy this long with each kernel it starts */ \
    X(graph_dispatch_ns, 0, 1e9)  /* the same for a kernel node of a graph */                      \
    X(host_function_ns, 0, 1e9)   /* stream reaches a host function -> it runs; and back */        \
    X(lazy_load_waits, 0, 1)      /* 1: loading a module waits for an idle device */               \
    /* copies */                                                                                   \
    X(h2d_rate, 1e-3, 1e4)                                                                         \
    X(d2h_rate, 1e-3, 1e4)                                                                         \
    X(h2d_both_rate, 1e-3, 1e4) /* while the other direction runs */                               \
    X(d2h_both_rate, 1e-3, 1e4)                                                                    \
    X(copy_start_ns, 0, 1e9) /* fixed part of a DMA copy on the device */                          \
    X(d2d_rate, 1e-3, 1e5)                                                                         \
    X(d2d_start_ns, 0, 1e9)                                                                        \
    X(d2d_needs_sm, 0, 1) /* 1: SMs carry copies inside the device, and must have room */          \
    X(memset_rate, 1e-3, 1e5)                                                                      \
    X(memset_start_ns, 0, 1e9)                                                                     \
    X(peer_rate, 0, 1e5) /* 0: no peer access */                                                   \
    X(peer_start_ns, 0, 1e9)                                                                       \
    X(peer_staged_rate, 1e-3, 1e5)      /* peer access not enabled: through the host */            \
    X(peer_staged_both_rate, 1e-3, 1e5) /* ... while one goes the other way */                     \
    X(peer_staged_start_ns, 0, 1e9)                                                                \
    X(peer_staged_call_rate, 1e-3, 1e5) /* so fast the call queues its pieces */                   \
    X(peer_staged_queue_bytes, 1, 1e13) /* ... of which so many fit its queue */                   \
    X(peer_staged_piece_bytes, 1, 1e13) /* a tracer sees the last piece only */

/* The host and its driver: a host profile (SIM_HOST) may set these and no others. */
#define PROFILE_HOST_KEYS(X)                                                                       \
    /* pageable copies */                                                                          \
    X(inline_bytes, 0, 1e9) /* pageable H2D up to this size goes with the command */               \
    X(inline_call_ns, 0, 1e9)                                                                      \
    X(inline_rate, 1e-3, 1e4)                                                                      \
    X(staged_call_ns, 0, 1e9)   /* fixed part of a pageable H2D above it */                        \
    X(pageable_busy_ns, 0, 1e9) /* extra for both while the stream is busy */                      \
    X(staging_bytes, 0, 1e12)   /* the driver's pinned buffers for pageable H2D */                 \
    X(staging_chunk_bytes, 1, 1e12)                                                                \
    X(stage_cached_bytes, 0, 1e12) /* the host copies into them: up to this size / above */        \
    X(stage_cached_rate, 1e-3, 1e4)                                                                \
    X(stage_large_bytes, 0, 1e13) /* ... up to this size the rate falls, from it on: stage_rate */ \
    X(stage_rate, 1e-3, 1e4)                                                                       \
    X(pageable_d2h_call_ns, 0, 1e9)                                                                \
    X(pageable_d2h_rate, 1e-3, 1e4)                                                                \
    X(pageable_d2h_large_bytes, 0, 1e13) /* from this size on, the large rate */                   \
    X(pageable_d2h_large_rate, 1e-3, 1e4)                                                          \
    X(host_copy_cached_rate, 1e-3, 1e4) /* H2H, with the same sizes */                             \
    X(host_copy_rate, 1e-3, 1e4)                                                                   \
    X(read_fault_ns, 0, 1e7) /* first touch of a 4 KiB page, by reading / by writing */            \
    X(write_fault_ns, 0, 1e7)                                                                      \
    /* what calls take before any waiting */                                                       \
    X(call_ns, 0, 1e9)       /* any call not named below */                                        \
    X(first_call_ns, 0, 1e9) /* extra, the first time that a function is called */                 \
    /* extra for the first launch or copy after a long wait, when the driver's code has left the   \
     * CPU's caches: cold_share of what the wait took over cold_after_ns, at most cold_most_ns */  \
    X(cold_after_ns, 0, 1e12)                                                                      \
    X(cold_share, 0, 1)                                                                            \
    X(cold_most_ns, 0, 1e9)                                                                        \
    X(launch_call_ns, 0, 1e9)                                                                      \
    X(copy_call_ns, 0, 1e9) /* from and to pinned memory, between GPUs */                          \
    X(d2d_copy_call_ns, 0, 1e9)                                                                    \
    X(sync_copy_call_ns, 0, 1e9)                                                                   \
    X(memset_call_ns, 0, 1e9)                                                                      \
    X(event_record_ns, 0, 1e9)                                                                     \
    X(event_create_ns, 0, 1e9)                                                                     \
    X(event_sync_ns, 0, 1e9)                                                                       \
    X(stream_create_ns, 0, 1e9)                                                                    \
    X(stream_destroy_ns, 0, 1e9)                                                                   \
    X(stream_sync_ns, 0, 1e9)                                                                      \
    X(device_sync_ns, 0, 1e9)                                                                      \
    X(query_ns, 0, 1e9)                                                                            \
    X(stream_wait_call_ns, 0, 1e9)                                                                 \
    X(host_function_call_ns, 0, 1e9)                                                               \
    X(host_function_soon_ns, 0, 1e9)  /* instead of host_function_ns, so soon after the last: */   \
    X(host_function_awake_ns, 0, 1e9) /* the driver's thread sleeps after this long */             \
    X(malloc_chunk_bytes, 1, 1e9)     /* device and pinned memory comes in pieces of this size */  \
    X(malloc_again_ns, 0, 1e9)        /* out of a piece that is there already: device, pinned */   \
    X(malloc_host_again_ns, 0, 1e9)                                                                \
    X(malloc_ns, 0, 1e9)                                                                           \
    X(free_ns, 0, 1e9)                                                                             \
    X(malloc_async_ns, 0, 1e9)                                                                     \
    X(free_async_ns, 0, 1e9)                                                                       \
    X(malloc_host_ns, 0, 1e9)                                                                      \
    X(malloc_host_page_ns, 0, 1e9) /* per 4 KiB page */                                            \
    X(free_host_ns, 0, 1e9)                                                                        \
    X(free_host_page_ns, 0, 1e9)                                                                   \
    X(register_ns, 0, 1e9)                                                                         \
    X(register_page_ns, 0, 1e9)                                                                    \
    X(unregister_ns, 0, 1e9)                                                                       \
    X(unregister_page_ns, 0, 1e9)                                                                  \
    X(context_ns, 0, 1e11)                                                                         \
    X(kernel_load_ns, 0, 1e10) /* first launch of a kernel */                                      \
    /* extra, once in a context: */                                                                \
    X(module_load_ns, 0, 1e10) /* of the first kernel that is loaded by its launch */              \
    X(first_launch_ns, 0, 1e10)                                                                    \
    X(first_event_ns, 0, 1e10)                                                                     \
    X(first_host_function_ns, 0, 1e10)                                                             \
    X(first_cublas_ns, 0, 1e11)   /* of cublasCreate */                                            \
    X(first_product_ns, 0, 1e11)  /* of a cuBLAS product */                                        \
    X(first_pageable_ns, 0, 1e10) /* of a copy from pageable memory */                             \
    X(first_shape_ns, 0, 1e10)    /* ... and of a product of each new size */                      \
    X(eager_load_ns, 0, 1e10)     /* per kernel, with the context (CUDA_MODULE_LOADING=EAGER) */   \
    X(graph_create_ns, 0, 1e9)                                                                     \
    X(graph_node_ns, 0, 1e9)                                                                       \
    X(instantiate_ns, 0, 1e9)                                                                      \
    X(instantiate_node_ns, 0, 1e9)                                                                 \
    X(graph_launch_ns, 0, 1e9)                                                                     \
    X(graph_launch_node_ns, 0, 1e9)                                                                \
    X(peer_enable_ns, 0, 1e10)                                                                     \
    X(cublas_create_ns, 0, 1e11)                                                                   \
    X(cublas_destroy_ns, 0, 1e11)                                                                  \
    X(cublas_call_ns, 0, 1e9) /* cuBLAS calls that queue nothing */                                \
    X(dgemm_batched_call_ns, 0, 1e9)                                                               \
    /* waiting, clocks, tracing */                                                                 \
    X(spin_wake_ns, 0, 1e9)  /* end of what a spinning wait waited for -> it returns */            \
    X(block_wake_ns, 0, 1e9) /* the same for a blocking wait */                                    \
    X(block_wake_cpu_ns, 0, 1e9)                                                                   \
    X(wall_clock_ns, 0, 1e9) /* reading a clock */                                                 \
    X(cpu_clock_ns, 0, 1e9)                                                                        \
    X(tracer_call_ns, 0, 1e9)  /* traced: extra per call that queues work */                       \
    X(tracer_node_ns, 0, 1e9)  /* ... on the device, per kernel node of a graph */                 \
    X(tracer_first_ns, 0, 1e9) /* switching the tracer on, with the slow first launch */           \
    X(tracer_flush_ns, 0, 1e9) /* switching it off, with the slow first call after its flush */

/* A kernel of the modelled cuBLAS: `dgemm = <the numbers of one struct, in its order>`, at most 16
 * such lines. A block computes tile_m x tile_n elements of C, over k / split_k of the inner
 * dimension. Alone on its SM it takes base_ns + that x per_k_ns; of this it uses the whole SM for
 * work_ns + that x work_per_k_ns. Threads, registers and shared memory decide how many blocks an SM
 * holds. */
enum { PROFILE_MAX_DGEMM = 16, PROFILE_DGEMM_FIELDS = 12 };
struct profile_dgemm {
    int min_dim; /* used from this size of the larger one of m and n on */
    int tile_m, tile_n, split_k;
    int threads, registers, shared_bytes;
    double call_ns; /* what cublasDgemm takes the host */
    double base_ns, per_k_ns, work_ns, work_per_k_ns;
};

struct sim_profile {
    char path[4096]; /* the file it came from */
    char id[64];     /* what GPU= said, or the file's name without its ending */
    char name[128];  /* "NVIDIA H200" */
#define X(key, low, high) double key;
    PROFILE_GPU_KEYS(X)
    PROFILE_HOST_KEYS(X)
#undef X
    int dgemms;
    struct profile_dgemm dgemm[PROFILE_MAX_DGEMM];
};

/* Reads the profile that GPU= names (default h200; a value with a slash is a file), then, over it,
 * the host profile SIM_HOST= names, if set. Dies with EXIT_USAGE naming file and line if a profile
 * is not there or wrong, and with EXIT_ENVIRONMENT if a file that is there cannot be read. */
void profile_load(struct sim_profile *profile);

/* The same for given names; host may be NULL. */
void profile_read(struct sim_profile *profile, const char *gpu, const char *host);

#ifdef __cplusplus
}
#endif
#endif
