/* core.h - what the files of the simulator's core share.
 *
 *   agenda.c   what happens when: the heap of coming events
 *   clock.c    the host's virtual clocks; passing time, waiting, deadlock
 *   call.c     entering and leaving an API call: contexts, injected faults, spans
 *   op.c       an operation's life: queued, ready, started, ended
 *   sm.c       blocks on SMs         engine.c   copies on copy engines
 *   memory.c   allocations by address    pages.c   pages touched and never touched
 *   stream.c event.c launch.c copy.c memset.c graph.c capture.c device.c ...   the API
 *
 * Times are virtual ns in integers. Nothing here runs in parallel: a device makes progress only
 * inside a call that passes time on the host. */
#ifndef CORE_H
#define CORE_H

#include "sim.h"
#include "timeline.h"

enum { MAX_DEVICES = 16, WARP = 32, PAGE_BYTES = 4096 };

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
void clock_set_now(int64_t now_ns); /* agenda.c and op.c only */
/* Waits until over(what): the CPU clock runs unless `blocking`. `call` is named in a deadlock. */
typedef bool over_fn(const void *what);
void host_wait(over_fn *over, const void *what, bool blocking);
/* A host function runs on the driver's thread: its own clock starts at the virtual time now. */
void host_function_begin(void);
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
    unsigned char *written; /* pages_written of the source */
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

/* ---- device.c ---- */
struct sim_device {
    int index;
    bool context;
    cudaError_t broken; /* a kernel's fault: every later call returns it */
    struct sm *sms;
    struct op *placing, *waiting; /* kernels with blocks to place; kernels over the limit */
    struct op *running_list;
    int running;
    int64_t front_free_ns, worker_free_ns;
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

void sm_kernel_ready(struct op *op);
void sm_place(struct sim_device *device);
void sm_poll_waits(void); /* kernels that wait for memory to change: has it? */
void sm_init(struct sim_device *device);

/* ---- call.c ---- */
/* Every API function: if (call_enter("cudaX")) return call_leave(); ... return call_done(error); */
cudaError_t call_enter(const char *function);            /* makes the context */
cudaError_t call_enter_no_context(const char *function); /* works without one */
cudaError_t call_leave(void);                            /* the error call_enter gave */
cudaError_t call_done(cudaError_t error);
void call_cost(double ns);
void call_library_launches(void); /* a kernel is launched inside a library call */
const char *call_name(void);
uint32_t call_correlation(void);
cudaError_t last_error(bool clear);

/* fail.c: the error that SIM_FAIL or SIM_FAIL_NTH wants from this call, or cudaSuccess. */
cudaError_t fail_wanted(const char *function);

/* ---- handle.c: handles that can be checked ---- */
struct handles {
    size_t bytes;                   /* of one object; each starts with a struct handle */
    struct handle *oldest, *newest; /* free ones: the longest free is used first */
    long free_count;
    struct handle_slab *slabs;
};
struct handle {
    struct handles *of; /* NULL when not live */
    struct handle *next_free;
};
void *handle_new(struct handles *handles); /* zeroed */
void handle_free(void *object);
bool handle_live(struct handles *handles, const void *object);

/* ---- capture.c ---- */
struct node;
struct node_set {
    struct node **nodes;
    int count;
};
void node_set_free(struct node_set *set);

/* ---- stream.c ---- */
struct stream {
    struct handle handle;
    struct sim_device *device;
    int number; /* the tracer's */
    unsigned flags;
    int priority;
    bool null_stream, destroyed;
    struct op *tail; /* the last operation, if it has not ended */
    long pending;
    struct capture *capture;  /* NULL unless it is being captured */
    struct node_set captured; /* what the next captured work comes after */
    struct stream *next;
};

int new_lane(void);
cudaError_t stream_of(cudaStream_t handle, struct stream **stream);
/* A new operation at the end of the stream, for the caller to op_submit; waits while the stream's
 * queue is full. NULL with *error cudaSuccess if the stream is being captured (the work is then in
 * the graph), NULL with an error otherwise. */
struct op *stream_op(struct stream *stream, const struct work *work, cudaError_t *error);
/* The same, submitted. */
cudaError_t stream_queue(struct stream *stream, const struct work *work);
/* Submits the operation and waits until it has ended. */
void stream_run(struct op *op);
void stream_op_ended(struct op *op);
bool stream_idle(const void *stream);
void stream_wait(struct stream *stream); /* until idle; the NULL stream: and those it waits for */
void stream_init_null(struct sim_device *device);
void streams_reset(struct sim_device *device); /* destroys them all; the device is idle */
bool device_idle(const void *device);
bool waits_block(const struct sim_device *device);

/* ---- event.c ---- */
struct event {
    struct handle handle;
    struct sim_device *device;
    unsigned flags;
    bool recorded, destroyed;
    struct op *op; /* the last record, if it has not ended */
    int64_t time_ns;
    unsigned long long capture_id; /* recorded in a stream under capture; else 0 */
    struct node_set captured;
};
void event_op_ended(struct op *op);
cudaError_t event_wait_in(struct stream *stream, cudaEvent_t handle);

/* ---- memory.c ---- */
struct allocation {
    unsigned char *base;
    size_t bytes, mapped_bytes; /* mapped_bytes 0: from the C library, or registered */
    enum memory_kind kind;
    int device;
    bool registered, freeing;
    unsigned flags;
};
struct allocation *memory_find(const void *address); /* NULL: pageable, or not valid */
/* The new allocation, or NULL: over the device's memory, or out of host memory. */
struct allocation *memory_new(size_t bytes, enum memory_kind kind, int device);
struct allocation *memory_add(void *base, size_t bytes); /* memory that is the program's own */
bool memory_overlaps(const void *base, size_t bytes);
void memory_release(void *base);
void memory_reset(struct sim_device *device);
bool memory_is_mapped(const void *address); /* by us, page by page */

/* ---- pages.c ---- */
/* Moves bytes as memmove does, without touching pages that were never written. */
void pages_move(unsigned char *dst, const unsigned char *src, size_t bytes);
void pages_zero(unsigned char *dst, size_t bytes);
/* How many 4 KiB pages of pageable memory a read or write of it touches for the first time; they
 * count as touched from now on. */
long pages_first_touch(const void *address, size_t bytes, bool write);
/* Which pages of the range were ever written, and whether a part of it was. Owned; NULL if that
 * cannot be told: then every part counts as written. */
unsigned char *pages_written(const void *address, size_t bytes);
bool pages_part_written(const unsigned char *written, const void *address, size_t offset,
                        size_t bytes);

/* ---- model.c ---- */
int block_thread_slots(int threads); /* what a block takes of an SM */
int block_registers(const struct sim_kernel_model *model, int threads);
size_t block_shared_bytes(const struct sim_kernel_model *model, size_t dynamic_bytes);

/* ---- launch.c ---- */
struct sim_kernel_model *model_of(const void *function); /* dies with advice if there is none */
cudaError_t kernel_work_new(struct kernel_work *kernel, struct sim_kernel_model *model, dim3 grid,
                            dim3 block, void **args, size_t shared);
void kernel_run_init(struct op *op);
void work_copy(struct work *to, const struct work *from); /* copies what it owns */
void work_free(struct work *work);
void load_module(struct sim_device *device, struct sim_kernel_model *model);
void load_all_modules(struct sim_device *device);
void unload_modules(struct sim_device *device);

/* ---- copy.c ---- */
cudaError_t copy_work_new(struct copy_work *copy, void *dst, size_t dst_pitch, const void *src,
                          size_t src_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
double copy_duration_ns(const struct op *op); /* on the device */
void copy_effect(struct op *op);
bool copy_is_peer_to_peer(const struct copy_work *copy); /* or through the host */
cudaError_t memset_work_new(struct memset_work *memset, void *dst, size_t pitch, unsigned value,
                            unsigned element_bytes, size_t width, size_t height);
void memset_effect(const struct memset_work *memset);
double memset_duration_ns(const struct op *op);

/* ---- capture.c, again ---- */
cudaError_t capture_work(struct stream *stream, const struct work *work);
cudaError_t capture_event_record(struct stream *stream, struct event *event);
cudaError_t capture_event_wait(struct stream *stream, struct event *event);
/* cudaErrorStreamCaptureUnsupported, and the capture is invalid, if any stream is captured. */
cudaError_t capture_forbids(void);
cudaError_t capture_forbids_stream(struct stream *stream);

/* ---- tracer.c ---- */
bool tracer_on(void);
void tracer_call(const char *function, uint32_t correlation, int64_t start_ns, int64_t end_ns);
void tracer_op(const struct op *op);
double tracer_extra_ns(bool launch); /* what tracing adds to a call that queues work */

#endif
