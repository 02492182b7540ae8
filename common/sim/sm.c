/* sm.c - one SM: the blocks on it, what they take of it, and when they end.
 *
 * A block stays on the SM that it was given until it ends; an SM holds as many as its threads,
 * registers, shared memory and block slots allow (CUDA C++ Programming Guide: hardware
 * implementation; compute capability tables). */
#include <math.h>

#include "core.h"

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

static struct group *group_new(void) {
    enum { SLAB = 256 };
    if (!free_groups) {
        struct group *slab = need_memory(SLAB, sizeof *slab);
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
    device->sms = need_memory((size_t)sms, sizeof *device->sms);
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

bool sm_fits(const struct sm *sm, const struct op *op) {
    const struct sim_profile *profile = sim_profile();
    const struct kernel_run *run = &op->run;
    return sm->blocks < profile->sm_blocks &&
           sm->threads + run->block_threads <= profile->sm_threads &&
           sm->registers + run->block_registers <= profile->sm_registers &&
           (double)(sm->shared_bytes + run->block_shared_bytes) <= profile->sm_shared_bytes;
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
        grid_ended(op);
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

void sm_place_block(struct sm *sm, struct op *op) {
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

void sm_end_blocks_at(struct sm *sm, const struct op *op, int64_t end_ns) {
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
