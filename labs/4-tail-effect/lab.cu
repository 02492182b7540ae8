/* Lab 4, tail-effect: what a GPU does while its last blocks finish.
 *
 * Every block notes when it started, when it ended and on which SM. A GPU holds a fixed number of
 * blocks at once, its capacity; a grid larger than that runs in waves, and the last wave leaves
 * places empty. The parts: (a) one kernel, wave by wave; (b) two kernels in one stream; (c) the
 * same two in two streams; (d) the same work cut differently.
 *
 * For charts. Timeline parts: a, b, c, d-whole, d-fine, d-one-wave, d-unequal, d-longest-first,
 * d-persistent. Rows of kind block: name "kernel 1" or "kernel 2", stream = SM, grid_x = block,
 * block_x = its place on the SM (0 .. "resident" - 1), correlation = the kernel's.
 * Results. a: "capacity" (blocks at once on the device), "resident" (on one SM). Each part:
 * "makespan", "bound", "predicted", "shortest block", "longest block" (ns), "blocks", "waves"
 * (count), "efficiency" (share: bound / makespan); in part d with the cut's name last ("makespan
 * one-wave"). a: "last wave" (share in use). b: "gap" (ns, from the first kernel's end to the
 * second one's start). c: "early start" (ns, from the second kernel's start to the first one's
 * end), "could be saved", "saved" (ns). */
#include <stdlib.h>

#include "experiment.h"
#include "lab.h"
#include "text.h"

static int64_t threads = 1024, block_ns = 1 * MS, blocks = 0, pieces = 8, seed = 1;
static const struct option_spec options[] = {
    {"threads", OPTION_INT, &threads, 32, 1024, NULL, "threads a block"},
    {"block-time", OPTION_TIME, &block_ns, 100 * US, 100 * MS, NULL, "how long a block spins"},
    {"blocks", OPTION_INT, &blocks, 0, 16384, NULL, "blocks in the grid; 0: 2.15 waves of them"},
    {"pieces", OPTION_INT, &pieces, 2, 16, NULL, "part d: pieces that a block is cut into"},
    {"seed", OPTION_INT, &seed, 0, INT32_MAX, NULL, "part d: seed of the unequal lengths"},
    {}};

static int capacity, resident; /* blocks at once: on the device, on one SM */

static void predict(void) {
    double in_waves = (double)blocks / capacity;
    int whole = waves(blocks, capacity);
    say("This GPU holds %d blocks of %d threads on each of its %d SMs: %d at once. The grid has %d "
        "blocks that take %s each: %.2f times what fits, so %d waves and the last one %s full. "
        "Predicted: %s. If no place were ever empty: %s.",
        resident, (int)threads, device()->sms, capacity, (int)blocks, show_time((double)block_ns),
        in_waves, whole, show_percent(in_waves - (whole - 1)),
        show_time((double)(whole * block_ns)), show_time(in_waves * (double)block_ns));
}

static void wave_row(const struct stamp *stamps, const int *wave, int n, int w) {
    int64_t zero_ns = stamps_start_ns(stamps, n), start_ns = INT64_MAX, end_ns = 0;
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (wave[i] != w)
            continue;
        found++;
        start_ns = stamps[i].start_ns < start_ns ? stamps[i].start_ns : start_ns;
        end_ns = stamps[i].end_ns > end_ns ? stamps[i].end_ns : end_ns;
    }
    table_cell("%d", w + 1);
    table_cell("%d", found);
    table_cell("%s", show_percent((double)found / capacity));
    table_cell("%s", show_time((double)(start_ns - zero_ns)));
    table_cell("%s", show_time((double)(end_ns - zero_ns)));
    if (w == waves(n, capacity) - 1)
        result_value("a", "last wave", "share", (double)found / capacity);
}

/* The waves of the traced round; returns how many. */
static int wave_table(const struct work *work) {
    int n = work->pieces, *wave = (int *)malloc(2 * (size_t)n * sizeof *wave);
    if (!wave)
        die(EXIT_ENVIRONMENT, "out of host memory for %d blocks; use fewer --blocks", n);
    int found = stamps_waves(work->stamps, n, resident, wave, wave + n);
    table_begin(5, "wave", "blocks", "places in use", "first start", "last end");
    for (int w = 0; w < found; w++)
        wave_row(work->stamps, wave, n, w);
    table_end();
    free(wave);
    return found;
}

static void one_kernel(struct experiment *e) {
    experiment_run(e, "a", NULL, repeats(4 * block_ns));
    int planned = experiment_waves(e), found = wave_table(e->first);
    double makespan = median_of(&e->makespan);
    result_value("a", "capacity", "count", capacity);
    result_value("a", "resident", "count", resident);
    say("The kernel took %s, %d waves of about %s. A GPU with no place empty would have needed %s: "
        "this one worked at %s of that, and the rest is the tail.",
        show_times(&e->makespan), found, show_time(median_of(&e->longest)),
        show_time(median_of(&e->bound)), show_percent(median_of(&e->bound) / makespan));
    check("a-waves", found == planned, text("%d", found), text("%d", planned),
          "As many waves as blocks / capacity, rounded up.");
    double least = planned * median_of(&e->shortest);
    double most = planned * median_of(&e->longest) * 1.05;
    check("a-waves-times-block", makespan >= least && makespan <= most, show_time(makespan),
          text("%s to %s", show_time(least), show_time(most)),
          "Waves x block time: from the shortest block's to the longest one's, and 5 % to start "
          "them.");
    const struct span *kernel = timeline_find("a", SPAN_KERNEL, 0);
    if (!kernel) {
        check_cannot_show("a-blocks-inside-kernel", "The kernel was not traced.");
        return;
    }
    int64_t blocks_ns = stamps_end_ns(e->first->stamps, e->first->pieces) -
                        stamps_start_ns(e->first->stamps, e->first->pieces);
    check("a-blocks-inside-kernel", blocks_ns <= span_ns(kernel) + 2 * US,
          show_time((double)blocks_ns),
          text("at most %s + 2 us", show_time((double)span_ns(kernel))),
          "The blocks' clock and the tracer's agree about how long the kernel ran (its clock steps "
          "by up to 1 us).");
}

static void one_stream(struct experiment *e) {
    experiment_run(e, "b", NULL, repeats(6 * block_ns));
    double least = stats_of(&e->gap).min;
    result("b", "gap", "ns", &e->gap);
    say("The second kernel's first block starts %s after the first one's last block has ended, "
        "however empty the GPU was by then. Together they take %s.",
        show_times(&e->gap), show_time(median_of(&e->makespan)));
    check("b-gap", least >= 0, show_time(least), "at least 0 ns, in every round",
          "One stream runs its work in order: the second kernel's blocks wait for the first one's "
          "last, empty places or not.");
}

static void saved_table(const struct experiment *two_streams, const struct experiment *one_stream) {
    int waves_each = waves(blocks, capacity);
    double block = median_of(&two_streams->longest);
    table_begin(4, "the two kernels", "waves", "theory", "measured");
    table_cell("one stream");
    table_cell("%d + %d", waves_each, waves_each);
    table_cell("%s", show_time(2 * waves_each * block));
    table_cell("%s", show_time(median_of(&one_stream->makespan)));
    table_cell("two streams");
    table_cell("%d", experiment_waves(two_streams));
    table_cell("%s", show_time(experiment_waves(two_streams) * block));
    table_cell("%s", show_time(median_of(&two_streams->makespan)));
    table_cell("no place ever empty");
    table_cell("%.2f", 2.0 * (double)blocks / capacity);
    table_cell("%s", show_time(median_of(&two_streams->bound)));
    table_cell("-");
    table_end();
}

static void two_streams(struct experiment *e, const struct experiment *one_stream) {
    experiment_run(e, "c", NULL, repeats(6 * block_ns));
    double early_ns = median_of(&e->early);
    double theory_ns = (2 * waves(blocks, capacity) - experiment_waves(e)) * median_of(&e->longest);
    result("c", "early start", "ns", &e->early);
    result_value("c", "could be saved", "ns", theory_ns);
    saved_table(e, one_stream);
    if (one_stream->makespan.n > 0) {
        double saved_ns = median_of(&one_stream->makespan) - median_of(&e->makespan);
        result_value("c", "saved", "ns", saved_ns);
        say("Saved: %s. Theory allows %s: whole waves are all there is to save.",
            show_time(saved_ns), show_time(theory_ns));
    }
    if (blocks % capacity == 0) {
        check_cannot_show("c-fills-the-tail",
                          "The grid is a whole number of waves: its last one leaves no place "
                          "empty. Take another --blocks.");
        return;
    }
    say("The second kernel starts %s before the first one ends: its blocks take the places that "
        "the first one's last wave leaves empty.",
        show_time(early_ns));
    check("c-fills-the-tail", early_ns > 0, show_time(early_ns), "more than 0 ns (median)",
          "From another stream, the second kernel starts before the first one ends, as the last "
          "wave leaves places empty.");
}

/* n lengths that add up to total_ns, from a quarter to seven quarters of their mean, in the order
 * of a seeded generator (Knuth's MMIX constants). */
static void unequal_lengths(double *lengths_ns, int n, double total_ns) {
    uint64_t state = (uint64_t)seed;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        lengths_ns[i] = 0.25 + 1.5 * (double)(state >> 40) / (1 << 24);
        sum += lengths_ns[i];
    }
    for (int i = 0; i < n; i++)
        lengths_ns[i] *= total_ns / sum;
}

static int longest_first(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void equal_lengths(double *lengths_ns, int n, double total_ns) {
    for (int i = 0; i < n; i++)
        lengths_ns[i] = total_ns / n;
}

/* One way to cut the same work: its pieces' lengths are already in lengths_ns. */
static void cut_row(const char *cut, int pieces, const double *lengths_ns, int persistent_blocks,
                    cudaStream_t stream) {
    static struct experiment e;
    struct work work = stamp_work_new(pieces, lengths_ns, persistent_blocks);
    e = (struct experiment){};
    e.first = &work;
    e.first_stream = e.second_stream = stream;
    e.threads = (int)threads;
    e.capacity = persistent_blocks ? persistent_blocks : capacity;
    experiment_run(&e, timeline_name(text("d-%s", cut)), cut, repeats(4 * block_ns));
    table_cell("%s", cut);
    table_cell("%d", work.pieces);
    table_cell("%d", work.blocks);
    table_cell("%d", experiment_waves(&e));
    table_cell("%s", show_time(median_of(&e.in_order)));
    table_cell("%s", show_time(median_of(&e.makespan)));
    table_cell("%s", show_percent(median_of(&e.bound) / median_of(&e.makespan)));
    stamp_work_free(&work);
}

static void cuts(cudaStream_t stream) {
    int n = (int)blocks, fine = (int)(blocks * pieces);
    double total_ns = (double)(blocks * block_ns);
    double *lengths_ns = (double *)malloc((size_t)(fine + capacity) * sizeof *lengths_ns);
    if (!lengths_ns)
        die(EXIT_ENVIRONMENT, "out of host memory for %d pieces; use fewer --blocks", fine);
    table_begin(7, "cut", "pieces", "blocks", "waves", "predicted", "measured", "of the bound");
    equal_lengths(lengths_ns, n, total_ns);
    cut_row("whole", n, lengths_ns, 0, stream);
    equal_lengths(lengths_ns, fine, total_ns);
    cut_row("fine", fine, lengths_ns, 0, stream);
    cut_row("persistent", fine, lengths_ns, persistent_capacity((int)threads), stream);
    equal_lengths(lengths_ns, capacity, total_ns);
    cut_row("one-wave", capacity, lengths_ns, 0, stream);
    unequal_lengths(lengths_ns, n, total_ns);
    cut_row("unequal", n, lengths_ns, 0, stream);
    qsort(lengths_ns, (size_t)n, sizeof *lengths_ns, longest_first);
    cut_row("longest-first", n, lengths_ns, 0, stream);
    table_end();
    free(lengths_ns);
    say("All six do the same work. The last column is the share of the time that a GPU with no "
        "place empty would need. What is lost at the end is about one block's time, so smaller "
        "blocks lose less; one wave of equal blocks loses nothing; of unequal blocks the long ones "
        "should start first. A persistent kernel takes pieces from a counter, so each block works "
        "until nothing is left, and blocks are started only once.");
}

int main(int argc, char **argv) {
    static struct experiment a, b, c;
    static const char *const parts[] = {"one kernel, wave by wave", "two kernels in one stream",
                                        "the same two kernels in two streams",
                                        "the same work cut in six ways", NULL};
    const struct lab lab = {"lab-4", "tail-effect",
                            "What a GPU does while a kernel's last blocks finish: waves, the tail, "
                            "and who may use the places it leaves empty.",
                            parts, options};
    lab_begin(&lab, argc, argv);
    capacity = stamp_capacity((int)threads);
    resident = capacity / device()->sms;
    if (blocks == 0)
        blocks = 2 * capacity + (15 * capacity + 50) / 100;
    predict();

    cudaStream_t stream[2];
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[0], cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking));
    double *lengths_ns = (double *)malloc((size_t)blocks * sizeof *lengths_ns);
    if (!lengths_ns)
        die(EXIT_ENVIRONMENT, "out of host memory for %d blocks; use fewer", (int)blocks);
    equal_lengths(lengths_ns, (int)blocks, (double)(blocks * block_ns));
    static struct work first, second;
    first = stamp_work_new((int)blocks, lengths_ns, 0);
    second = stamp_work_new((int)blocks, lengths_ns, 0);
    free(lengths_ns);

    a.first = b.first = c.first = &first;
    b.second = c.second = &second;
    a.threads = b.threads = c.threads = (int)threads;
    a.capacity = b.capacity = c.capacity = capacity;
    a.first_stream = b.first_stream = c.first_stream = stream[0];
    a.second_stream = b.second_stream = stream[0];
    c.second_stream = stream[1];

    if (part_begin('a'))
        one_kernel(&a);
    if (part_begin('b'))
        one_stream(&b);
    if (part_begin('c'))
        two_streams(&c, &b);
    if (part_begin('d'))
        cuts(stream[0]);

    stamp_work_free(&first);
    stamp_work_free(&second);
    CUDA_CHECK(cudaStreamDestroy(stream[0]));
    CUDA_CHECK(cudaStreamDestroy(stream[1]));
    return lab_end();
}
