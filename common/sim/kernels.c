/* kernels.c - timing models of the kernels all labs share (common/kernels.cu). A lab's own kernels
 * have theirs in labs/N-name/sim.c, written the same way: how long a block runs (plan), and what
 * the kernel leaves in memory (effect). */
#include <math.h>

#include "kernels.h"
#include "sim.h"

/* A spinning kernel gives up after the guard's limit, as the real one does. */
static int64_t limit_ns(const struct spin_guard *guard) {
    return sim_address_valid(guard, sizeof *guard) ? guard->limit_ns : INT64_MAX;
}

/* ---- sleep_kernel(cycles, guard) --------------------------------------------------------------
 */

static void sleep_plan(struct sim_launch *launch, struct sim_plan *plan) {
    double sleep_ns = (double)SIM_ARG(launch, 0, int64_t) / sim_profile()->sm_clock_ghz;
    plan->block_ns = fmax(0, fmin(sleep_ns, (double)limit_ns(SIM_ARG(launch, 1, void *))));
}

static void sleep_effect(struct sim_launch *launch) {
    struct spin_guard *guard = SIM_ARG(launch, 1, struct spin_guard *);
    double sleep_ns = (double)SIM_ARG(launch, 0, int64_t) / sim_profile()->sm_clock_ghz;
    if (sleep_ns > (double)limit_ns(guard))
        guard->timed_out = SPIN_SLEEP;
}

SIM_KERNEL_MODEL(sleep_kernel, .arg_bytes = {sizeof(int64_t), sizeof(struct spin_guard *)},
                 .registers = 18, .plan = sleep_plan, .effect = sleep_effect);

/* ---- gate_kernel(open, guard) -----------------------------------------------------------------
 */

/* One read of pinned host memory from a kernel: there and back over PCIe. Assumed. */
enum { POLL_NS = 800 };

static bool gate_is_open(const struct sim_launch *launch) {
    return *SIM_ARG(launch, 0, volatile int *) != 0;
}

/* A gate that nobody opens gives up after the guard's limit, as on a GPU; and if the host waits
 * where it could never open it, the simulator says so at once. */
static void gate_plan(struct sim_launch *launch, struct sim_plan *plan) {
    plan->block_ns = INFINITY;
    plan->wait_over = gate_is_open;
    plan->wait_poll_ns = POLL_NS;
    plan->give_up_ns = (double)limit_ns(SIM_ARG(launch, 1, void *));
}

static void gate_effect(struct sim_launch *launch) {
    struct spin_guard *guard = SIM_ARG(launch, 1, struct spin_guard *);
    if (launch->end_ns - launch->start_ns >= limit_ns(guard))
        guard->timed_out = SPIN_GATE;
}

SIM_KERNEL_MODEL(gate_kernel, .arg_bytes = {sizeof(volatile int *), sizeof(struct spin_guard *)},
                 .registers = 18, .plan = gate_plan, .effect = gate_effect);
