/* judge.cu - runs exercise.cu beside the bare kernels and judges it on the timeline.
 * Not modifiable. */
#include <string.h>

#include "exercise.h"
#include "gpus.h"
#include "hidden.h"
#include "judge.h"
#include "lab.h"
#include "spans.h"
#include "text.h"

enum { EDGE_WORDS = 2 * 1024 * 1024, INNER_WORDS = 4 * EDGE_WORDS, INNER_MS = 10, ROUNDS = 5 };
static const size_t edge_bytes = EDGE_WORDS * sizeof(uint32_t);
static const size_t inner_bytes = INNER_WORDS * sizeof(uint32_t);

static int64_t peer = -1;
static const struct option_spec options[] = {
    {"peer", OPTION_INT, &peer, -1, 63, NULL, "the second GPU; -1: the next after --device"}, {}};

static struct exercise x;
static uint32_t *words[2];   /* pinned: each side's edge, then its inner words, before the steps */
static uint32_t *found;      /* pinned: what the device has */
static uint32_t times, plus; /* all steps since then: a word becomes word * times + plus */
static cudaStream_t stream[2];
static bool right = true;

/* transform_kernel multiplies and adds, so any number of steps is one multiplication and addition.
 */
static void count_step(void) {
    uint32_t add = transformed(0, &x.transform), factor = transformed(1, &x.transform) - add;
    times *= factor;
    plus = plus * factor + add;
}

static void wait_for_both(void) {
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x.side[i].gpu));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    CUDA_CHECK(cudaSetDevice(device()->index));
    spin_check();
}

static void new_words(void) {
    times = 1;
    plus = 0;
    for (int i = 0; i < 2; i++) {
        const struct side *side = &x.side[i];
        CUDA_CHECK(cudaSetDevice(side->gpu));
        random_words(words[i], EDGE_WORDS + INNER_WORDS);
        CUDA_CHECK(cudaMemcpy(side->edge, words[i], edge_bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(
            cudaMemcpy(side->inner, words[i] + EDGE_WORDS, inner_bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemset(side->halo, 0xa5, edge_bytes));
    }
    wait_for_both();
}

static bool all_right(const uint32_t *device_words, const uint32_t *first, size_t n) {
    CUDA_CHECK(cudaMemcpy(found, device_words, n * sizeof *found, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        if (found[i] != first[i] * times + plus)
            return false;
    }
    return true;
}

static bool words_right(void) {
    bool so = true;
    for (int i = 0; so && i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x.side[i].gpu));
        so = all_right(x.side[i].edge, words[i], EDGE_WORDS) &&
             all_right(x.side[i].inner, words[i] + EDGE_WORDS, INNER_WORDS) &&
             all_right(x.side[i].halo, words[1 - i], EDGE_WORDS);
    }
    CUDA_CHECK(cudaSetDevice(device()->index));
    return so;
}

static void transform(uint32_t *words_there, size_t n, cudaStream_t in) {
    transform_kernel<<<transform_blocks(n), TRANSFORM_THREADS, 0, in>>>(words_there, n,
                                                                        x.transform);
    LAUNCH_CHECK();
}

/* What a step takes without its copies. */
static void only_kernels(void *state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaSetDevice(x.side[i].gpu));
        transform(x.side[i].edge, EDGE_WORDS, stream[i]);
        transform(x.side[i].inner, INNER_WORDS, stream[i]);
    }
    wait_for_both();
}

static void students(void *state) {
    (void)state;
    struct exercise given = x;
    exercise_step(&given);
    wait_for_both();
    count_step();
}

static void students_checked(void) {
    new_words();
    students(NULL);
    right = right && words_right();
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Where peer access is offered and does not work, wrong words are not the student's fault. */
static bool machine_copies_right(const struct gpu *gpus) {
    enable_peer_access(&gpus[0], &gpus[1]);
    new_words();
    CUDA_CHECK(
        cudaMemcpyPeer(x.side[1].halo, x.side[1].gpu, x.side[0].edge, x.side[0].gpu, edge_bytes));
    CUDA_CHECK(cudaSetDevice(x.side[1].gpu));
    bool so = all_right(x.side[1].halo, words[0], EDGE_WORDS);
    CUDA_CHECK(cudaSetDevice(device()->index));
    return so;
}

/* False if this machine cannot do what the exercise asks for. */
static bool check_words(const struct gpu *gpus) {
    if (!right && !machine_copies_right(gpus)) {
        check_cannot_show("b-words-right", "A plain copy between these GPUs arrives wrong: do not "
                                           "use peer access here (often the IOMMU or PCIe ACS).");
        return false;
    }
    check("b-words-right", right, right ? "all right" : "wrong words",
          "edge, inner words and halo of both GPUs, after each step",
          "the devices did what was asked, each step anew");
    return true;
}

/* Share of the copies' time that passed beside kernels of both GPUs. Copies that nobody asked for
 * hide nothing: what is not hidden counts as a share of the time of the two that were. */
static double share_hidden(const struct hidden *hidden, int64_t needed_bytes) {
    if (hidden->bytes < needed_bytes)
        return 0;
    double needed_ns = (double)hidden->copies_ns * (double)needed_bytes / (double)hidden->bytes;
    double share = 1 - (double)(hidden->copies_ns - hidden->hidden_ns) / needed_ns;
    return share < 0 ? 0 : share;
}

static void judge_hiding(bool worked) {
    const int64_t needed = 2 * (int64_t)edge_bytes;
    struct hidden hidden = hidden_copies("b", x.side[0].gpu, x.side[1].gpu);
    double kernels_ns = (double)device_makespan_ns("a"), ns = (double)device_makespan_ns("b");
    double share = share_hidden(&hidden, needed);
    say("Kernels alone: %s. Yours: %s. Copied from GPU to GPU: %s, %s of that time beside kernels "
        "of both.",
        show_time(kernels_ns), show_time(ns), show_bytes((double)hidden.bytes),
        show_percent(share));
    if (hidden.bytes < needed)
        say("Two edges are %s. Copies that go through the host do not count: let each GPU "
            "reach the other's memory (lab 6, part c).",
            show_bytes((double)needed));
    result_value("a", "makespan", "ns", kernels_ns);
    result_value("b", "makespan", "ns", ns);
    result_value("b", "copy time hidden", "share", share);
    bool in_time = ns <= 1.1 * kernels_ns, is_hidden = share >= 0.8;
    check("b-exchange-hidden", worked && is_hidden,
          counted(show_percent(share), worked, "words wrong"),
          text("at least 80 %% of the time of %s beside kernels of both GPUs, words right",
               show_bytes((double)needed)),
          "the SMs have something to do while the edges go from GPU to GPU");
    check("b-makespan", worked && is_hidden && in_time,
          counted(show_percent(ns / kernels_ns), worked && is_hidden,
                  worked ? "exchange not hidden" : "words wrong"),
          "at most 110 % of the kernels alone, the exchange hidden, words right",
          "a step takes what its kernels take: they were not made longer to hide it");
}

static void exchange(const struct gpu *gpus) {
    for (int i = 0; i < 3; i++)
        students_checked();
    part_rounds("b", ROUNDS, students, NULL);
    right = right && words_right();
    students_checked();
    if (!check_words(gpus))
        return;
    if (judged_on_timeline("b-exchange-hidden")) {
        int64_t kernels_ns = total_ns("a", SPAN_KERNEL);
        check_kernel_work("b-kernel-work", "b", kernels_ns);
        judge_hiding(right && (double)total_ns("b", SPAN_KERNEL) >= 0.8 * (double)kernels_ns);
    }
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static void side_new(int i, int gpu) {
    struct side *side = &x.side[i];
    side->gpu = gpu;
    CUDA_CHECK(cudaSetDevice(gpu));
    CUDA_CHECK(cudaMalloc((void **)&side->edge, edge_bytes));
    CUDA_CHECK(cudaMalloc((void **)&side->inner, inner_bytes));
    CUDA_CHECK(cudaMalloc((void **)&side->halo, edge_bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    CUDA_CHECK(cudaHostAlloc((void **)&words[i], edge_bytes + inner_bytes, cudaHostAllocPortable));
}

static void side_free(int i) {
    CUDA_CHECK(cudaSetDevice(x.side[i].gpu));
    CUDA_CHECK(cudaFree(x.side[i].edge));
    CUDA_CHECK(cudaFree(x.side[i].inner));
    CUDA_CHECK(cudaFree(x.side[i].halo));
    CUDA_CHECK(cudaStreamDestroy(stream[i]));
    CUDA_CHECK(cudaFreeHost(words[i]));
}

static void run_on(const struct gpu *gpus) {
    for (int i = 0; i < 2; i++)
        side_new(i, gpus[i].index);
    CUDA_CHECK(cudaSetDevice(device()->index));
    CUDA_CHECK(cudaHostAlloc((void **)&found, inner_bytes, cudaHostAllocPortable));
    x.edge_words = EDGE_WORDS;
    x.inner_words = INNER_WORDS;
    x.transform.key = 12345;
    x.transform.guard = spin_guard();
    x.transform.block_cycles = cycles_for(INNER_MS * (int64_t)1000000) /
                               waves(transform_blocks(INNER_WORDS), transform_capacity());
    struct exercise given = x; /* x stays as it is, whatever exercise.cu does */
    exercise_setup(&given);
    CUDA_CHECK(cudaSetDevice(device()->index));
    if (part_begin('a'))
        part_rounds("a", ROUNDS, only_kernels, NULL);
    if (part_begin('b'))
        exchange(gpus);
    given = x;
    exercise_cleanup(&given);
    CUDA_CHECK(cudaFreeHost(found));
    for (int i = 0; i < 2; i++)
        side_free(i);
    CUDA_CHECK(cudaSetDevice(device()->index));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"kernels alone", "exercise.cu", NULL};
    static const struct lab lab = {"exercise-6", "hide the exchange",
                                   "Exchange edges between two GPUs while the inner part is "
                                   "worked on.",
                                   parts, options};
    struct gpu gpus[2];
    lab_begin(&lab, argc, argv);
    const char *cannot = no_second_gpu(&peer);
    gpus[0].index = device()->index;
    gpus[1].index = (int)peer;
    if (!cannot)
        cannot = no_peer_access(&gpus[0], &gpus[1]);
    if (cannot) {
        say("Nothing can be shown here. %s", cannot);
        check_cannot_show("b-exchange-hidden", cannot);
    } else {
        say("This exercise runs on GPU %d and GPU %d.", gpus[0].index, gpus[1].index);
        run_on(gpus);
    }
    return lab_end();
}
