/* Lab 1, part e: one operation in the NULL stream between the work of two other streams.
 *
 * CUDA runtime API, "Stream synchronization behavior": the legacy default stream and the streams
 * made with cudaStreamCreate wait for each other; streams made with cudaStreamNonBlocking do not
 * take part. */
#include "async_check.h"
#include "lab.h"
#include "text.h"

struct setting {
    const char *part, *result;
    unsigned int flags; /* of both streams */
    bool null_operation;
    const char *streams, *between;
    const struct span *first, *second; /* the two kernels; NULL if not recorded */
};

enum { BLOCKING_ALONE, BLOCKING_NULL, NON_BLOCKING_ALONE, NON_BLOCKING_NULL, SETTINGS };
static struct setting settings[SETTINGS] = {
    {"e-blocking", "overlap blocking", cudaStreamDefault, false, "cudaStreamCreate", "nothing",
     NULL, NULL},
    {"e-blocking-null", "overlap blocking null", cudaStreamDefault, true, "cudaStreamCreate",
     "a memset in the NULL stream", NULL, NULL},
    {"e-non-blocking", "overlap non-blocking", cudaStreamNonBlocking, false,
     "cudaStreamNonBlocking", "nothing", NULL, NULL},
    {"e-non-blocking-null", "overlap non-blocking null", cudaStreamNonBlocking, true,
     "cudaStreamNonBlocking", "a memset in the NULL stream", NULL, NULL},
};

static void sleep_in(cudaStream_t stream) {
    event_span_begin(stream, SPAN_KERNEL, "sleep_kernel");
    CUDA_CHECK(launch_sleep(1, 1, sleep_ns, stream));
    event_span_end(stream);
}

static void sleep_twice(const struct setting *s, cudaStream_t streams[2], int *device_word) {
    sleep_in(streams[0]);
    if (s->null_operation)
        CUDA_CHECK(cudaMemsetAsync(device_word, 0, sizeof *device_word, 0));
    sleep_in(streams[1]);
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
}

static void run_setting(struct setting *s, int *device_word) {
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], s->flags));
    sleep_twice(s, streams, device_word); /* warm-up */
    trace_begin(s->part);
    sleep_twice(s, streams, device_word);
    trace_end();
    s->first = timeline_find(s->part, SPAN_KERNEL, 0);
    s->second = timeline_find(s->part, SPAN_KERNEL, 1);
    for (int i = 0; i < 2; i++)
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
}

static bool recorded(const struct setting *s) {
    return s->first && s->second;
}

/* Times from events are good to about 0.5 us: less overlap than this is none. */
static bool side_by_side(const struct setting *s) {
    return recorded(s) && span_overlap(s->first, s->second) > 0.01;
}

static void print_settings(void) {
    table_begin(4, "streams", "between the kernels", "overlap", "second starts later by");
    for (int i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];
        table_cell("%s", s->streams);
        table_cell("%s", s->between);
        table_cell("%s", recorded(s) ? show_percent(span_overlap(s->first, s->second)) : "-");
        table_cell("%s", recorded(s) ? show_time((double)(s->second->start_ns - s->first->start_ns))
                                     : "-");
        if (recorded(s))
            result_value("e", s->result, "share", span_overlap(s->first, s->second));
    }
    table_end();
}

/* The same two kernels without the NULL stream must overlap, or this device shows nothing. */
static void check_setting(const char *id, const struct setting *with, const struct setting *without,
                          bool overlap, const char *why) {
    if (!recorded(with) || !side_by_side(without)) {
        check_cannot_show(id, recorded(with)
                                  ? "the two kernels do not overlap here without the NULL stream"
                                  : "the kernels were not recorded");
        return;
    }
    check(id, side_by_side(with) == overlap,
          text("overlap %s", show_percent(span_overlap(with->first, with->second))),
          overlap ? "some overlap" : "no overlap", why);
}

void null_stream(void) {
    int *device_word;
    CUDA_CHECK(cudaMalloc((void **)&device_word, sizeof *device_word));
    say("A kernel of one block sleeps %s in one stream, another does in a second stream; the "
        "device has room for both. Between the two launches the host sets 4 bytes in the NULL "
        "stream, or does nothing.",
        show_time((double)sleep_ns));
    for (int i = 0; i < SETTINGS; i++)
        run_setting(&settings[i], device_word);
    CUDA_CHECK(cudaFree(device_word));
    print_settings();
    if (side_by_side(&settings[BLOCKING_ALONE]) && recorded(&settings[BLOCKING_NULL]) &&
        !side_by_side(&settings[BLOCKING_NULL]) && side_by_side(&settings[NON_BLOCKING_NULL]))
        say("What this shows: with streams from cudaStreamCreate the one small memset waits for "
            "the first kernel, and the second kernel waits for the memset: two streams, one after "
            "the other. Streams made with cudaStreamNonBlocking take no notice of the NULL "
            "stream.");
    check_setting("e-null-stream-orders-blocking-streams", &settings[BLOCKING_NULL],
                  &settings[BLOCKING_ALONE], false,
                  "An operation in the NULL stream waits for blocking streams, and they for it.");
    check_setting("e-null-stream-leaves-non-blocking-streams", &settings[NON_BLOCKING_NULL],
                  &settings[NON_BLOCKING_ALONE], true,
                  "Non-blocking streams neither wait for the NULL stream nor make it wait.");
}
