/* sim.c - timing models of lab 6's kernels on the simulated GPU. Both are limited by memory. */
#include <stdlib.h>

#include "pattern.h"
#include "sim.h"

/* The grid is smaller than the device, so all blocks run at once and share the memory's rate: what
 * the profile gives for a memset is that of writing, and reading is taken to be as fast. */
static void memory_plan(struct sim_launch *launch, struct sim_plan *plan) {
    double bytes = 8 * (double)SIM_ARG(launch, 1, uint64_t);
    plan->block_ns = bytes / sim_profile()->memset_rate;
}

static void fill_effect(struct sim_launch *launch) {
    uint64_t *words = SIM_ARG(launch, 0, uint64_t *);
    uint64_t n = SIM_ARG(launch, 1, uint64_t), seed = SIM_ARG(launch, 2, uint64_t);
    for (uint64_t i = 0; i < n; i++)
        words[i] = pattern_word(seed, i);
}

SIM_KERNEL_MODEL(fill_kernel, .arg_bytes = {8, 8, 8}, .registers = 24, .plan = memory_plan,
                 .effect = fill_effect);

static void count_wrong_effect(struct sim_launch *launch) {
    const uint64_t *words = SIM_ARG(launch, 0, const uint64_t *);
    uint64_t n = SIM_ARG(launch, 1, uint64_t), seed = SIM_ARG(launch, 2, uint64_t);
    unsigned long long *wrong_bytes = SIM_ARG(launch, 3, unsigned long long *);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t bits = words[i] ^ pattern_word(seed, i); bits; bits >>= 8)
            *wrong_bytes += (bits & 0xff) != 0;
}

SIM_KERNEL_MODEL(count_wrong_kernel, .arg_bytes = {8, 8, 8, 8}, .registers = 24,
                 .plan = memory_plan, .effect = count_wrong_effect);

/* This lab is about two GPUs: that many are simulated unless SIM_GPUS says otherwise. */
__attribute__((constructor)) static void two_gpus(void) {
    setenv("SIM_GPUS", "2", 0);
}
