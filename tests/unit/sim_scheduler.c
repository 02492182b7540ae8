/* sim_scheduler.c - what must hold whatever a program queues: random programs are run on the
 * simulated GPU, and its schedule is judged from outside, by intervals. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core.h"
#include "tap.h"

enum { STREAMS = 6, STEPS = 120, PROGRAMS = 60, MAX_OPS = 4096, MAX_BLOCKS = 200000 };

/* ---- kernels ----------------------------------------------------------------------------------
 */

struct kernel_args {
    double block_ns, share;
    int uneven; /* block durations differ */
};

struct placed {
    int device, sm;
    int64_t start_ns, end_ns;
    double alone_ns, share;
    int threads, registers;
    size_t shared_bytes;
};

static struct placed *placed;
static int placed_count;

static double uneven_ns(const struct sim_launch *launch, long block) {
    const struct kernel_args *args = launch->args[0];
    return args->block_ns * (double)(1 + block % 3);
}

static void plan(struct sim_launch *launch, struct sim_plan *plan) {
    const struct kernel_args *args = launch->args[0];
    plan->block_ns = args->block_ns;
    plan->block_ns_of = args->uneven ? uneven_ns : NULL;
    plan->sm_share = args->share;
    plan->keep_blocks = true;
}

static void note_blocks(struct sim_launch *launch) {
    const struct kernel_args *args = launch->args[0];
    int threads = launch->block[0];
    for (long i = 0; i < launch->grid[0] && placed_count < MAX_BLOCKS; i++) {
        const struct sim_block *block = sim_block_of(launch, i);
        placed[placed_count++] = (struct placed){
            .device = launch->device,
            .sm = block->sm,
            .start_ns = block->start_ns,
            .end_ns = block->end_ns,
            .alone_ns = args->uneven ? uneven_ns(launch, i) : args->block_ns,
            .share = args->share,
            .threads = (threads + 31) / 32 * 32,
            .registers = block_registers(launch->model, threads),
            .shared_bytes = block_shared_bytes(launch->model, launch->dynamic_shared_bytes),
        };
    }
}

SIM_KERNEL_MODEL(any_kernel, .arg_bytes = {sizeof(struct kernel_args)}, .registers = 40,
                 .plan = plan, .effect = note_blocks);

static cudaError_t launch(int blocks, int threads, size_t shared, struct kernel_args args,
                          cudaStream_t stream) {
    dim3 grid = {(unsigned)blocks, 1, 1}, block = {(unsigned)threads, 1, 1};
    void *pointers[] = {&args};
    cudaError_t error = sim_library_enter("launch");
    if (error)
        return error;
    error = sim_launch(&sim_model_any_kernel, grid, block, pointers, shared, stream);
    sim_library_leave(2000);
    return error;
}

/* ---- what happened -----------------------------------------------------------------------------
 */

struct seen {
    const struct op *op;
    int64_t queued_ns, start_ns, end_ns;
    unsigned serial;
    enum work_kind kind;
    int lane, engine;
    int waits_for; /* an earlier operation, by an event; -1: none */
    bool blocking_stream, null_stream;
};

static struct seen *seen;
static int seen_count;
static int next_waits_for = -1;

static int engine_used(const struct op *op) {
    if (op->work.kind == WORK_MEMSET)
        return 3;
    if (op->work.kind != WORK_COPY || op->work.copy.kind == SPAN_H2H)
        return -1;
    return op->work.copy.kind == SPAN_H2D ? 0 : op->work.copy.kind == SPAN_D2H ? 1 : 2;
}

static void watch(const struct op *op, enum op_station station) {
    if (station == OP_QUEUED) {
        if (seen_count == MAX_OPS)
            abort();
        seen[seen_count++] = (struct seen){
            .op = op,
            .serial = op->serial,
            .kind = op->work.kind,
            .lane = op->lane,
            .engine = engine_used(op),
            .null_stream = op->stream->null_stream,
            .blocking_stream =
                !op->stream->null_stream && !(op->stream->flags & cudaStreamNonBlocking),
            .queued_ns = op->queued_ns,
            .waits_for = next_waits_for,
        };
        next_waits_for = -1;
        return;
    }
    for (int i = seen_count - 1; i >= 0; i--) {
        if (seen[i].serial != op->serial)
            continue;
        if (station == OP_STARTED)
            seen[i].start_ns = op->start_ns;
        else
            seen[i].end_ns = op->end_ns;
        return;
    }
}

/* ---- random programs ---------------------------------------------------------------------------
 */

static uint64_t random_state;

static unsigned any(unsigned below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static char *pinned, *device_memory;
enum { BUFFER_BYTES = 1 << 20 };

static void any_copy(cudaStream_t stream) {
    static const enum cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                                cudaMemcpyDeviceToDevice};
    enum cudaMemcpyKind kind = kinds[any(3)];
    size_t bytes = 1 + any(BUFFER_BYTES / 2);
    void *src = kind == cudaMemcpyHostToDevice ? pinned : device_memory;
    void *dst = kind == cudaMemcpyDeviceToHost ? pinned : device_memory + BUFFER_BYTES / 2;
    EXPECT_INT(cudaMemcpyAsync(dst, src, bytes, kind, stream), cudaSuccess);
}

static void any_launch(cudaStream_t stream) {
    struct kernel_args args = {1000 + any(50000), any(3) ? 0 : 0.25 * (1 + any(4)), any(2) == 0};
    int blocks = any(4) ? 1 + (int)any(300) : 1 + (int)any(2000);
    EXPECT_INT(launch(blocks, 32 * (1 + (int)any(16)), any(3) ? 0 : any(40000), args, stream),
               cudaSuccess);
}

static void nothing(void *data) {
    (void)data;
}

static void any_step(cudaStream_t *streams, cudaEvent_t *events, int *event_op) {
    cudaStream_t stream = any(8) == 0 ? NULL : streams[any(STREAMS)];
    unsigned which = any(100), event = any(4);
    if (which < 35) {
        any_launch(stream);
    } else if (which < 60) {
        any_copy(stream);
    } else if (which < 67) {
        EXPECT_INT(cudaMemsetAsync(device_memory, 1, 1 + any(BUFFER_BYTES), stream), cudaSuccess);
    } else if (which < 75) {
        EXPECT_INT(cudaEventRecord(events[event], stream), cudaSuccess);
        event_op[event] = seen_count - 1;
    } else if (which < 85) {
        next_waits_for = event_op[event];
        EXPECT_INT(cudaStreamWaitEvent(stream, events[event], 0), cudaSuccess);
        next_waits_for = -1;
    } else if (which < 90) {
        EXPECT_INT(cudaLaunchHostFunc(stream, nothing, NULL), cudaSuccess);
    } else if (which < 93) {
        EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    } else if (which < 95) {
        cudaError_t error = cudaStreamQuery(stream);
        EXPECT(error == cudaSuccess || error == cudaErrorNotReady);
    } else {
        sim_host_work(any(20000), true);
    }
}

/* Runs the program of that seed from an idle device; what happened is in seen and placed. */
static int64_t run_program(uint64_t seed) {
    cudaStream_t streams[STREAMS];
    cudaEvent_t events[4];
    int event_op[4] = {-1, -1, -1, -1};
    random_state = seed;
    for (int i = 0; i < STREAMS; i++)
        cudaStreamCreateWithPriority(&streams[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault,
                                     i == 3 ? -2 : 0);
    for (int i = 0; i < 4; i++)
        cudaEventCreate(&events[i]);
    cudaDeviceSynchronize();
    sim_host_work(2 * sim_profile()->host_function_awake_ns, false); /* its thread sleeps again */
    seen_count = placed_count = 0;
    int64_t start_ns = sim_now_ns();
    op_watch = watch;
    for (int i = 0; i < STEPS; i++)
        any_step(streams, events, event_op);
    cudaDeviceSynchronize();
    op_watch = NULL;
    for (int i = 0; i < STREAMS; i++)
        cudaStreamDestroy(streams[i]);
    for (int i = 0; i < 4; i++)
        cudaEventDestroy(events[i]);
    return start_ns;
}

static void prepare(void) {
    if (seen)
        return;
    seen = calloc(MAX_OPS, sizeof *seen);
    placed = calloc(MAX_BLOCKS, sizeof *placed);
    if (!seen || !placed)
        abort();
    cudaFree(NULL);
    cudaMallocHost((void **)&pinned, BUFFER_BYTES);
    cudaMalloc((void **)&device_memory, BUFFER_BYTES);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    struct kernel_args args = {1000, 0, 0};
    launch(1, 32, 0, args, stream); /* loads the kernel */
    cudaLaunchHostFunc(stream, nothing, NULL);
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
}

/* ---- what must hold
 * ------------------------------------------------------------------------------ */

static bool ordered(const struct seen *before, const struct seen *after) {
    return before->lane == after->lane || (before->null_stream && after->blocking_stream) ||
           (before->blocking_stream && after->null_stream);
}

static int count_out_of_order(void) {
    int wrong = 0;
    for (int i = 0; i < seen_count; i++) {
        wrong += seen[i].start_ns < seen[i].queued_ns || seen[i].end_ns < seen[i].start_ns;
        for (int j = 0; j < i; j++)
            wrong += ordered(&seen[j], &seen[i]) && seen[i].start_ns < seen[j].end_ns;
        if (seen[i].waits_for >= 0)
            wrong += seen[i].start_ns < seen[seen[i].waits_for].end_ns;
    }
    return wrong;
}

static void nothing_starts_too_early(void) {
    prepare();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        EXPECT(seen_count > STEPS / 2);
        EXPECT_INT(count_out_of_order(), 0);
    }
}

static void an_engine_does_one_thing_at_a_time(void) {
    int pairs = 0;
    prepare();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        for (int i = 0; i < seen_count; i++)
            for (int j = 0; j < i; j++) {
                if (seen[i].engine < 0 || seen[i].engine != seen[j].engine)
                    continue;
                pairs++;
                EXPECT(seen[i].start_ns >= seen[j].end_ns || seen[j].start_ns >= seen[i].end_ns);
            }
    }
    EXPECT(pairs > 1000);
}

static int by_sm_and_start(const void *a, const void *b) {
    const struct placed *left = a, *right = b;
    if (left->sm != right->sm)
        return left->sm < right->sm ? -1 : 1;
    return left->start_ns < right->start_ns ? -1 : left->start_ns > right->start_ns;
}

/* At the start of each block: what the blocks on its SM take together. */
static void check_sm_at(int at) {
    const struct sim_profile *profile = sim_profile();
    long blocks = 0, threads = 0, registers = 0;
    size_t shared_bytes = 0;
    for (int i = at; i >= 0 && placed[i].sm == placed[at].sm; i--) {
        if (placed[i].end_ns <= placed[at].start_ns)
            continue;
        blocks++;
        threads += placed[i].threads;
        registers += placed[i].registers;
        shared_bytes += placed[i].shared_bytes;
    }
    EXPECT((double)blocks <= profile->sm_blocks && (double)threads <= profile->sm_threads &&
           (double)registers <= profile->sm_registers &&
           (double)shared_bytes <= profile->sm_shared_bytes);
}

static void no_sm_holds_more_than_it_can(void) {
    prepare();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        EXPECT(placed_count > 100 && placed_count < MAX_BLOCKS);
        qsort(placed, (size_t)placed_count, sizeof *placed, by_sm_and_start);
        for (int i = 0; i < placed_count; i++)
            check_sm_at(i);
    }
}

/* Work that shares an SM takes at least as long as alone; together the blocks on an SM do no more
 * work than it can, and all the work that there was. */
static void work_is_conserved(void) {
    prepare();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        qsort(placed, (size_t)placed_count, sizeof *placed, by_sm_and_start);
        for (int i = 0; i < placed_count;) {
            int sm = placed[i].sm;
            double work_ns = 0, busy_ns = 0;
            int64_t until_ns = 0;
            for (; i < placed_count && placed[i].sm == sm; i++) {
                const struct placed *block = &placed[i];
                double ns = (double)(block->end_ns - block->start_ns);
                if (block->share == 0)
                    EXPECT_NEAR(ns, block->alone_ns, 0.5);
                else
                    EXPECT(ns >= block->alone_ns - 1);
                work_ns += block->alone_ns * block->share;
                int64_t from = block->start_ns > until_ns ? block->start_ns : until_ns;
                if (block->end_ns > from) {
                    busy_ns += (double)(block->end_ns - from);
                    until_ns = block->end_ns;
                }
            }
            EXPECT(work_ns <= busy_ns * (1 + 1e-9) + 1);
        }
    }
}

static void equal_programs_have_equal_schedules(void) {
    static struct seen first[MAX_OPS];
    prepare();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed); /* what takes longer the first time, and after a long wait */
        int64_t start_ns = run_program((uint64_t)seed);
        int count = seen_count;
        memcpy(first, seen, (size_t)count * sizeof *first);
        int64_t shift_ns = run_program((uint64_t)seed) - start_ns;
        EXPECT(shift_ns > 0);
        EXPECT_INT(seen_count, count);
        for (int i = 0; i < count; i++)
            EXPECT(seen[i].queued_ns == first[i].queued_ns + shift_ns &&
                   seen[i].start_ns == first[i].start_ns + shift_ns &&
                   seen[i].end_ns == first[i].end_ns + shift_ns);
    }
}

/* ---- waves and tails come out by themselves
 * ------------------------------------------------------ */

static int64_t kernel_ns(int blocks, struct kernel_args args) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    seen_count = placed_count = 0;
    op_watch = watch;
    launch(blocks, 256, 0, args, stream);
    cudaStreamSynchronize(stream);
    op_watch = NULL;
    cudaStreamDestroy(stream);
    return seen[0].end_ns - seen[0].start_ns;
}

static void waves(void) {
    prepare();
    struct kernel_args args = {10000, 0, 0}, half = {10000, 0.5, 0};
    int per_sm = sim_resident_blocks(&sim_model_any_kernel, 256, 0);
    int sms = (int)sim_profile()->sms, capacity = per_sm * sms;
    EXPECT(per_sm > 2);
    EXPECT_INT(kernel_ns(1, args), 10000);
    EXPECT_INT(kernel_ns(capacity, args), 10000);
    EXPECT_INT(kernel_ns(capacity + 1, args), 20000);
    EXPECT_INT(kernel_ns(3 * capacity, args), 30000);
    EXPECT_INT(kernel_ns(2 * sms, half), 10000); /* two halves of each SM */
    EXPECT_INT(kernel_ns(3 * sms, half), 15000); /* three halves take half as long again */
}

/* The second kernel's blocks come as soon as the first one's last wave leaves room, not earlier. */
static void tail(void) {
    cudaStream_t streams[2];
    prepare();
    struct kernel_args args = {10000, 0, 0};
    int capacity = sim_resident_blocks(&sim_model_any_kernel, 256, 0) * (int)sim_profile()->sms;
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    seen_count = placed_count = 0;
    op_watch = watch;
    launch(capacity + capacity / 2, 256, 0, args, streams[0]);
    launch(capacity, 256, 0, args, streams[1]);
    cudaDeviceSynchronize();
    op_watch = NULL;
    int64_t start_ns = seen[0].start_ns;
    EXPECT_INT(seen[0].end_ns - start_ns, 20000);
    EXPECT_INT(seen[1].start_ns - start_ns, 10000);
    EXPECT_INT(seen[1].end_ns - start_ns, 30000);
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
}

/* Blocks of a stream with higher priority are placed first, also before those of a kernel that has
 * begun; what runs is not interrupted. */
static void priorities(void) {
    cudaStream_t low, high;
    int least, greatest;
    prepare();
    struct kernel_args args = {10000, 0, 0};
    int capacity = sim_resident_blocks(&sim_model_any_kernel, 256, 0) * (int)sim_profile()->sms;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    EXPECT(greatest < least);
    cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least);
    cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest - 5);
    seen_count = placed_count = 0;
    op_watch = watch;
    launch(3 * capacity, 256, 0, args, low);
    launch(capacity, 256, 0, args, high);
    cudaDeviceSynchronize();
    op_watch = NULL;
    int64_t start_ns = seen[0].start_ns;
    EXPECT_INT(seen[0].end_ns - start_ns, 40000);
    EXPECT_INT(seen[1].start_ns - start_ns, 10000);
    EXPECT_INT(seen[1].end_ns - start_ns, 20000);
    cudaStreamDestroy(low);
    cudaStreamDestroy(high);
}

/* So many kernels at a time and no more, though each is one block. */
static void concurrent_kernels(void) {
    enum { MANY = 300 };
    cudaStream_t streams[MANY];
    int most = 0;
    prepare();
    struct kernel_args args = {10 * 1000 * 1000, 0, 0};
    for (int i = 0; i < MANY; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    seen_count = placed_count = 0;
    op_watch = watch;
    for (int i = 0; i < MANY; i++)
        launch(1, 32, 0, args, streams[i]);
    cudaDeviceSynchronize();
    op_watch = NULL;
    for (int i = 0; i < MANY; i++) {
        int running = 0;
        for (int j = 0; j < MANY; j++)
            running += seen[j].start_ns <= seen[i].start_ns && seen[j].end_ns > seen[i].start_ns;
        most = running > most ? running : most;
        cudaStreamDestroy(streams[i]);
    }
    EXPECT_INT(most, sim_profile()->concurrent_kernels);
}

/* ---- speed --------------------------------------------------------------------------------------
 */

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The processor's time: other programs beside this one do not count. */
static void many_launches_are_quick(void) {
    enum { MANY = 128, LAUNCHES = 100000 };
    cudaStream_t streams[MANY];
    prepare();
    struct kernel_args args = {5000, 0, 0};
    for (int i = 0; i < MANY; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    double start_s = cpu_seconds();
    for (int i = 0; i < LAUNCHES; i++) {
        placed_count = 0;
        launch(4, 128, 0, args, streams[i % MANY]);
    }
    cudaDeviceSynchronize();
    double took_s = cpu_seconds() - start_s;
    printf("# 100 000 launches: %.2f s\n", took_s);
    EXPECT(took_s < 1 || TAP_SANITIZED);
    for (int i = 0; i < MANY; i++)
        cudaStreamDestroy(streams[i]);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"nothing starts before it was queued or before what it waits for has ended",
         nothing_starts_too_early},
        {"a copy engine does one thing at a time", an_engine_does_one_thing_at_a_time},
        {"no SM holds more than it can", no_sm_holds_more_than_it_can},
        {"work is conserved", work_is_conserved},
        {"equal programs have equal schedules", equal_programs_have_equal_schedules},
        {"waves", waves},
        {"the tail effect", tail},
        {"priorities", priorities},
        {"the limit of concurrent kernels", concurrent_kernels},
        {"100 000 launches over 128 streams take under a second", many_launches_are_quick},
    };
    return TAP_RUN(tests);
}
