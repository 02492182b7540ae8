/* machine.h - the parts of a device: SMs, copy engines, kernels on it. Part of core.h. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "op.h"

/* ---- sm.c ---- */
struct sm {
    int threads, blocks, registers;
    size_t shared_bytes;
    double share;       /* asked for by the blocks on it; above 1 they slow down */
    double progress_ns; /* time as the sharing blocks live it */
    int64_t since_ns;   /* ... up to here */
    struct group *groups;
    unsigned version;
};

void sm_init(struct sim_device *device);
bool sm_fits(const struct sm *sm, const struct op *op); /* one more block of this kernel */
void sm_place_block(struct sm *sm, struct op *op);      /* the kernel's next one */
/* Blocks of this kernel that would go on for longer end at that time. */
void sm_end_blocks_at(struct sm *sm, const struct op *op, int64_t end_ns);

/* ---- engine.c ---- */
enum { ENGINE_H2D, ENGINE_D2H, ENGINE_D2D, ENGINE_MEMSET, ENGINES };
struct engine {
    struct op *op; /* what it works on */
    double remaining_ns, factor;
    int64_t since_ns;
    bool moving; /* false while it waits for the host to stage the next chunk */
    unsigned version;
    struct op *first, *last; /* waiting */
};

void engine_queue(struct op *op);
void engine_staged(struct op *op); /* another chunk of this operation has been staged */

/* A copy that the SMs carry waits for room on one of them: there may be some now. */
void engine_room(struct sim_device *device);

/* ---- first.c: what costs more the first time in a context ---- */
enum first {
    FIRST_MODULE,
    FIRST_LAUNCH,
    FIRST_EVENT,
    FIRST_HOST_FUNCTION,
    FIRST_CUBLAS,
    FIRST_PRODUCT,
    FIRST_PAGEABLE,
    FIRSTS
};
double first_ns(struct sim_device *device, enum first what); /* 0 if it is not the first time */
/* Memory comes in pieces of malloc_chunk_bytes, and what is left of one serves the next. */
enum pool { POOL_DEVICE, POOL_PINNED, POOLS };
bool pool_serves(struct sim_device *device, enum pool pool, size_t bytes);

/* ---- device.c ---- */
struct sim_device {
    int index;
    bool context;
    int contexts;       /* made so far */
    cudaError_t broken; /* a kernel's fault: every later call returns it */
    struct sm *sms;
    struct op *placing, *waiting; /* kernels with blocks to place; kernels over the limit */
    struct op *running_list;
    int running;
    int64_t front_free_ns, worker_free_ns;
    int64_t worker_awake_ns; /* until then the thread that runs host functions does not sleep */
    bool used[FIRSTS];
    size_t pool_bytes[POOLS]; /* left of the last piece */
    bool dirty;
    struct engine engines[ENGINES];
    struct stream *null_stream;
    struct stream *streams; /* the created ones, until destroyed and drained */
    long pending;           /* operations not ended */
    size_t used_bytes;
    unsigned peers; /* bit n: may access device n */
    unsigned flags; /* cudaDeviceSchedule... */
};

int device_count(void);
struct sim_device *device_at(int index);
struct sim_device *current_device(void);
cudaError_t device_need_context(struct sim_device *device);

/* ---- grid.c ---- */
void grid_ready(struct op *op);             /* the kernel may start as soon as there is room */
void grid_ended(struct op *op);             /* its last block has ended */
void grid_place(struct sim_device *device); /* places what blocks it can */
void grid_poll_waits(void);                 /* kernels that wait for memory to change: has it? */

#endif
