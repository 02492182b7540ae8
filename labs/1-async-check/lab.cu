/* Lab 1, async-check: which calls come back before the device has done the work they stand for?
 *
 * Work queued in a stream runs in order. A call that only queues work returns in microseconds; a
 * call that has to wait for the device returns when the device lets it. Parts a, b and c queue a
 * sleeping kernel, with and without copies round it, and time every call. */
#include "async_check.h"
#include "host_memory.h"
#include "lab.h"
#include "text.h"

#include <string.h>

int64_t bytes = 50 * 1000 * 1000, sleep_ns = 10 * MS, blocks = 128, threads = 128;
int64_t max_launches = 4096;
static int64_t memory = HOST_PAGEABLE, callback_api = 0;

static const struct option_spec options[] = {
    {"bytes", OPTION_BYTES, &bytes, 4, (int64_t)1 << 40, NULL, "size of each copy in parts b, c"},
    {"sleep", OPTION_TIME, &sleep_ns, MS / 10, 2000 * MS, NULL, "how long each block sleeps"},
    {"blocks", OPTION_INT, &blocks, 1, 1 << 20, NULL, "blocks of the kernel"},
    {"threads", OPTION_INT, &threads, 1, 1024, NULL, "threads per block"},
    {"memory", OPTION_CHOICE, &memory, 0, 0, HOST_KIND_CHOICES, "host memory of part b"},
    {"callback", OPTION_CHOICE, &callback_api, 0, 0, "hostfunc|addcallback",
     "cudaLaunchHostFunc or cudaStreamAddCallback"},
    {"max-launches", OPTION_INT, &max_launches, 2, 16384, NULL, "most launches tried in part d"},
    {}};

/* ---- the callback: tells the host that the stream has got this far ------------------------- */

/* The round whose callback ran last. The callback runs on a thread of the driver, so this is
 * atomic; and it is a number, so that a late callback cannot pass for the next round's. */
static int finished_round;

static void finish_round(void *round) {
    __atomic_store_n(&finished_round, (int)(intptr_t)round, __ATOMIC_RELEASE);
}

static void finish_round_of_stream(cudaStream_t stream, cudaError_t status, void *round) {
    (void)stream;
    if (status == cudaSuccess)
        finish_round(round);
}

static bool finished(int round) {
    return __atomic_load_n(&finished_round, __ATOMIC_ACQUIRE) == round;
}

static cudaError_t queue_callback(cudaStream_t stream, int round) {
    void *number = (void *)(intptr_t)round;
    return callback_api == 0 ? cudaLaunchHostFunc(stream, finish_round, number)
                             : cudaStreamAddCallback(stream, finish_round_of_stream, number, 0);
}

/* ---- one round of the experiment -------------------------------------------------------- */

static void fill(uint32_t *words, int seed) {
    for (int64_t i = 0; i < bytes / 4; i++)
        words[i] = (uint32_t)i * 2654435761u + (uint32_t)seed;
}

static void copy_in(struct work *w) {
    event_span_begin(w->stream, SPAN_H2D, "copy in");
    QUEUE_CALL(&w->copy_in, NULL, w->stream,
               cudaMemcpyAsync(w->device, w->in, bytes, cudaMemcpyDefault, w->stream));
    event_span_end(w->stream);
    CUDA_CHECK(cudaEventRecord(w->copied_in, w->stream));
}

static void launch(struct work *w) {
    event_span_begin(w->stream, SPAN_KERNEL, "sleep_kernel");
    QUEUE_CALL(&w->launch, w->in ? w->copied_in : NULL, w->stream,
               launch_sleep(blocks, threads, sleep_ns, w->stream));
    event_span_end(w->stream);
    CUDA_CHECK(cudaEventRecord(w->slept, w->stream));
}

static void copy_out(struct work *w) {
    event_span_begin(w->stream, SPAN_D2H, "copy out");
    QUEUE_CALL(&w->copy_out, w->slept, w->stream,
               cudaMemcpyAsync(w->out, w->device, bytes, cudaMemcpyDefault, w->stream));
    event_span_end(w->stream);
}

static void one_round(void *state) {
    struct work *w = (struct work *)state;
    w->round++;
    if (w->in) {
        fill(w->in, w->round);
        memset(w->out, 0, bytes);
        if (!tracing()) /* all this data has pushed the driver's out of the caches */
            throw_away_work();
        copy_in(w);
    }
    launch(w);
    if (w->in)
        copy_out(w);
    QUEUE_CALL(&w->callback, w->slept, w->stream, queue_callback(w->stream, w->round));
    keep(&w->flag_after_queueing, finished(w->round));
    QUEUE_CALL(&w->synchronise, w->slept, w->stream, cudaStreamSynchronize(w->stream));
    keep(&w->flag_after_synchronise, finished(w->round));
    spin_check();
    if (w->in)
        w->corrupt_rounds += memcmp(w->in, w->out, bytes) != 0;
}

static void measure(struct work *w, bool copies) {
    if (copies) {
        if ((size_t)bytes > device_free_bytes())
            die(EXIT_ENVIRONMENT, "--bytes %s: the device has %s free; give a smaller size",
                show_bytes((double)bytes), show_bytes((double)device_free_bytes()));
        w->in = (uint32_t *)host_alloc_touched(w->memory, bytes);
        w->out = (uint32_t *)host_alloc_touched(w->memory, bytes);
        CUDA_CHECK(cudaMalloc((void **)&w->device, bytes));
    }
    CUDA_CHECK(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&w->copied_in, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&w->slept, cudaEventDisableTiming));

    part_rounds(w->part, repeats(sleep_ns * waves(blocks, sleep_capacity(threads))), one_round, w);

    CUDA_CHECK(cudaEventDestroy(w->slept));
    CUDA_CHECK(cudaEventDestroy(w->copied_in));
    CUDA_CHECK(cudaStreamDestroy(w->stream));
    CUDA_CHECK(cudaFree(w->device));
    host_free(w->memory, w->out, bytes);
    host_free(w->memory, w->in, bytes);
}

/* ---- the parts --------------------------------------------------------------------------- */

/* As many blocks as fit, and one more. */
static void one_block_more(cudaStream_t stream) {
    int64_t capacity = sleep_capacity((int)threads);
    const char *parts[2] = {"a-one-wave", "a-one-more"};
    double kernel_ns[2];
    for (int more = 0; more < 2; more++) {
        trace_begin(parts[more]);
        event_span_begin(stream, SPAN_KERNEL, "sleep_kernel");
        CUDA_CHECK(launch_sleep(capacity + more, threads, sleep_ns, stream));
        event_span_end(stream);
        CUDA_CHECK(cudaStreamSynchronize(stream));
        trace_end();
        spin_check();
        kernel_ns[more] = device_ns(parts[more], SPAN_KERNEL);
        result_value("a", text("kernel of %d blocks", (int)(capacity + more)), "ns",
                     kernel_ns[more]);
    }
    say("%d blocks fill this GPU and take %s. One block more takes %s: it waits for a free place, "
        "and then sleeps as long as the others did.",
        (int)capacity, show_time(kernel_ns[0]), show_time(kernel_ns[1]));
    check("a-one-more-block-adds-a-wave", kernel_ns[1] - kernel_ns[0] >= 0.9 * (double)sleep_ns,
          text("%s longer", show_time(kernel_ns[1] - kernel_ns[0])),
          text("at least 0.9 x %s", show_time((double)sleep_ns)),
          "A kernel lasts as many sleeps as its blocks need waves.");
}

static void kernel_alone(void) {
    static struct work w;
    cudaStream_t stream;
    w.part = "a";
    say("%d blocks of %d threads sleep %s in a non-blocking stream; a callback is queued behind "
        "them. The host reads the callback's flag right after queueing, and again after "
        "cudaStreamSynchronize.",
        (int)blocks, (int)threads, show_time((double)sleep_ns));
    measure(&w, false);
    struct took t = report_calls(&w);
    check_calls(&w);
    explain_waves("a", t.kernel_ns);
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    one_block_more(stream);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

static void with_copies(struct work *w, const char *part, enum host_kind kind) {
    w->part = part;
    w->memory = kind;
    say("The same kernel between two copies of %s, from and to %s host memory.",
        show_bytes((double)bytes), host_kind_name(kind));
    measure(w, true);
    struct took t = report_calls(w);
    explain_copies(w, &t);
    explain_waves(part, t.kernel_ns);
    check_calls(w);
    check_copy_calls(w, &t);
}

int main(int argc, char **argv) {
    static const char *const parts[] = {
        "a sleeping kernel alone",
        "copy in, sleep, copy out: pageable memory, or as --memory says",
        "copy in, sleep, copy out: pinned memory",
        "how deep the queue is",
        "one operation in the NULL stream",
        NULL};
    static const struct lab lab = {
        "lab-1", "async-check",
        "Which calls come back before the device has done the work they stand for: kernel "
        "launches, copies from pageable and from pinned memory, callbacks.",
        parts, options};
    static struct work b, c;
    lab_begin(&lab, argc, argv);
    if (part_begin('a'))
        kernel_alone();
    if (part_begin('b'))
        with_copies(&b, "b", (enum host_kind)memory);
    if (part_begin('c'))
        with_copies(&c, "c", HOST_PINNED);
    if (part_begin('d'))
        queue_depth();
    if (part_begin('e'))
        null_stream();
    return lab_end();
}
