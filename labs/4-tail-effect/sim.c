/* sim.c - timing models of lab 4's kernels on the simulated GPU. */
#include <stdlib.h>

#include "items.h"
#include "sim.h"
#include "stamp.h"

/* Cycles of the SM clock as ns. */
static double spin_ns(int64_t cycles) {
    return (double)cycles / sim_profile()->sm_clock_ghz;
}

/* ---- stamp_kernel(cycles, stamps, guard): block i spins cycles[i] ------------------------------
 */

static double stamp_block_ns(const struct sim_launch *launch, long block) {
    return spin_ns(SIM_ARG(launch, 0, const int64_t *)[block]);
}

static void stamp_plan(struct sim_launch *launch, struct sim_plan *plan) {
    (void)launch;
    plan->block_ns_of = stamp_block_ns;
    plan->keep_blocks = true;
}

static void stamp_effect(struct sim_launch *launch) {
    struct stamp *stamps = SIM_ARG(launch, 1, struct stamp *);
    for (int i = 0; i < launch->grid[0]; i++) {
        const struct sim_block *block = sim_block_of(launch, i);
        stamps[i] = (struct stamp){block->start_ns, block->end_ns, block->sm, i};
    }
}

SIM_KERNEL_MODEL(stamp_kernel, .arg_bytes = {8, 8, 8}, .registers = 18, .plan = stamp_plan,
                 .effect = stamp_effect);

/* ---- persistent_kernel(cycles, pieces, next, stamps, guard) ---------------------------------- */

/* Which block takes which piece, and when: each takes the next one as soon as it is free. All
 * blocks of the grid are taken to start together, as they do if they fit on the device at once. */
struct schedule {
    int first, pieces;
    double *busy_ns;  /* of each block, when all pieces are taken */
    double *start_ns; /* of each piece, from its block's start */
    int *block;       /* of each piece */
};

/* For pieces first .. pieces - 1 of cycles[i] each, or of each_cycles if cycles is NULL. */
static struct schedule *schedule_new(const int64_t *cycles, int64_t each_cycles, int first,
                                     int pieces, int blocks) {
    struct schedule *schedule = malloc(sizeof *schedule);
    schedule->first = first;
    schedule->pieces = pieces;
    schedule->busy_ns = calloc((size_t)blocks, sizeof *schedule->busy_ns);
    schedule->start_ns = calloc((size_t)pieces + 1, sizeof *schedule->start_ns);
    schedule->block = calloc((size_t)pieces + 1, sizeof *schedule->block);
    for (int i = first; i < pieces; i++) {
        int free = 0;
        for (int b = 1; b < blocks; b++)
            if (schedule->busy_ns[b] < schedule->busy_ns[free])
                free = b;
        schedule->block[i] = free;
        schedule->start_ns[i] = schedule->busy_ns[free];
        schedule->busy_ns[free] += spin_ns(cycles ? cycles[i] : each_cycles);
    }
    return schedule;
}

static void schedule_free(struct schedule *schedule) {
    free(schedule->busy_ns);
    free(schedule->start_ns);
    free(schedule->block);
    free(schedule);
}

static double scheduled_block_ns(const struct sim_launch *launch, long block) {
    return ((const struct schedule *)launch->state)->busy_ns[block];
}

static struct stamp scheduled_stamp(const struct sim_launch *launch, int piece, int64_t cycles) {
    const struct schedule *schedule = launch->state;
    const struct sim_block *block = sim_block_of(launch, schedule->block[piece]);
    double start_ns = schedule->start_ns[piece];
    return (struct stamp){block->start_ns + (int64_t)start_ns,
                          block->start_ns + (int64_t)(start_ns + spin_ns(cycles)), block->sm,
                          schedule->block[piece]};
}

static void persistent_plan(struct sim_launch *launch, struct sim_plan *plan) {
    launch->state = schedule_new(SIM_ARG(launch, 0, const int64_t *), 0, 0, SIM_ARG(launch, 1, int),
                                 launch->grid[0]);
    plan->block_ns_of = scheduled_block_ns;
    plan->keep_blocks = true;
}

static void persistent_effect(struct sim_launch *launch) {
    const int64_t *cycles = SIM_ARG(launch, 0, const int64_t *);
    int pieces = SIM_ARG(launch, 1, int);
    /* Each block asks once more at the end. */
    *SIM_ARG(launch, 2, int *) += pieces + launch->grid[0];
    for (int i = 0; i < pieces; i++)
        SIM_ARG(launch, 3, struct stamp *)[i] = scheduled_stamp(launch, i, cycles[i]);
    schedule_free(launch->state);
}

SIM_KERNEL_MODEL(persistent_kernel, .arg_bytes = {8, 4, 8, 8, 8}, .registers = 18,
                 .static_shared_bytes = 4, .plan = persistent_plan, .effect = persistent_effect);

/* ---- the exercise: range_kernel(items, first, per_block), counter_kernel(items, next) -------- */

static bool right_size(const struct sim_launch *launch) {
    return launch->block[0] == ITEM_THREADS;
}

static void do_item(const struct items *items, int i, struct stamp stamp) {
    items->stamps[i] = stamp;
    items->word[i] = item_done(items->word[i], items->key);
}

/* The first item of a block; the block before it ends there. */
static int64_t first_of(const struct sim_launch *launch, long block) {
    int64_t first = SIM_ARG(launch, 1, int) + (int64_t)block * SIM_ARG(launch, 2, int);
    int64_t n = SIM_ARG(launch, 0, struct items).n;
    return first < 0 ? 0 : first < n ? first : n;
}

static double range_block_ns(const struct sim_launch *launch, long block) {
    int64_t items = first_of(launch, block + 1) - first_of(launch, block);
    return items < 0 ? 0 : (double)items * spin_ns(SIM_ARG(launch, 0, struct items).item_cycles);
}

static void items_plan(struct sim_plan *plan,
                       double (*block_ns_of)(const struct sim_launch *, long)) {
    plan->block_ns_of = block_ns_of;
    plan->keep_blocks = true;
}

static void range_plan(struct sim_launch *launch, struct sim_plan *plan) {
    if (right_size(launch))
        items_plan(plan, range_block_ns);
}

static void range_effect(struct sim_launch *launch) {
    struct items items = SIM_ARG(launch, 0, struct items);
    double item_ns = spin_ns(items.item_cycles);
    if (!right_size(launch))
        return;
    for (int b = 0; b < launch->grid[0]; b++) {
        const struct sim_block *block = sim_block_of(launch, b);
        int64_t begin = first_of(launch, b), end = first_of(launch, b + 1);
        for (int64_t i = begin; i < end; i++) {
            int64_t start_ns = block->start_ns + (int64_t)((double)(i - begin) * item_ns);
            do_item(&items, (int)i,
                    (struct stamp){start_ns, start_ns + (int64_t)item_ns, block->sm, b});
        }
    }
}

SIM_KERNEL_MODEL(range_kernel, .arg_bytes = {sizeof(struct items), 4, 4}, .registers = 24,
                 .plan = range_plan, .effect = range_effect);

static void counter_plan(struct sim_launch *launch, struct sim_plan *plan) {
    struct items items = SIM_ARG(launch, 0, struct items);
    int *next = SIM_ARG(launch, 1, int *), first = items.n;
    if (right_size(launch) && sim_address_valid(next, sizeof *next) && *next >= 0 &&
        *next < items.n) {
        first = *next;
        *next = items.n + launch->grid[0]; /* each block asks once more at the end */
    }
    launch->state = schedule_new(NULL, items.item_cycles, first, items.n, launch->grid[0]);
    items_plan(plan, scheduled_block_ns);
}

static void counter_effect(struct sim_launch *launch) {
    struct items items = SIM_ARG(launch, 0, struct items);
    struct schedule *schedule = launch->state;
    for (int i = schedule->first; i < schedule->pieces; i++)
        do_item(&items, i, scheduled_stamp(launch, i, items.item_cycles));
    schedule_free(schedule);
}

SIM_KERNEL_MODEL(counter_kernel, .arg_bytes = {sizeof(struct items), 8}, .registers = 24,
                 .static_shared_bytes = 4, .plan = counter_plan, .effect = counter_effect);
