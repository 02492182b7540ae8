/* sm.c - blocks on SMs. Waves, tails, and kernels that share the device follow from three rules:
 *
 * - A block stays on the SM that it was given until it ends; an SM holds as many as its threads,
 *   registers, shared memory and block slots allow (CUDA C++ Programming Guide: hardware
 *   implementation; compute capability tables).
 * - All blocks of a kernel are placed before any of a kernel that arrived later, unless the later
 *   one's stream has a higher priority. Measured on the H200: the second of two kernels starts
 *   when the first one's last wave leaves SMs free, and not before.
 * - A block goes to the SM that holds the fewest threads. Measured: two DGEMMs of 64 blocks each
 *   run beside each other on 132 SMs without slowing down. */
#include <math.h>
#include <stdlib.h>

#include "core.h"
#include "error.h"

/* Blocks of one kernel that were placed on an SM together and end together. */
struct group {
    struct group *next;
    struct op *op;
    int count;
    int64_t end_ns;      /* by the clock; INT64_MAX: when told */
    double end_progress; /* sharing blocks: by the SM's progress */
    bool shares;
    long block; /* the first one's index */
};

static struct group *free_groups;
static int waiting_kernels; /* running launches with a wait_over */

static struct group *group_new(void) {
    enum { SLAB = 256 };
    if (!free_groups) {
        struct group *slab = calloc(SLAB, sizeof *slab);
        if (!slab)
            die(EXIT_ENVIRONMENT, "simulated GPU: out of host memory; close other programs");
        for (int i = 0; i < SLAB; i++) {
            slab[i].next = free_groups;
            free_groups = &slab[i];
        }
    }
    struct group *group = free_groups;
    free_groups = group->next;
    return group;
}

void sm_init(struct sim_device *device) {
    int sms = (int)sim_profile()->sms;
    device->sms = calloc((size_t)sms, sizeof *device->sms);
    if (!device->sms)
        die(EXIT_ENVIRONMENT, "simulated GPU: out of host memory; close other programs");
}

static double slowdown(const struct sm *sm) {
    return sm->share > 1 ? sm->share : 1;
}

/* Brings the SM's progress up to now, at the speed its blocks have had since. */
static void advance(struct sm *sm) {
    int64_t now_ns = sim_now_ns();
    sm->progress_ns += (double)(now_ns - sm->since_ns) / slowdown(sm);
    sm->since_ns = now_ns;
}

static void sm_event(void *what, unsigned version);

static int64_t group_end_ns(const struct sm *sm, const struct group *group) {
    if (!group->shares)
        return group->end_ns;
    double left_ns = (group->end_progress - sm->progress_ns) * slowdown(sm);
    return sm->since_ns + (left_ns > 0 ? (int64_t)ceil(left_ns - 1e-6) : 0);
}

static void schedule_next_end(struct sm *sm) {
    int64_t next_ns = INT64_MAX;
    for (const struct group *group = sm->groups; group; group = group->next) {
        int64_t end_ns = group_end_ns(sm, group);
        if (end_ns < next_ns)
            next_ns = end_ns;
    }
    sm->version++;
    if (next_ns != INT64_MAX)
        agenda_add(next_ns, sm_event, sm, sm->version);
}

static void occupy(struct sm *sm, const struct op *op, int blocks) {
    const struct kernel_run *run = &op->run;
    sm->blocks += blocks;
    sm->threads += blocks * run->block_threads;
    sm->registers += blocks * run->block_registers;
    sm->shared_bytes += (size_t)blocks * run->block_shared_bytes;
    sm->share += blocks * run->plan.sm_share;
}

static void unoccupy(struct sm *sm, const struct op *op, int blocks) {
    const struct kernel_run *run = &op->run;
    sm->shared_bytes -= (size_t)blocks * run->block_shared_bytes;
    sm->blocks -= blocks;
    sm->threads -= blocks * run->block_threads;
    sm->registers -= blocks * run->block_registers;
    sm->share -= blocks * run->plan.sm_share;
    if (sm->blocks == 0)
        sm->share = sm->progress_ns = 0; /* no rounding is carried over: times can be compared */
}

static bool fits(const struct sm *sm, const struct op *op) {
    const struct sim_profile *profile = sim_profile();
    const struct kernel_run *run = &op->run;
    return sm->blocks < profile->sm_blocks &&
           sm->threads + run->block_threads <= profile->sm_threads &&
           sm->registers + run->block_registers <= profile->sm_registers &&
           (double)(sm->shared_bytes + run->block_shared_bytes) <= profile->sm_shared_bytes;
}

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

static void kernel_left_device(struct op *op) {
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

static void end_blocks(struct sm *sm, struct group *group) {
    struct op *op = group->op;
    unoccupy(sm, op, group->count);
    op->device->dirty = true;
    op->run.ended += group->count;
    if (op->run.kept)
        op->run.kept[group->block].end_ns = sim_now_ns();
    group->next = free_groups;
    free_groups = group;
    if (op->run.ended == op->run.blocks)
        kernel_left_device(op);
}

static void sm_event(void *what, unsigned version) {
    struct sm *sm = what;
    if (version != sm->version)
        return;
    int64_t now_ns = sim_now_ns();
    advance(sm);
    for (struct group **at = &sm->groups; *at;) {
        struct group *group = *at;
        if (group_end_ns(sm, group) > now_ns) {
            at = &group->next;
            continue;
        }
        *at = group->next;
        end_blocks(sm, group);
    }
    schedule_next_end(sm);
}

static double block_ns(const struct op *op, long block) {
    const struct sim_plan *plan = &op->run.plan;
    double ns = plan->block_ns_of ? plan->block_ns_of(&op->run.launch, block) : plan->block_ns;
    return ns > 1 ? ns : 1;
}

/* True if the block went into a group of blocks that end when it does. */
static bool joins(struct group *group, const struct op *op, double end_progress, int64_t end_ns) {
    if (!group || group->op != op || !op->run.uniform || op->run.kept)
        return false;
    if (group->shares ? group->end_progress != end_progress : group->end_ns != end_ns)
        return false;
    group->count++;
    return true;
}

static void place_block(struct sm *sm, struct op *op) {
    struct kernel_run *run = &op->run;
    int64_t now_ns = sim_now_ns();
    double ns = block_ns(op, run->placed);
    bool shares = run->plan.sm_share > 0;
    int64_t end_ns = isinf(ns) ? INT64_MAX : now_ns + llround(ns);
    advance(sm);
    occupy(sm, op, 1);
    if (run->kept) {
        run->kept[run->placed].sm = (int)(sm - op->device->sms);
        run->kept[run->placed].start_ns = now_ns;
    }
    bool joined = joins(sm->groups, op, sm->progress_ns + ns, end_ns);
    if (!joined) {
        struct group *group = group_new();
        *group = (struct group){.next = sm->groups,
                                .op = op,
                                .count = 1,
                                .end_ns = end_ns,
                                .end_progress = sm->progress_ns + ns,
                                .shares = shares,
                                .block = run->placed};
        sm->groups = group;
    }
    if (run->placed++ == 0)
        op_start(op);
    if (!joined || shares)
        schedule_next_end(sm);
}

/* One block to each SM that holds the fewest threads among those with room. */
static bool place_one_round(struct sim_device *device, struct op *op) {
    int sms = (int)sim_profile()->sms, fewest = INT32_MAX;
    for (int i = 0; i < sms; i++)
        if (device->sms[i].threads < fewest && fits(&device->sms[i], op))
            fewest = device->sms[i].threads;
    for (int i = 0; i < sms && op->run.placed < op->run.blocks; i++)
        if (device->sms[i].threads == fewest && fits(&device->sms[i], op))
            place_block(&device->sms[i], op);
    return fewest != INT32_MAX;
}

void sm_place(struct sim_device *device) {
    if (!device->dirty)
        return;
    device->dirty = false;
    while (device->placing) {
        struct op *op = device->placing;
        while (op->run.placed < op->run.blocks)
            if (!place_one_round(device, op))
                return; /* later kernels wait for this one's last block to be placed */
        unlink_op(&device->placing, op);
    }
}

/* Ends the blocks of a kernel whose wait is over, once it has looked at the memory again. */
static void end_wait(struct op *op, double after_ns) {
    struct sim_device *device = op->device;
    int64_t end_ns = sim_now_ns() + llround(after_ns);
    op->run.plan.wait_over = NULL;
    op->run.plan.block_ns = after_ns; /* of blocks placed from now on */
    waiting_kernels--;
    for (int i = 0; i < (int)sim_profile()->sms; i++) {
        struct sm *sm = &device->sms[i];
        bool changed = false;
        for (struct group *group = sm->groups; group; group = group->next) {
            if (group->op != op || (!group->shares && group->end_ns <= end_ns))
                continue;
            group->shares = false;
            group->end_ns = end_ns;
            changed = true;
        }
        if (changed)
            schedule_next_end(sm);
    }
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
void sm_kernel_ready(struct op *op) {
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

void sm_poll_waits(void) {
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
