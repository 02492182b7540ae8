#include "concurrency.h"

#include "tap.h"

/* Times in us. */
static struct queued_work work(double queued, double start, double end) {
    return (struct queued_work){(int64_t)(1e9 + queued * 1000), (int64_t)(1e9 + start * 1000),
                                (int64_t)(1e9 + end * 1000)};
}

static struct pair_seen judge(struct queued_work first, struct queued_work second, bool gated) {
    return pair_judge(&first, &second, gated);
}

/* ---- what was seen: figures like an H200's --------------------------------------------------- */

static void over_before_the_next_comes(void) {
    struct pair_seen seen = judge(work(8, 10, 12.4), work(19, 21, 23.4), false);
    EXPECT_INT(seen.is, PAIR_LAUNCH_BOUND);
    EXPECT_NEAR(seen.overlap, 0, 0);
    EXPECT_INT(seen.held_ns, 0);
    EXPECT_INT(seen.late_ns, 8600);
    EXPECT_INT(seen.gap_ns, 8600);
}

/* Queued before the first had ended, but not there yet. */
static void over_while_the_launch_is_on_its_way(void) {
    EXPECT_INT(judge(work(8, 12, 20), work(17, 21.5, 29), false).is, PAIR_LAUNCH_BOUND);
}

static void beside_each_other_as_soon_as_possible(void) {
    struct pair_seen seen = judge(work(8, 10, 34), work(19, 21.5, 60), false);
    EXPECT_INT(seen.is, PAIR_CONCURRENT);
    EXPECT_NEAR(seen.overlap, 12.5 / 24, 1e-9);
    EXPECT_INT(seen.gap_ns, -12500);
}

static void only_in_the_tail(void) {
    struct pair_seen seen = judge(work(8, 10, 17010), work(19, 16470, 33470), false);
    EXPECT_INT(seen.is, PAIR_TAIL_ONLY);
    EXPECT_NEAR(seen.overlap, 540.0 / 17000, 1e-9);
    EXPECT_INT(seen.held_ns, 16449000);
}

static void held_to_the_end(void) {
    EXPECT_INT(judge(work(8, 10, 17010), work(19, 17011.4, 34011), false).is, PAIR_SERIAL);
    EXPECT_INT(judge(work(8, 10, 17010), work(19, 17010, 34011), false).is, PAIR_SERIAL);
}

/* Behind a gate both are queued long before the first starts. */
static void behind_a_gate(void) {
    EXPECT_INT(judge(work(8, 100, 102.4), work(19, 101.1, 103.5), true).is, PAIR_CONCURRENT);
    EXPECT_INT(judge(work(8, 100, 102.4), work(19, 103.8, 106.2), true).is, PAIR_SERIAL);
    EXPECT_INT(judge(work(8, 100, 384), work(19, 250, 540), true).is, PAIR_TAIL_ONLY);
}

/* The gate may let the second stream go first: then the tail is that of its product. */
static void gate_lets_the_second_go_first(void) {
    struct pair_seen seen = judge(work(8, 250, 540), work(19, 100, 384), true);
    EXPECT_INT(seen.is, PAIR_TAIL_ONLY);
    EXPECT_INT(seen.gap_ns, -134000);
}

/* The host was interrupted for 500 us: inside the first call, before or after its launch. */
static void interrupted_host(void) {
    EXPECT_INT(judge(work(508, 510, 17510), work(519, 16970, 34000), false).is, PAIR_TAIL_ONLY);
    EXPECT_INT(judge(work(508, 10, 17010), work(519, 16470, 33470), false).is, PAIR_TAIL_ONLY);
    EXPECT_INT(judge(work(508, 10, 12.4), work(519, 521, 523.4), false).is, PAIR_LAUNCH_BOUND);
}

static void most_rounds_decide(void) {
    struct pair_seen rounds[5] = {{.is = PAIR_CONCURRENT, .overlap = 0.6},
                                  {.is = PAIR_LAUNCH_BOUND},
                                  {.is = PAIR_CONCURRENT, .overlap = 0.4},
                                  {.is = PAIR_LAUNCH_BOUND},
                                  {.is = PAIR_CONCURRENT, .overlap = 0.5}};
    struct pair_seen seen = pair_majority(rounds, 5);
    EXPECT_INT(seen.is, PAIR_CONCURRENT);
    EXPECT_NEAR(seen.overlap, 0.5, 0);
    EXPECT_INT(pair_majority(&rounds[1], 1).is, PAIR_LAUNCH_BOUND);
}

/* ---- what to expect -------------------------------------------------------------------------- */

static struct pair_facts facts(double spacing_us, double kernel_us, long blocks, int capacity) {
    return (struct pair_facts){.spacing_ns = spacing_us * 1000,
                               .kernel_ns = kernel_us * 1000,
                               .blocks = blocks,
                               .capacity = capacity,
                               .sms = 132};
}

static const char *predicted(struct pair_facts f) {
    struct pair_prediction is = pair_predict(&f);
    return pair_prediction_name(&is);
}

static const char *predicted_gated(struct pair_facts f, double release_us) {
    f.gated = true;
    f.release_ns = release_us * 1000;
    return predicted(f);
}

static const char *predicted_one_stream(struct pair_facts f) {
    f.same_stream = true;
    return predicted(f);
}

/* Kernel times, blocks and spacing (under the tracer) of an H200. */
static void dims_of_an_h200(void) {
    EXPECT_TEXT(predicted(facts(8.6, 2.3, 1, 660)), "launch-bound");
    EXPECT_TEXT(predicted(facts(11, 2.4, 4, 660)), "launch-bound");
    EXPECT_TEXT(predicted(facts(11, 3.9, 64, 660)), "launch-bound");
    EXPECT_TEXT(predicted(facts(11, 8, 128, 396)), "launch-bound or concurrent");
    EXPECT_TEXT(predicted(facts(12, 24, 288, 396)), "concurrent");
    EXPECT_TEXT(predicted(facts(11, 42, 128, 264)), "concurrent or tail-only");
    EXPECT_TEXT(predicted(facts(11, 127, 1152, 396)), "tail-only");
    EXPECT_TEXT(predicted(facts(11, 284, 512, 264)), "tail-only");
    EXPECT_TEXT(predicted(facts(13, 17000, 8192, 264)), "tail-only");
}

static void one_stream_waits(void) {
    EXPECT_TEXT(predicted_one_stream(facts(11, 2.4, 4, 660)), "launch-bound");
    EXPECT_TEXT(predicted_one_stream(facts(11, 10, 4, 660)), "launch-bound or serial");
    EXPECT_TEXT(predicted_one_stream(facts(11, 12, 4, 660)), "serial or launch-bound");
    EXPECT_TEXT(predicted_one_stream(facts(11, 24, 288, 396)), "serial");
    EXPECT_TEXT(predicted_one_stream(facts(13, 17000, 8192, 264)), "serial");
}

static void gate_takes_the_launch_time_out(void) {
    EXPECT_TEXT(predicted_gated(facts(11, 2.4, 4, 660), 0.3), "concurrent");
    EXPECT_TEXT(predicted_gated(facts(11, 3.9, 64, 660), 1), "concurrent");
    EXPECT_TEXT(predicted_gated(facts(11, 2.4, 4, 660), 1.1), "concurrent or serial");
    EXPECT_TEXT(predicted_gated(facts(13, 17000, 8192, 264), 0.3), "tail-only");
    struct pair_facts one = facts(11, 2.4, 4, 660);
    one.gated = one.same_stream = true;
    EXPECT_TEXT(predicted(one), "serial");
}

/* The last of two waves has begun when the second product comes. */
static void comes_in_the_last_wave(void) {
    EXPECT_TEXT(predicted(facts(40, 70, 140, 132)), "concurrent or tail-only");
    EXPECT_TEXT(predicted(facts(5, 400, 140, 132)), "tail-only");
}

/* A last wave without a place left promises nothing. */
static void full_last_wave(void) {
    struct pair_facts full = facts(11, 1000, 2640, 264);
    struct pair_prediction is = pair_predict(&full);
    EXPECT_TEXT(pair_prediction_name(&is), "tail-only or serial");
    EXPECT_NEAR(is.overlap, 0, 0);
    EXPECT(pair_agrees(&is, PAIR_SERIAL));
    EXPECT(!pair_agrees(&is, PAIR_CONCURRENT));
}

static void tail_is_one_wave(void) {
    struct pair_facts f = facts(13, 17000, 8192, 264);
    EXPECT_NEAR(pair_predict(&f).overlap, 1.0 / 32, 1e-12);
    f = facts(13, 26, 288, 396);
    EXPECT_NEAR(pair_predict(&f).overlap, 0.5, 1e-12);
}

static void unknown_blocks(void) {
    EXPECT_TEXT(predicted(facts(11, 100, 0, 0)), "concurrent or tail-only or serial");
    EXPECT_TEXT(predicted(facts(11, 2.4, 0, 0)), "launch-bound");
    EXPECT_TEXT(predicted_one_stream(facts(11, 100, 0, 0)), "serial");
}

/* Whatever the figures: the likely class is possible, serial is the only one beside launch-bound in
 * one stream, and a gate leaves nothing launch-bound. */
static void any_figures(void) {
    for (int i = 0; i < 28; i++)
        for (long blocks = 1; blocks < 20000; blocks = blocks * 3 + 1)
            for (int capacity = 8; capacity < 3000; capacity *= 3) {
                double kernel = 0.5 * pow(1.7, i);
                struct pair_facts f = facts(10, kernel, blocks, capacity);
                struct pair_prediction open = pair_predict(&f);
                f.gated = true;
                struct pair_prediction gated = pair_predict(&f);
                f.gated = false;
                f.same_stream = true;
                struct pair_prediction one = pair_predict(&f);
                if (!pair_agrees(&open, open.likely) || !pair_agrees(&gated, gated.likely) ||
                    pair_agrees(&gated, PAIR_LAUNCH_BOUND) || pair_agrees(&one, PAIR_CONCURRENT) ||
                    pair_agrees(&one, PAIR_TAIL_ONLY) || gated.possible == PAIR_ANY ||
                    !(open.overlap >= 0 && open.overlap <= 1)) {
                    EXPECT(!"consistent");
                    printf("# kernel %g us, %ld blocks of %d\n", kernel, blocks, capacity);
                    return;
                }
            }
    EXPECT(true);
}

/* About as long as the spacing, in waves of 2 us that end all at once. */
static void nothing_to_say(void) {
    EXPECT_TEXT(predicted(facts(10, 12, 40, 8)), "any");
}

static void packed_in_waves(void) {
    struct pair_facts f = facts(10, 42, 128, 132);
    EXPECT_NEAR(packed_ns(&f, 32), 32 * 42000.0, 1); /* 4096 blocks: 31.03 waves, so 32 */
    f = facts(10, 2.4, 4, 660);
    EXPECT_NEAR(packed_ns(&f, 32), 2400, 1e-6);
    f.capacity = 0;
    EXPECT(isnan(packed_ns(&f, 32)));
}

/* ---- from a timeline ------------------------------------------------------------------------- */

static void add(const char *part, enum span_kind kind, const char *name, uint32_t correlation,
                int64_t start, int64_t end) {
    struct span span = {.part = part,
                        .kind = kind,
                        .name = name,
                        .correlation = correlation,
                        .start_ns = start,
                        .end_ns = end};
    timeline_add(&span);
}

/* A call that launches two kernels, behind a gate; the second kernel of the first call starts
 * after the first of the second call. */
static void calls_of_several_kernels(void) {
    size_t from = timeline_count();
    struct queued_work of[2];
    add("x", SPAN_API, "cudaLaunchKernel", 1, 100, 200);
    add("x", SPAN_KERNEL, "gate_kernel(int volatile*, spin_guard*)", 1, 300, 5000);
    for (uint32_t i = 0; i < 4; i++)
        add("x", SPAN_API, "cudaLaunchKernel", 2 + i, 1000 + 100 * i, 1090 + 100 * i);
    add("x", SPAN_KERNEL, "dgemm", 2, 5100, 6000);
    add("x", SPAN_KERNEL, "reduce", 3, 6100, 6500);
    add("x", SPAN_KERNEL, "dgemm", 4, 5200, 6300);
    add("x", SPAN_KERNEL, "reduce", 5, 6600, 6700);
    timeline_sort(from);
    EXPECT_INT(trace_work_of_calls("x", 2, of), 2);
    EXPECT_INT(of[0].queued_ns, 1090);
    EXPECT_INT(of[0].start_ns, 5100);
    EXPECT_INT(of[0].end_ns, 6500);
    EXPECT_INT(of[1].queued_ns, 1290);
    EXPECT_INT(of[1].start_ns, 5200);
    EXPECT_INT(of[1].end_ns, 6700);
    EXPECT_TEXT(trace_kernel("x", 0)->name, "dgemm");
    EXPECT(trace_kernel("x", 4) == NULL);
}

static void records_that_do_not_divide(void) {
    struct queued_work of[3];
    EXPECT_INT(trace_work_of_calls("x", 3, of), 0);
    EXPECT_INT(trace_work_of_calls("no such part", 2, of), 0);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"over before the next comes", over_before_the_next_comes},
        {"over while the launch is on its way", over_while_the_launch_is_on_its_way},
        {"beside each other as soon as possible", beside_each_other_as_soon_as_possible},
        {"only in the tail", only_in_the_tail},
        {"held to the end", held_to_the_end},
        {"behind a gate", behind_a_gate},
        {"gate lets the second go first", gate_lets_the_second_go_first},
        {"interrupted host", interrupted_host},
        {"most rounds decide", most_rounds_decide},
        {"dims of an H200", dims_of_an_h200},
        {"one stream waits", one_stream_waits},
        {"gate takes the launch time out", gate_takes_the_launch_time_out},
        {"comes in the last wave", comes_in_the_last_wave},
        {"full last wave", full_last_wave},
        {"tail is one wave", tail_is_one_wave},
        {"unknown blocks", unknown_blocks},
        {"any figures", any_figures},
        {"nothing to say", nothing_to_say},
        {"packed in waves", packed_in_waves},
        {"calls of several kernels", calls_of_several_kernels},
        {"records that do not divide", records_that_do_not_divide},
    };
    return TAP_RUN(tests);
}
