/* experiment.c - launches of stamping kernels, run again and again, and judged. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "lab.h"
#include "text.h"

enum { START_OF_A_WAVE_NS = 5000 }; /* allowed for ending one block and starting the next */

int experiment_waves(const struct experiment *e) {
    return waves(e->first->blocks + (e->second ? e->second->blocks : 0), e->capacity);
}

static void clear_stamps(const struct work *work) {
    memset(work->stamps, 0, (size_t)work->pieces * sizeof *work->stamps);
}

static void check_stamps(const struct work *work) {
    for (int i = 0; i < work->pieces; i++)
        if (work->stamps[i].start_ns <= 0 || work->stamps[i].end_ns <= work->stamps[i].start_ns)
            die(EXIT_FAIL, "piece %d of %d left no stamps: the kernel did not run it", i,
                work->pieces);
}

/* The stamps of both launches in one array, in launch order; the caller frees it. */
static struct stamp *all_stamps(const struct experiment *e, int *n) {
    int first = e->first->pieces, second = e->second ? e->second->pieces : 0;
    struct stamp *stamps = malloc((size_t)(first + second) * sizeof *stamps);
    if (!stamps)
        die(EXIT_ENVIRONMENT, "out of host memory for %d stamps; use fewer --blocks",
            first + second);
    memcpy(stamps, e->first->stamps, (size_t)first * sizeof *stamps);
    if (e->second)
        memcpy(stamps + first, e->second->stamps, (size_t)second * sizeof *stamps);
    *n = first + second;
    return stamps;
}

/* One stream runs its kernels one after another; from two, the blocks of both queue up. */
static double in_order_of_streams_ns(const struct experiment *e, const struct stamp *stamps,
                                     int n) {
    int first = e->first->pieces;
    if (e->second && e->first_stream == e->second_stream)
        return in_order_ns(stamps, first, e->capacity) +
               in_order_ns(stamps + first, n - first, e->capacity);
    return in_order_ns(stamps, n, e->capacity);
}

static void keep_round(struct experiment *e) {
    int n;
    struct stamp *stamps = all_stamps(e, &n);
    struct lengths lengths = stamps_lengths(stamps, n);
    int most = stamps_most_resident(stamps, n);
    e->most_resident = most > e->most_resident ? most : e->most_resident;
    keep(&e->makespan, (double)(stamps_end_ns(stamps, n) - stamps_start_ns(stamps, n)));
    keep(&e->bound, bound_ns(stamps, n, e->capacity));
    keep(&e->in_order, in_order_of_streams_ns(e, stamps, n));
    keep(&e->shortest, lengths.shortest_ns);
    keep(&e->longest, lengths.longest_ns);
    if (e->second) {
        int64_t gap_ns = stamps_start_ns(e->second->stamps, e->second->pieces) -
                         stamps_end_ns(e->first->stamps, e->first->pieces);
        keep(&e->gap, (double)gap_ns);
        keep(&e->early, (double)-gap_ns);
    }
    free(stamps);
}

static void launch(const struct experiment *e, const struct work *work, cudaStream_t stream) {
    event_span_begin(stream, SPAN_KERNEL, "stamp_kernel");
    stamp_work_launch(work, e->threads, stream);
    event_span_end(stream);
}

static void launch_and_stamp(void *state) {
    struct experiment *e = state;
    clear_stamps(e->first);
    if (e->second)
        clear_stamps(e->second);
    launch(e, e->first, e->first_stream);
    if (e->second)
        launch(e, e->second, e->second_stream);
    CUDA_CHECK(cudaStreamSynchronize(e->first_stream));
    CUDA_CHECK(cudaStreamSynchronize(e->second_stream));
    spin_check();
    check_stamps(e->first);
    if (e->second)
        check_stamps(e->second);
    keep_round(e);
}

/* The GPU's globaltimer and the host's clock differ by an offset. It is found from the first
 * kernel, which starts on an idle GPU: its blocks lie in the middle of its traced span. */
static void add_blocks(const struct experiment *e, const char *part) {
    const struct work *work[2] = {e->first, e->second};
    const struct span *first = timeline_find(part, SPAN_KERNEL, 0);
    if (!first)
        return;
    int64_t start_ns = stamps_start_ns(e->first->stamps, e->first->pieces);
    int64_t end_ns = stamps_end_ns(e->first->stamps, e->first->pieces);
    int64_t offset_ns = first->start_ns - start_ns + (span_ns(first) - (end_ns - start_ns)) / 2;
    for (int i = 0; i < 2 && work[i]; i++) {
        const struct span *kernel = timeline_find(part, SPAN_KERNEL, i);
        if (kernel)
            stamps_to_timeline(work[i]->stamps, work[i]->pieces, e->capacity / device()->sms,
                               i ? "kernel 2" : "kernel 1", kernel, offset_ns);
    }
}

static const char *name_of(const char *quantity, const char *cut) {
    return cut ? text("%s %s", quantity, cut) : quantity;
}

static void store(const struct experiment *e, const char *letter, const char *cut) {
    double efficiency = median_of(&e->bound) / median_of(&e->makespan);
    result(letter, name_of("makespan", cut), "ns", &e->makespan);
    result(letter, name_of("bound", cut), "ns", &e->bound);
    result(letter, name_of("predicted", cut), "ns", &e->in_order);
    result(letter, name_of("shortest block", cut), "ns", &e->shortest);
    result(letter, name_of("longest block", cut), "ns", &e->longest);
    result_value(letter, name_of("blocks", cut), "count", e->first->blocks);
    result_value(letter, name_of("waves", cut), "count", experiment_waves(e));
    result_value(letter, name_of("efficiency", cut), "share", efficiency);
}

void experiment_run(struct experiment *e, const char *part, const char *cut, int rounds) {
    const char letter[2] = {part[0], 0};
    part_rounds(part, rounds, launch_and_stamp, e);
    add_blocks(e, part);
    store(e, letter, cut);

    int fit = e->capacity / device()->sms;
    check(text("%s-residency", part), e->most_resident <= fit, text("%d", e->most_resident),
          text("at most %d", fit),
          "Blocks on one SM at any instant: no more than the occupancy API says.");

    double makespan = median_of(&e->makespan), least = median_of(&e->bound);
    double pieces = e->first->pieces + (e->second ? e->second->pieces : 0);
    double most = 1.05 * median_of(&e->in_order) + START_OF_A_WAVE_NS * (pieces / e->capacity + 1);
    check(text("%s-makespan", part), makespan >= least && makespan <= most, show_time(makespan),
          text("%s to %s", show_time(least), show_time(most)),
          "From what a GPU needs that is full all the time, to what one needs that starts the next "
          "block in the first free place (and 5 %, and 5 us a wave).");
}
