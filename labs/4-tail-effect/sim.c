/* sim.c - timing models of lab 4's kernels on the simulated GPU. */
#include <stdlib.h>

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

/* ---- persistent_kernel(cycles, pieces, next, stamps, guard) ------------------------------------
 */

/* Which block takes which piece, and when: each takes the next one as soon as it is free. All
 * blocks of the grid are taken to start together, as they do if they fit on the device at once. */
struct schedule {
    double *busy_ns;  /* of each block, when all pieces are taken */
    double *start_ns; /* of each piece, from its block's start */
    int *block;       /* of each piece */
};

static double persistent_block_ns(const struct sim_launch *launch, long block) {
    return ((const struct schedule *)launch->state)->busy_ns[block];
}

static void persistent_plan(struct sim_launch *launch, struct sim_plan *plan) {
    const int64_t *cycles = SIM_ARG(launch, 0, const int64_t *);
    int pieces = SIM_ARG(launch, 1, int), blocks = launch->grid[0];
    struct schedule *schedule = malloc(sizeof *schedule);
    schedule->busy_ns = calloc((size_t)blocks, sizeof *schedule->busy_ns);
    schedule->start_ns = calloc((size_t)pieces, sizeof *schedule->start_ns);
    schedule->block = calloc((size_t)pieces, sizeof *schedule->block);
    for (int i = 0; i < pieces; i++) {
        int free = 0;
        for (int b = 1; b < blocks; b++)
            if (schedule->busy_ns[b] < schedule->busy_ns[free])
                free = b;
        schedule->block[i] = free;
        schedule->start_ns[i] = schedule->busy_ns[free];
        schedule->busy_ns[free] += spin_ns(cycles[i]);
    }
    launch->state = schedule;
    plan->block_ns_of = persistent_block_ns;
    plan->keep_blocks = true;
}

static void persistent_effect(struct sim_launch *launch) {
    const int64_t *cycles = SIM_ARG(launch, 0, const int64_t *);
    int pieces = SIM_ARG(launch, 1, int);
    struct stamp *stamps = SIM_ARG(launch, 3, struct stamp *);
    struct schedule *schedule = launch->state;
    *SIM_ARG(launch, 2, int *) +=
        pieces + launch->grid[0]; /* each block asks once more at the end */
    for (int i = 0; i < pieces; i++) {
        const struct sim_block *block = sim_block_of(launch, schedule->block[i]);
        double end_ns = schedule->start_ns[i] + spin_ns(cycles[i]);
        stamps[i] =
            (struct stamp){block->start_ns + (int64_t)schedule->start_ns[i],
                           block->start_ns + (int64_t)end_ns, block->sm, schedule->block[i]};
    }
    free(schedule->busy_ns);
    free(schedule->start_ns);
    free(schedule->block);
    free(schedule);
}

SIM_KERNEL_MODEL(persistent_kernel, .arg_bytes = {8, 4, 8, 8, 8}, .registers = 18,
                 .static_shared_bytes = 4, .plan = persistent_plan, .effect = persistent_effect);
