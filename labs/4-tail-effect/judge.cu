/* judge.cu - runs exercise.cu and judges it on the timeline and on what each item's block noted.
 * Not modifiable. */
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "judge.h"
#include "lab.h"
#include "text.h"

enum { ITEM_NS = 200 * 1000, CLOCK_STEP_NS = 2000 };

static struct exercise x;
static uint32_t *before, *after; /* pinned: the items' words */
static struct samples efficiency;
static int most_resident; /* blocks on one SM, in any round */
static bool right = true;

static void new_words(void) {
    size_t n = (size_t)x.items.n;
    random_words(before, n);
    CUDA_CHECK(cudaMemcpy(x.items.word, before, n * sizeof *before, cudaMemcpyHostToDevice));
    memset(x.items.stamps, 0, n * sizeof *x.items.stamps);
}

static bool items_right(void) {
    size_t n = (size_t)x.items.n;
    CUDA_CHECK(cudaMemcpy(after, x.items.word, n * sizeof *after, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        const struct stamp *stamp = &x.items.stamps[i];
        if (after[i] != item_done(before[i], x.items.key) || stamp->start_ns <= 0 ||
            stamp->end_ns <= stamp->start_ns)
            return false;
    }
    return true;
}

static double stamps_extent_ns(void) {
    return (double)(stamps_end_ns(x.items.stamps, x.items.n) -
                    stamps_start_ns(x.items.stamps, x.items.n));
}

static void one_round(void *state) {
    (void)state;
    struct exercise given = x;
    new_words();
    exercise_queue(&given);
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
    right = right && items_right();
    if (!right)
        return;
    int resident = stamps_most_resident(x.items.stamps, x.items.n);
    most_resident = resident > most_resident ? resident : most_resident;
    keep(&efficiency, bound_ns(x.items.stamps, x.items.n, x.capacity) / stamps_extent_ns());
}

/* ---- what the rounds leave: the items' stamps are those of the traced one -------------------- */

/* From the start of the first kernel to the end of the last; 0 if there is none. */
static double kernels_extent_ns(void) {
    int64_t start_ns = INT64_MAX, end_ns = 0;
    for (int i = 0; i < timeline_count_of("a", SPAN_KERNEL); i++) {
        const struct span *kernel = timeline_find("a", SPAN_KERNEL, i);
        start_ns = kernel->start_ns < start_ns ? kernel->start_ns : start_ns;
        end_ns = kernel->end_ns > end_ns ? kernel->end_ns : end_ns;
    }
    return end_ns > 0 ? (double)(end_ns - start_ns) : 0;
}

static int64_t blocks_run(void) {
    int64_t n = 0;
    for (int i = 0; i < timeline_count_of("a", SPAN_KERNEL); i++)
        n += timeline_find("a", SPAN_KERNEL, i)->grid[0];
    return n;
}

/* The device's clock and the host's differ by an offset: the items lie in the middle of the
 * kernels. */
static void add_blocks(void) {
    const struct span *kernel = timeline_find("a", SPAN_KERNEL, 0);
    if (!kernel)
        return;
    double margin_ns = (kernels_extent_ns() - stamps_extent_ns()) / 2;
    int64_t offset_ns =
        kernel->start_ns - stamps_start_ns(x.items.stamps, x.items.n) + (int64_t)margin_ns;
    stamps_to_timeline(x.items.stamps, x.items.n, x.capacity / device()->sms, "kernel 1", kernel,
                       offset_ns);
}

/* True if nothing was made shorter or narrower to end sooner. */
static bool check_work(void) {
    int fit = x.capacity / device()->sms;
    double done_ns = stamps_lengths(x.items.stamps, x.items.n).sum_ns;
    double share = done_ns / ((double)x.items.n * ITEM_NS);
    check("a-kernel-work", share >= 0.8, show_percent(share), "at least 80 % of the time asked for",
          "each item takes as long as the exercise says: no work is left out");
    check("a-residency", most_resident <= fit, text("%d", most_resident), text("at most %d", fit),
          "blocks on one SM at any instant: as many as blocks of that size can be");
    return share >= 0.8 && most_resident <= fit;
}

static void judge_bound(bool worked) {
    double least_ns = bound_ns(x.items.stamps, x.items.n, x.capacity);
    double items_ns = stamps_extent_ns(), kernels_ns = kernels_extent_ns();
    double share = kernels_ns > 0 ? least_ns / kernels_ns : 0;
    say("With no place ever empty, the items would take %s. Yours took %s: %s of the bound.",
        show_time(least_ns), show_time(kernels_ns), show_percent(share));
    result_value("a", "bound", "ns", least_ns);
    result_value("a", "makespan", "ns", kernels_ns);
    result("a", "efficiency", "share", &efficiency);
    bool inside = items_ns <= kernels_ns + CLOCK_STEP_NS;
    check("a-items-inside-kernels", inside, show_time(items_ns),
          text("at most %s", show_time(kernels_ns + CLOCK_STEP_NS)),
          "from the first item's start to the last one's end: kernels did them");
    check("a-near-bound", worked && inside && share >= 0.9 && share <= 1.02,
          counted(show_percent(share), worked && inside, "not all items done as they are"),
          "90 to 102 % of the bound, all items done as they are",
          "no large part of the GPU runs empty");
    /* Each block has one place: with fewer the items cannot have taken so short. */
    int needed = 9 * x.capacity / 10;
    check("a-blocks", blocks_run() >= needed, text("%lld", (long long)blocks_run()),
          text("at least %d", needed), "blocks that the device ran: 90 % of the places or more");
    add_blocks();
}

static void new_items(int capacity) {
    size_t n = 23 * (size_t)capacity / 2; /* eleven and a half for each place */
    x.capacity = capacity;
    x.items.n = (int)n;
    x.items.item_cycles = cycles_for(ITEM_NS);
    x.items.key = 12345;
    x.items.guard = spin_guard();
    CUDA_CHECK(cudaMalloc((void **)&x.items.word, n * sizeof *x.items.word));
    CUDA_CHECK(
        cudaHostAlloc((void **)&x.items.stamps, n * sizeof *x.items.stamps, cudaHostAllocDefault));
    CUDA_CHECK(cudaHostAlloc((void **)&before, n * sizeof *before, cudaHostAllocDefault));
    CUDA_CHECK(cudaHostAlloc((void **)&after, n * sizeof *after, cudaHostAllocDefault));
}

static void free_items(void) {
    CUDA_CHECK(cudaFree(x.items.word));
    CUDA_CHECK(cudaFreeHost(x.items.stamps));
    CUDA_CHECK(cudaFreeHost(before));
    CUDA_CHECK(cudaFreeHost(after));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"exercise.cu", NULL};
    static const struct lab lab = {"exercise-4", "do not let the GPU run empty",
                                   "Cut equal items so that the last wave leaves nothing idle.",
                                   parts, NULL};
    lab_begin(&lab, argc, argv);
    new_items(items_capacity());
    struct exercise given = x; /* x stays as it is, whatever exercise.cu does */
    exercise_setup(&given);
    if (part_begin('a')) {
        part_rounds("a", repeats(x.items.n / x.capacity * ITEM_NS), one_round, NULL);
        check("a-items-right", right, right ? "all right" : "wrong items", "every item done once",
              "the device did what was asked, each round anew");
        bool worked = right && check_work();
        if (!right)
            check("a-near-bound", false, "wrong items", "90 to 102 % of the bound, all items done",
                  "nothing is fast that is not done");
        else if (judged_on_timeline("a-near-bound"))
            judge_bound(worked);
    }
    given = x;
    exercise_cleanup(&given);
    free_items();
    return lab_end();
}
