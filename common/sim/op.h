/* op.h - what is to be done, and when: the agenda, the clock, and operations on a device. Part of
 * core.h. */
#ifndef SIM_OP_H
#define SIM_OP_H

#include "sim.h"
#include "timeline.h"

/* ---- agenda.c ---- */
/* A thing to do at a time. `version` lets the receiver see that the event is out of date. */
typedef void agenda_fn(void *what, unsigned version);
void agenda_add(int64_t at_ns, agenda_fn *fn, void *what, unsigned version);
/* A kernel that waits for the host gives up at this time, if it still runs. Such events alone do
 * not make anything happen: agenda_only_gives_up is true when nothing else is to come. */
void agenda_add_give_up(int64_t at_ns, agenda_fn *fn, void *what, unsigned version);
bool agenda_only_gives_up(void);
int64_t agenda_next_ns(void); /* INT64_MAX when empty */
/* Runs everything due at the next instant, then lets the devices place blocks and copies. */
void agenda_run_next(void);

/* ---- clock.c ---- */
void clock_set_now(int64_t now_ns); /* agenda.c only */
/* Waits until over(what): the CPU clock runs unless `blocking`. Dies if that can never be. */
typedef bool over_fn(const void *what);
void host_wait(over_fn *over, const void *what, bool blocking);
/* A host function runs on the driver's thread: its own clock starts at the virtual time now.
 * lane: its stream, for the message if it does not return, which ends the program. */
void host_function_begin(int lane);
int64_t host_function_end(void); /* ns that passed in it */
bool in_host_function(void);

/* ---- work: what is to be done, in a stream or as a node of a graph ---- */
enum work_kind {
    WORK_KERNEL,
    WORK_COPY,
    WORK_MEMSET,
    WORK_HOST,
    WORK_EVENT,
    WORK_EMPTY,
    WORK_FREE
};

struct kernel_work {
    struct sim_kernel_model *model;
    int grid[3], block[3];
    size_t dynamic_shared_bytes;
    unsigned char *args; /* the arguments one after another, each aligned to 8; owned */
    size_t args_bytes;
};

struct copy_work {
    unsigned char *dst;
    const unsigned char *src;
    size_t width, height, dst_pitch, src_pitch; /* height 1: pitches are not used */
    enum span_kind kind;
    enum memory_kind src_kind, dst_kind;
    int src_device, dst_device;
    size_t through_host_bytes; /* not 0: the end of a copy of that many bytes, staged in the host */
};

struct memset_work {
    unsigned char *dst;
    size_t width, height, pitch; /* width in elements */
    unsigned value, element_bytes;
    enum memory_kind kind;
};

struct host_work {
    cudaHostFn_t function; /* or */
    cudaStreamCallback_t callback;
    void *data;
};

struct work {
    enum work_kind kind;
    union {
        struct kernel_work kernel;
        struct copy_work copy;
        struct memset_work memset;
        struct host_work host;
        struct event *event;
        void *free_address;
    };
};

/* ---- op.c: an operation on a device ---- */
struct op;
struct edge {
    struct op *to;
    struct edge *next;
};

struct kernel_run {
    struct sim_launch launch;
    struct sim_plan plan;
    void *args[SIM_MAX_ARGS];
    long blocks, placed, ended;
    int block_threads, block_registers;
    size_t block_shared_bytes;
    bool uniform; /* all blocks last alike */
    struct sim_block *kept;
    struct op *next_running;
};

/* A pageable H2D goes chunk by chunk through the driver's staging buffers. */
struct staged_chunk {
    unsigned char *data; /* NULL: never written, reads as zeros */
    bool arrived;        /* the bytes are where they go already */
    size_t offset, bytes;
};
struct staging {
    bool used;
    struct staged_chunk *ring;
    unsigned char *written; /* the state of the source's pages: struct page_map */
    int slots;
    long chunks, staged, sent;
};

struct op {
    struct work work;
    struct sim_device *device;
    struct stream *stream;
    int lane; /* the tracer's number for the stream */
    bool in_graph, traced;
    uint32_t correlation;
    unsigned serial; /* not that of any other operation */
    int waiting;     /* operations that must end first, + 1 until submitted */
    struct edge *dependents;
    int64_t queued_ns, ready_ns, start_ns, end_ns;
    bool started;
    unsigned char *snapshot; /* pageable H2D small enough to travel with the command */
    struct staging staging;
    struct kernel_run run;
    struct op *next;      /* in the queue that holds it */
    bool *ended;          /* if not NULL, set when it has ended: the host waits for it */
    struct op **named_by; /* if not NULL, set to NULL when it has ended */
};

struct op *op_new(const struct work *work, struct stream *stream, bool in_graph);
/* `op` starts only after `earlier` has ended; nothing if earlier is NULL. Before op_submit. */
void op_after(struct op *op, struct op *earlier);
void op_submit(struct op *op); /* queued now */
/* Called by sm.c, engine.c: the operation has the device, or is done with it. */
void op_start(struct op *op);
void op_end(struct op *op);
const char *op_name(const struct op *op);
size_t work_bytes(const struct work *work);

/* For tests: called at the life's stations if set. */
enum op_station { OP_QUEUED, OP_STARTED, OP_ENDED };
extern void (*op_watch)(const struct op *op, enum op_station station);

#endif
