/* random_program.h - random programs for the simulated GPU, and what its schedule was, seen from
 * outside. A program is a list of steps, so that the same one can be run in different ways. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "tap.h"

enum { STREAMS = 6, EVENTS = 4, STEPS = 120, MAX_OPS = 4096, MAX_BLOCKS = 200000 };

/* ---- kernels ---------------------------------------------------------------------------------
 */

struct kernel_args {
    double block_ns, share;
    int uneven; /* block durations differ */
    int light;
};

struct placed {
    int device, sm;
    int64_t start_ns, end_ns, kernel_start_ns;
    double alone_ns, share;
    int threads, registers;
    size_t shared_bytes;
};

static struct placed *placed;
static int placed_count;
static long blocks_launched;

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
            .kernel_start_ns = launch->start_ns,
            .alone_ns = args->uneven ? uneven_ns(launch, i) : args->block_ns,
            .share = args->share,
            .threads = (threads + 31) / 32 * 32,
            .registers = block_registers(launch->model, threads),
            .shared_bytes = block_shared_bytes(launch->model, launch->dynamic_shared_bytes),
        };
    }
}

/* How many blocks an SM holds is limited by the registers of the one, the threads of the other. */
SIM_KERNEL_MODEL(any_kernel, .arg_bytes = {sizeof(struct kernel_args)}, .registers = 40,
                 .plan = plan, .effect = note_blocks);
SIM_KERNEL_MODEL(light_kernel, .arg_bytes = {sizeof(struct kernel_args)}, .registers = 16,
                 .plan = plan, .effect = note_blocks);

static cudaError_t launch_as(const char *name, int blocks, int threads, size_t shared,
                             struct kernel_args args, cudaStream_t stream) {
    dim3 grid = {(unsigned)blocks, 1, 1}, block = {(unsigned)threads, 1, 1};
    void *pointers[] = {&args};
    cudaError_t error = sim_library_enter(name);
    if (error)
        return error;
    error = sim_launch(args.light ? &sim_model_light_kernel : &sim_model_any_kernel, grid, block,
                       pointers, shared, stream);
    blocks_launched += blocks;
    sim_library_leave(2000);
    return error;
}

/* ---- what happened ---------------------------------------------------------------------------
 */

struct seen {
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
static uint64_t answers; /* of all queries, mixed */

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

static void forget(void) {
    seen_count = placed_count = 0;
    blocks_launched = 0;
    answers = 0;
}

/* ---- the program -----------------------------------------------------------------------------
 */

struct random_numbers {
    uint64_t state;
};

static unsigned any(struct random_numbers *random, unsigned below) {
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random->state >> 33) % below;
}

enum step_kind { LAUNCH, COPY, MEMSET, RECORD, WAIT, FUNCTION, SYNCHRONIZE, QUERY, HOST };

struct step {
    enum step_kind kind;
    int stream; /* -1: the NULL stream */
    int event;
    struct kernel_args args;
    int blocks, threads;
    size_t shared, bytes;
    enum cudaMemcpyKind direction;
    int host_ns;
};

enum { BUFFER_BYTES = 1 << 20 };
static unsigned char *pinned, *device_memory;

static void draw_launch(struct random_numbers *random, struct step *step) {
    step->args.block_ns = 1000 + any(random, 50000);
    step->args.share = any(random, 3) ? 0 : 0.25 * (1 + any(random, 4));
    step->args.uneven = any(random, 2) == 0;
    step->args.light = any(random, 3) == 0;
    step->blocks = any(random, 4) ? 1 + (int)any(random, 300) : 1 + (int)any(random, 2000);
    step->threads = 32 * (1 + (int)any(random, 16));
    step->shared = any(random, 3) ? 0 : any(random, 40000);
}

static void draw_step(struct random_numbers *random, struct step *step) {
    static const enum cudaMemcpyKind directions[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                                     cudaMemcpyDeviceToDevice};
    static const struct {
        enum step_kind kind;
        unsigned percent;
    } mix[] = {{LAUNCH, 35},  {COPY, 25},       {MEMSET, 7}, {RECORD, 8}, {WAIT, 10},
               {FUNCTION, 5}, {SYNCHRONIZE, 3}, {QUERY, 2},  {HOST, 5}};
    unsigned which = any(random, 100), kind = 0;
    for (; which >= mix[kind].percent; kind++)
        which -= mix[kind].percent;
    *step = (struct step){.kind = mix[kind].kind};
    step->stream = any(random, 8) == 0 ? -1 : (int)any(random, STREAMS);
    step->event = (int)any(random, EVENTS);
    draw_launch(random, step);
    step->direction = directions[any(random, 3)];
    step->bytes = 1 + any(random, BUFFER_BYTES / 2);
    step->host_ns = 1 + (int)any(random, 20000);
}

static struct step program[STEPS];

static void draw_program(uint64_t seed) {
    struct random_numbers random = {seed};
    for (int i = 0; i < STEPS; i++)
        draw_step(&random, &program[i]);
}

struct objects {
    cudaStream_t streams[STREAMS];
    cudaEvent_t events[EVENTS];
    int event_op[EVENTS]; /* the operation that recorded it */
};

static void make_objects(struct objects *made) {
    for (int i = 0; i < STREAMS; i++)
        cudaStreamCreateWithPriority(
            &made->streams[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault, i == 3 ? -2 : 0);
    for (int i = 0; i < EVENTS; i++) {
        cudaEventCreate(&made->events[i]);
        made->event_op[i] = -1;
    }
}

static inline void destroy_objects(struct objects *made) {
    for (int i = 0; i < STREAMS; i++)
        cudaStreamDestroy(made->streams[i]);
    for (int i = 0; i < EVENTS; i++)
        cudaEventDestroy(made->events[i]);
}

static void nothing(void *data) {
    (void)data;
}

static void do_copy(const struct step *step, cudaStream_t stream) {
    bool from_host = step->direction == cudaMemcpyHostToDevice;
    bool to_host = step->direction == cudaMemcpyDeviceToHost;
    unsigned char *src = from_host ? pinned : device_memory;
    unsigned char *dst = to_host ? pinned : device_memory + BUFFER_BYTES / 2;
    EXPECT_INT(cudaMemcpyAsync(dst, src, step->bytes, step->direction, stream), cudaSuccess);
}

/* Does one step; a launch goes by that name. */
static void do_step_as(const char *name, const struct step *step, struct objects *objects) {
    cudaStream_t stream = step->stream < 0 ? NULL : objects->streams[step->stream];
    cudaEvent_t event = objects->events[step->event];
    cudaError_t error = cudaSuccess;
    switch (step->kind) {
    case LAUNCH:
        error = launch_as(name, step->blocks, step->threads, step->shared, step->args, stream);
        break;
    case COPY:
        do_copy(step, stream);
        break;
    case MEMSET:
        error = cudaMemsetAsync(device_memory, step->event + 1, 2 * step->bytes, stream);
        break;
    case RECORD:
        error = cudaEventRecord(event, stream);
        objects->event_op[step->event] = seen_count - 1;
        break;
    case WAIT:
        next_waits_for = objects->event_op[step->event];
        error = cudaStreamWaitEvent(stream, event, 0);
        next_waits_for = -1;
        break;
    case FUNCTION:
        error = cudaLaunchHostFunc(stream, nothing, NULL);
        break;
    case SYNCHRONIZE:
        error = cudaStreamSynchronize(stream);
        break;
    case QUERY:
        error = cudaStreamQuery(stream);
        answers = answers * 31 + (uint64_t)error;
        if (error == cudaErrorNotReady)
            error = cudaSuccess;
        break;
    case HOST:
        sim_host_work(step->host_ns, true);
    }
    EXPECT_INT(error, cudaSuccess);
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
}

#endif
