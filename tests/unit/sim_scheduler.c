/* sim_scheduler.c - what must hold whatever a program queues: random programs are run on the
 * simulated GPU, and its schedule is judged from outside, by intervals. */
#include "cost.h"
#include "random_program.h"

enum { PROGRAMS = 60 };

static cudaError_t launch(int blocks, int threads, size_t shared, struct kernel_args args,
                          cudaStream_t stream) {
    return launch_as("launch", blocks, threads, shared, args, stream);
}

/* Loads the kernel and wakes what is slow the first time: times are then the device's own. */
static void warm_up(void) {
    cudaStream_t stream;
    static bool warm;
    prepare();
    if (warm)
        return;
    warm = true;
    cudaStreamCreate(&stream);
    struct kernel_args args = {1000, 0, 0, 0};
    launch(1, 32, 0, args, stream);
    args.light = 1;
    launch(1, 32, 0, args, stream);
    cudaLaunchHostFunc(stream, nothing, NULL);
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
}

/* Runs the program of that seed from an idle device; what happened is in seen and placed. */
static int64_t run_program(uint64_t seed) {
    struct objects objects;
    draw_program(seed);
    make_objects(&objects);
    cudaDeviceSynchronize();
    sim_host_work(2 * sim_profile()->host_function_awake_ns, false); /* its thread sleeps again */
    forget();
    int64_t start_ns = sim_now_ns();
    op_watch = watch;
    for (int i = 0; i < STEPS; i++)
        do_step_as("launch", &program[i], &objects);
    cudaDeviceSynchronize();
    op_watch = NULL;
    destroy_objects(&objects);
    return start_ns;
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
    warm_up();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        EXPECT(seen_count > STEPS / 2);
        EXPECT_INT(count_out_of_order(), 0);
    }
}

static void an_engine_does_one_thing_at_a_time(void) {
    int pairs = 0;
    warm_up();
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
    warm_up();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        EXPECT(placed_count > 100 && placed_count < MAX_BLOCKS);
        qsort(placed, (size_t)placed_count, sizeof *placed, by_sm_and_start);
        for (int i = 0; i < placed_count; i++)
            check_sm_at(i);
    }
}

/* From at on the blocks of one SM, until end: how far a block that shares the SM comes in its time
 * on it. It is as fast as alone while they ask for no more than the whole SM, else all share it. */
static double progress_ns(const struct placed *block, const struct placed *from,
                          const struct placed *end) {
    double progress = 0;
    for (int64_t now_ns = block->start_ns, next_ns; now_ns < block->end_ns; now_ns = next_ns) {
        double share = 0;
        next_ns = block->end_ns;
        for (const struct placed *other = from; other < end; other++) {
            if (other->start_ns <= now_ns && other->end_ns > now_ns)
                share += other->share;
            if (other->start_ns > now_ns && other->start_ns < next_ns)
                next_ns = other->start_ns;
            if (other->end_ns > now_ns && other->end_ns < next_ns)
                next_ns = other->end_ns;
        }
        progress += (double)(next_ns - now_ns) / (share > 1 ? share : 1);
    }
    return progress;
}

/* Every block runs once, and does all its work and no more: its time on its SM, at the speed that
 * the others there leave it, is what it takes alone. Ends are whole ns. */
static void work_is_conserved(void) {
    int slowed = 0;
    warm_up();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        EXPECT_INT(placed_count, blocks_launched);
        qsort(placed, (size_t)placed_count, sizeof *placed, by_sm_and_start);
        for (int i = 0, end; i < placed_count; i = end) {
            for (end = i + 1; end < placed_count && placed[end].sm == placed[i].sm;)
                end++;
            for (int j = i; j < end; j++) {
                const struct placed *block = &placed[j];
                double took_ns = (double)(block->end_ns - block->start_ns);
                if (block->share > 0)
                    slowed += took_ns > block->alone_ns + 2;
                EXPECT_NEAR(block->share > 0 ? progress_ns(block, &placed[i], &placed[end])
                                             : took_ns,
                            block->alone_ns, 1);
            }
        }
    }
    EXPECT(slowed > 1000);
}

struct taken {
    long blocks, threads, registers;
    size_t shared_bytes;
};

/* What each SM held just before that instant. False if a block of another kernel came at it: room
 * may be kept for a kernel that is earlier, or has a higher priority. */
static bool taken_before(int64_t at_ns, const struct placed *of, struct taken *sms) {
    memset(sms, 0, (size_t)sim_profile()->sms * sizeof *sms);
    for (const struct placed *block = placed; block < placed + placed_count; block++) {
        struct taken *sm = &sms[block->sm];
        if (block->start_ns == at_ns && block->kernel_start_ns != of->kernel_start_ns)
            return false;
        if (block->start_ns >= at_ns || block->end_ns < at_ns)
            continue;
        sm->blocks++;
        sm->threads += block->threads;
        sm->registers += block->registers;
        sm->shared_bytes += block->shared_bytes;
    }
    return true;
}

static bool fits(const struct placed *block, const struct taken *sm) {
    const struct sim_profile *profile = sim_profile();
    return (double)sm->blocks < profile->sm_blocks &&
           (double)(sm->threads + block->threads) <= profile->sm_threads &&
           (double)(sm->registers + block->registers) <= profile->sm_registers &&
           (double)(sm->shared_bytes + block->shared_bytes) <= profile->sm_shared_bytes;
}

/* After a kernel's first blocks the others wait for room, and for nothing else: just before each
 * comes, no SM had room for it. Looks at some of them. */
static void room_is_used_at_once(void) {
    enum { EVERY = 101, MOST_SMS = 1024 };
    static struct taken sms[MOST_SMS];
    int looked_at = 0, with_room = 0;
    warm_up();
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        run_program((uint64_t)seed);
        for (int i = seed; i < placed_count; i += EVERY) {
            const struct placed *block = &placed[i];
            if (block->start_ns == block->kernel_start_ns ||
                !taken_before(block->start_ns, block, sms))
                continue;
            looked_at++;
            for (int sm = 0; sm < (int)sim_profile()->sms; sm++)
                with_room += fits(block, &sms[sm]);
        }
    }
    EXPECT(looked_at > 300);
    EXPECT_INT(with_room, 0);
}

static void equal_programs_have_equal_schedules(void) {
    static struct seen first[MAX_OPS];
    warm_up();
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
    forget();
    op_watch = watch;
    launch(blocks, 256, 0, args, stream);
    cudaStreamSynchronize(stream);
    op_watch = NULL;
    cudaStreamDestroy(stream);
    return seen[0].end_ns - seen[0].start_ns;
}

static void waves(void) {
    warm_up();
    struct kernel_args args = {10000, 0, 0, 0}, half = {10000, 0.5, 0, 0};
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
    warm_up();
    struct kernel_args args = {10000, 0, 0, 0};
    int capacity = sim_resident_blocks(&sim_model_any_kernel, 256, 0) * (int)sim_profile()->sms;
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    forget();
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
    warm_up();
    struct kernel_args args = {10000, 0, 0, 0};
    int capacity = sim_resident_blocks(&sim_model_any_kernel, 256, 0) * (int)sim_profile()->sms;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    EXPECT(greatest < least);
    cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least);
    cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest - 5);
    forget();
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
    warm_up();
    struct kernel_args args = {10 * 1000 * 1000, 0, 0, 0};
    for (int i = 0; i < MANY; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    forget();
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

/* ---- cost ------------------------------------------------------------------------------------
 */

enum { MOST_STREAMS = 128, LAUNCHES = 8000 };
static cudaStream_t cost_streams[MOST_STREAMS];

static void launch_over(int streams, int launches) {
    struct kernel_args args = {5000, 0, 0, 0};
    for (int i = 0; i < launches; i++) {
        placed_count = 0;
        launch(4, 128, 0, args, cost_streams[i % streams]);
    }
    cudaDeviceSynchronize();
}

static void launch_over_many(void) {
    launch_over(MOST_STREAMS, LAUNCHES);
}

static void launch_over_one(void) {
    launch_over(1, LAUNCHES);
}

static void launch_in_short_runs(void) {
    for (int i = 0; i < 10; i++)
        launch_over(MOST_STREAMS, LAUNCHES / 10);
}

/* What a launch costs does not grow with what is queued before it and beside it. */
static void a_launch_costs_the_same(void) {
    if (TAP_SANITIZED) {
        TAP_SKIP("sanitizers change the time");
        return;
    }
    warm_up();
    for (int i = 0; i < MOST_STREAMS; i++)
        cudaStreamCreateWithFlags(&cost_streams[i], cudaStreamNonBlocking);
    EXPECT(cost_ratio(launch_over_many, launch_over_one) < 2);
    EXPECT(cost_ratio(launch_over_many, launch_in_short_runs) < 1.5);
    for (int i = 0; i < MOST_STREAMS; i++)
        cudaStreamDestroy(cost_streams[i]);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"nothing starts before it was queued or before what it waits for has ended",
         nothing_starts_too_early},
        {"a copy engine does one thing at a time", an_engine_does_one_thing_at_a_time},
        {"no SM holds more than it can", no_sm_holds_more_than_it_can},
        {"work is conserved", work_is_conserved},
        {"room on an SM is used at once", room_is_used_at_once},
        {"equal programs have equal schedules", equal_programs_have_equal_schedules},
        {"waves", waves},
        {"the tail effect", tail},
        {"priorities", priorities},
        {"the limit of concurrent kernels", concurrent_kernels},
        {"a launch costs the same, whatever is queued", a_launch_costs_the_same},
    };
    return TAP_RUN(tests);
}
