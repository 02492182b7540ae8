/* sim.c - timing models of lab 5's kernels on the simulated GPU. */
#include "first.h"
#include "sim.h"

enum {
    TINY_NS = 1000,
    POLL_NS = 6500
}; /* A kernel that writes a word: assumed. A flag's way to the host and back: recorded, hold_kernel
      spins 6 to 15 us longer than the two launches take. */

static void tiny_plan(struct sim_launch *launch, struct sim_plan *plan) {
    (void)launch;
    plan->block_ns = TINY_NS;
}

static void first_effect(struct sim_launch *launch) {
    *SIM_ARG(launch, 0, int *) = 1;
}

static void other_effect(struct sim_launch *launch) {
    *SIM_ARG(launch, 0, int *) = 2;
}

SIM_KERNEL_MODEL(first_kernel, .arg_bytes = {8}, .registers = 16, .plan = tiny_plan,
                 .effect = first_effect);
SIM_KERNEL_MODEL(other_kernel, .arg_bytes = {8}, .registers = 16, .plan = tiny_plan,
                 .effect = other_effect);

/* ---- clock_kernel(cycles, ns): the modelled clock is always the same ----------------------------
 */

static void clock_plan(struct sim_launch *launch, struct sim_plan *plan) {
    plan->block_ns = (double)SIM_ARG(launch, 0, int64_t) / sim_profile()->sm_clock_ghz;
}

static void clock_effect(struct sim_launch *launch) {
    *SIM_ARG(launch, 1, int64_t *) = launch->end_ns - launch->start_ns;
}

SIM_KERNEL_MODEL(clock_kernel, .arg_bytes = {8, 8}, .registers = 16, .plan = clock_plan,
                 .effect = clock_effect);

/* ---- hold_kernel(hold, limit_ns): until it is told to stop, or to its limit
 * ---------------------- */

static bool told_to_stop(const struct sim_launch *launch) {
    return SIM_ARG(launch, 0, struct hold *)->stop != 0;
}

static void hold_plan(struct sim_launch *launch, struct sim_plan *plan) {
    SIM_ARG(launch, 0, struct hold *)->started = 1;
    plan->block_ns = (double)SIM_ARG(launch, 1, int64_t);
    plan->wait_over = told_to_stop;
    plan->wait_poll_ns = POLL_NS;
}

static void hold_effect(struct sim_launch *launch) {
    SIM_ARG(launch, 0, struct hold *)->spun_ns = launch->end_ns - launch->start_ns;
}

SIM_KERNEL_MODEL(hold_kernel, .arg_bytes = {8, 8}, .registers = 16, .plan = hold_plan,
                 .effect = hold_effect);
