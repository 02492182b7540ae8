/* transform.c - the timing model of the exercises' kernel, and what it does to memory. */
#include "sim.h"
#include "transform.h"

static void plan(struct sim_launch *launch, struct sim_plan *plan) {
    struct transform transform = SIM_ARG(launch, 2, struct transform);
    plan->block_ns = (double)transform.block_cycles / sim_profile()->sm_clock_ghz;
}

static void effect(struct sim_launch *launch) {
    uint32_t *data = SIM_ARG(launch, 0, uint32_t *);
    size_t words = SIM_ARG(launch, 1, size_t);
    struct transform transform = SIM_ARG(launch, 2, struct transform);
    size_t reached = (size_t)launch->grid[0] * TRANSFORM_WORDS;
    if (words > reached)
        words = reached;
    if (words > 0 && !sim_address_valid(data, words * sizeof *data)) {
        sim_fault(launch, cudaErrorIllegalAddress);
        return;
    }
    for (size_t i = 0; i < words; i++)
        data[i] = transformed(data[i], &transform);
}

SIM_KERNEL_MODEL(transform_kernel,
                 .arg_bytes = {sizeof(uint32_t *), sizeof(size_t), sizeof(struct transform)},
                 .registers = 24, .plan = plan, .effect = effect);
