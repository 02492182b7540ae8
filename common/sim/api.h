/* api.h - what the API functions share: calls, handles, streams, events, capture, tracing. Part of
 * core.h. */
#ifndef SIM_API_H
#define SIM_API_H

#include "op.h"

/* ---- call.c ---- */
/* Every API function: if (call_enter("cudaX")) return call_leave(); ... return call_done(error); */
cudaError_t call_enter(const char *function);            /* makes the context */
cudaError_t call_enter_no_context(const char *function); /* works without one */
cudaError_t call_leave(void);                            /* the error call_enter gave */
cudaError_t call_done(cudaError_t error);
void call_cost(double ns);
void call_cost_queueing(double ns); /* of a launch or a copy: more after a long wait */
void call_waited(int64_t ns);       /* the host has waited that long */
void call_library_launches(void);   /* a kernel is launched inside a library call */
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

/* The nodes of a graph that what is captured next comes after: capture.c. */
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
/* For calls that a stream under capture does not allow. */
cudaError_t stream_outside_capture(cudaStream_t handle, struct stream **stream);
/* A new operation at the end of the stream, for the caller to op_submit; waits while the stream's
 * queue is full. NULL with *error cudaSuccess if the stream is being captured (the work is then in
 * the graph), NULL with an error otherwise. */
struct op *stream_op(struct stream *stream, const struct work *work, cudaError_t *error);
/* The same, submitted. */
cudaError_t stream_queue(struct stream *stream, const struct work *work);
/* Submits the operation and waits until it has ended. */
void stream_run(struct op *op);
void stream_op_ended(struct op *op);
void stream_wait(struct stream *stream); /* until idle; the NULL stream: and those it waits for */
void stream_init_null(struct sim_device *device);
void streams_reset(struct sim_device *device); /* destroys them all; the device is idle */
bool device_idle(const void *device);
/* Manual: while a blocking stream is captured, the NULL stream may not be used. */
bool capture_next_to_null_stream(const struct stream *stream);
bool waits_block(const struct sim_device *device);

/* ---- event.c ---- */
struct event {
    struct handle handle;
    struct sim_device *device;
    unsigned flags;
    int context; /* of the device, when it was made */
    bool recorded, destroyed;
    struct op *op; /* the last record, if it has not ended */
    int64_t time_ns;
    unsigned long long capture_id; /* recorded in a stream under capture; else 0 */
    struct node_set captured;
};
void event_op_ended(struct op *op);
cudaError_t event_wait_in(struct stream *stream, cudaEvent_t handle);

/* ---- capture.c ---- */
cudaError_t capture_work(struct stream *stream, const struct work *work);
cudaError_t capture_event_record(struct stream *stream, struct event *event);
cudaError_t capture_event_wait(struct stream *stream, struct event *event);
/* cudaErrorStreamCaptureUnsupported, and the capture is invalid, if any stream is captured. */
cudaError_t capture_forbids(void);
cudaError_t capture_forbids_stream(struct stream *stream);
void captures_reset(const struct sim_device *device); /* ends those of its streams */

/* ---- tracer.c ---- */
bool tracer_on(void);
void tracer_call(const char *function, uint32_t correlation, int64_t start_ns, int64_t end_ns);
void tracer_op(const struct op *op);
double tracer_extra_ns(void); /* what tracing adds to a call that queues work */

#endif
