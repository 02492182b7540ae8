/* sim_split.c - what a program does must not depend on how it is split into functions: the same
 * random program, whole, and cut at random points into functions that call each other. Each run is
 * a process of its own that starts from the same state, so that what is slow the first time counts
 * too, and every number must be the same. */
#include <sys/mman.h>

#include "clock.h"
#include "random_program.h"

enum { PROGRAMS = 40, MOST_BLOCKS = 100000 };

/* What a run leaves behind, in memory that its parent sees. */
struct outcome {
    int ops, blocks, failed;
    int64_t wall_ns, cpu_ns;
    uint64_t answers;
    struct seen seen[MAX_OPS];
    struct placed placed[MOST_BLOCKS];
    unsigned char pinned[BUFFER_BYTES], device[BUFFER_BYTES];
};

/* ---- the program, split ----------------------------------------------------------------------
 */

static struct random_numbers cuts; /* where it is cut; not what it does */

/* Copies of one name: to a program that was linked from many files it makes no difference which. */
static const char names[3][8] = {"launch", "launch", "launch"};

/* The host's work is cut as well: its parts take as long together. */
static void work_in_parts(int ns) {
    while (ns > 0) {
        int part_ns = 1 + (int)any(&cuts, (unsigned)ns);
        sim_host_work(part_ns, true);
        ns -= part_ns;
    }
}

static __attribute__((noinline)) void by_itself(const struct step *step, struct objects *objects) {
    struct step own = *step; /* what a call was given by address ends with this function */
    if (step->kind == HOST)
        work_in_parts(step->host_ns);
    else
        do_step_as(names[1], &own, objects);
    memset(&own, 0xa5, sizeof own);
    __asm__ volatile("" : : "r"(&own) : "memory");
}

static __attribute__((noinline)) void one_by_one(int from, int to, struct objects *objects) {
    for (int i = from; i < to; i++)
        do_step_as(names[2], &program[i], objects);
}

/* Steps from..to, in functions of functions, each somewhere else on the stack. */
static __attribute__((noinline)) void in_pieces(int from, int to, struct objects *objects) {
    struct objects own = *objects;
    volatile unsigned char room[1 + any(&cuts, 5000)];
    memset((void *)room, 0x5a, sizeof room);
    if (to - from == 1) {
        by_itself(&program[from], &own);
    } else if (any(&cuts, 4) == 0) {
        one_by_one(from, to, &own);
    } else {
        int cut = from + 1 + (int)any(&cuts, (unsigned)(to - from - 1));
        in_pieces(from, cut, &own);
        in_pieces(cut, to, &own);
    }
    *objects = own;
}

/* ---- runs ------------------------------------------------------------------------------------
 */

static void run_whole(struct objects *objects) {
    for (int i = 0; i < STEPS; i++)
        do_step_as(names[0], &program[i], objects);
}

static void run_in_pieces(struct objects *objects) {
    in_pieces(0, STEPS, objects);
}

struct run {
    void (*steps)(struct objects *);
    struct outcome *outcome;
};

static void run_here(void *state) {
    const struct run *run = state;
    struct outcome *outcome = run->outcome;
    struct objects objects;
    prepare();
    for (int i = 0; i < BUFFER_BYTES; i++)
        pinned[i] = (unsigned char)(i * 7 + i / 251);
    make_objects(&objects);
    forget();
    tap_failed = 0; /* the parent's */
    op_watch = watch;
    run->steps(&objects);
    cudaDeviceSynchronize();
    op_watch = NULL;
    outcome->ops = seen_count;
    outcome->blocks = placed_count;
    outcome->failed = tap_failed;
    outcome->answers = answers;
    outcome->wall_ns = wall_ns();
    outcome->cpu_ns = cpu_ns();
    memcpy(outcome->seen, seen, (size_t)seen_count * sizeof *seen);
    memcpy(outcome->placed, placed,
           (size_t)(placed_count < MOST_BLOCKS ? placed_count : MOST_BLOCKS) * sizeof *placed);
    memcpy(outcome->pinned, pinned, BUFFER_BYTES);
    memcpy(outcome->device, device_memory, BUFFER_BYTES);
}

static struct outcome *shared_outcome(void) {
    void *memory = mmap(NULL, sizeof(struct outcome), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void expect_equal(const struct outcome *a, const struct outcome *b) {
    EXPECT(a->ops > STEPS / 2 && a->blocks > 100 && a->blocks <= MOST_BLOCKS);
    EXPECT_INT(a->failed + b->failed, 0);
    EXPECT_INT(b->ops, a->ops);
    EXPECT_INT(b->blocks, a->blocks);
    EXPECT_INT(b->wall_ns, a->wall_ns);
    EXPECT_INT(b->cpu_ns, a->cpu_ns);
    EXPECT(b->answers == a->answers);
    for (int i = 0; i < a->ops; i++)
        EXPECT(a->seen[i].queued_ns == b->seen[i].queued_ns &&
               a->seen[i].start_ns == b->seen[i].start_ns &&
               a->seen[i].end_ns == b->seen[i].end_ns && a->seen[i].lane == b->seen[i].lane &&
               a->seen[i].kind == b->seen[i].kind);
    for (int i = 0; i < a->blocks; i++)
        EXPECT(a->placed[i].sm == b->placed[i].sm &&
               a->placed[i].start_ns == b->placed[i].start_ns &&
               a->placed[i].end_ns == b->placed[i].end_ns);
    EXPECT(!memcmp(a->pinned, b->pinned, BUFFER_BYTES));
    EXPECT(!memcmp(a->device, b->device, BUFFER_BYTES));
}

static void split_programs(void) {
    struct outcome *whole = shared_outcome(), *split = shared_outcome();
    struct run run = {run_whole, whole}, split_run = {run_in_pieces, split};
    for (int seed = 1; seed <= PROGRAMS; seed++) {
        draw_program((uint64_t)seed);
        EXPECT_INT(tap_child(run_here, &run), 0);
        for (int way = 0; way < 3; way++) {
            cuts.state = 1000 * (uint64_t)seed + (uint64_t)way;
            split->ops = split->blocks = 0;
            EXPECT_INT(tap_child(run_here, &split_run), 0);
            expect_equal(whole, split);
        }
    }
}

/* The comparison above can fail: one step more, or another order, is another outcome. */
static void run_with_more_work(struct objects *objects) {
    sim_host_work(1, true);
    run_whole(objects);
}

static void run_swapped(struct objects *objects) {
    struct step first = program[0];
    program[0] = program[STEPS - 1];
    program[STEPS - 1] = first;
    run_whole(objects);
}

static void other_programs_differ(void) {
    struct outcome *whole = shared_outcome(), *other = shared_outcome();
    struct run run = {run_whole, whole};
    struct run others[] = {{run_with_more_work, other}, {run_swapped, other}};
    draw_program(1);
    EXPECT_INT(tap_child(run_here, &run), 0);
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(tap_child(run_here, &others[i]), 0);
        bool same = other->ops == whole->ops;
        for (int j = 0; same && j < whole->ops; j++)
            same = other->seen[j].start_ns == whole->seen[j].start_ns;
        EXPECT(!same);
    }
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a program split into functions does the same at the same times", split_programs},
        {"another program is told apart", other_programs_differ},
    };
    return TAP_RUN(tests);
}
