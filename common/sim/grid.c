/* grid.c - kernels on a device: which run, and where their blocks go. Waves, tails, and kernels
 * that share the device follow from the rules of sm.c and from these:
 *
 * - All blocks of a kernel are placed before any of a kernel that arrived later, unless the later
 *   one's stream has a higher priority. Measured on the H200: the second of two kernels starts
 *   when the first one's last wave leaves SMs free, and not before.
 * - A block goes to the SM that holds the fewest threads. Measured: two DGEMMs of 64 blocks each
 *   run beside each other on 132 SMs without slowing down. */
#include <math.h>
#include <stdlib.h>

#include "core.h"
#include "error.h"

static int waiting_kernels; /* running launches with a wait_over */

static void unlink_op(struct op **list, struct op *op) {
    while (*list && *list != op)
        list = &(*list)->next;
    if (*list)
        *list = op->next;
    op->next = NULL;
}

/* Higher priorities first (their numbers are lower), then in the order of arrival. */
static void insert_by_priority(struct op **list, struct op *op) {
    while (*list && (*list)->stream->priority <= op->stream->priority)
        list = &(*list)->next;
    op->next = *list;
    *list = op;
}

static void kernel_drained(void *what, unsigned version) {
    (void)version;
    op_end(what);
}

static void begin_placing(struct op *op);

void grid_ended(struct op *op) {
    struct sim_device *device = op->device;
    struct op **at = &device->running_list;
    while (*at != op)
        at = &(*at)->run.next_running;
    *at = op->run.next_running;
    device->running--;
    waiting_kernels -= op->run.plan.wait_over != NULL;
    if (device->waiting && device->running < sim_profile()->concurrent_kernels) {
        struct op *next = device->waiting;
        device->waiting = next->next;
        begin_placing(next);
    }
    if (op->run.plan.drain_ns >= 1)
        agenda_add(sim_now_ns() + llround(op->run.plan.drain_ns), kernel_drained, op, 0);
    else
        op_end(op);
}

/* One block to each SM that holds the fewest threads among those with room. */
static bool place_one_round(struct sim_device *device, struct op *op) {
    int sms = (int)sim_profile()->sms, fewest = INT32_MAX;
    for (int i = 0; i < sms; i++)
        if (device->sms[i].threads < fewest && sm_fits(&device->sms[i], op))
            fewest = device->sms[i].threads;
    for (int i = 0; i < sms && op->run.placed < op->run.blocks; i++)
        if (device->sms[i].threads == fewest && sm_fits(&device->sms[i], op))
            sm_place_block(&device->sms[i], op);
    return fewest != INT32_MAX;
}

static void place_kernels(struct sim_device *device) {
    while (device->placing) {
        struct op *op = device->placing;
        while (op->run.placed < op->run.blocks)
            if (!place_one_round(device, op))
                return; /* later kernels wait for this one's last block to be placed */
        unlink_op(&device->placing, op);
    }
}

void grid_place(struct sim_device *device) {
    if (!device->dirty)
        return;
    device->dirty = false;
    place_kernels(device);
    engine_room(device);
}

/* Ends the blocks of a kernel whose wait is over, once it has looked at the memory again. */
static void end_wait(struct op *op, double after_ns) {
    struct sim_device *device = op->device;
    int64_t end_ns = sim_now_ns() + llround(after_ns);
    op->run.plan.wait_over = NULL;
    op->run.plan.block_ns = after_ns; /* of blocks placed from now on */
    waiting_kernels--;
    for (int i = 0; i < (int)sim_profile()->sms; i++)
        sm_end_blocks_at(&device->sms[i], op, end_ns);
}

static void give_up(void *what, unsigned serial) {
    struct op *op = what;
    if (op->serial == serial && op->run.plan.wait_over)
        end_wait(op, 0);
}

/* The plan is made here and not at the launch: what it reads from memory is there only now. */
static void begin_placing(struct op *op) {
    struct kernel_run *run = &op->run;
    run->launch.start_ns = sim_now_ns();
    run->launch.model->plan(&run->launch, &run->plan);
    run->uniform = !run->plan.block_ns_of;
    if (run->plan.keep_blocks) {
        run->kept = calloc((size_t)run->blocks, sizeof *run->kept);
        if (!run->kept)
            die(EXIT_ENVIRONMENT, "simulated GPU: out of host memory; use fewer blocks");
    }
    waiting_kernels += run->plan.wait_over != NULL;
    if (run->plan.wait_over && run->plan.give_up_ns > 0)
        agenda_add_give_up(run->launch.start_ns + llround(run->plan.give_up_ns), give_up, op,
                           op->serial);
    op->device->running++;
    run->next_running = op->device->running_list;
    op->device->running_list = op;
    insert_by_priority(&op->device->placing, op);
    op->device->dirty = true;
}

/* A device runs so many kernels at a time and no more (programming guide: concurrent kernels,
 * table of maximum resident grids). */
void grid_ready(struct op *op) {
    if (op->device->running < sim_profile()->concurrent_kernels)
        begin_placing(op);
    else
        insert_by_priority(&op->device->waiting, op);
}

const struct sim_block *sim_block_of(const struct sim_launch *launch, long block) {
    const struct kernel_run *run =
        (const struct kernel_run *)((const char *)launch - offsetof(struct kernel_run, launch));
    return run->kept ? &run->kept[block] : NULL;
}

void grid_poll_waits(void) {
    if (waiting_kernels == 0)
        return;
    for (int i = 0; i < device_count(); i++) {
        struct op *next;
        for (struct op *op = device_at(i)->running_list; op; op = next) {
            next = op->run.next_running;
            if (op->started && op->run.plan.wait_over && op->run.plan.wait_over(&op->run.launch))
                end_wait(op, op->run.plan.wait_poll_ns);
        }
    }
}
