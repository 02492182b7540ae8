/* The rounds of a part: what is measured, what is traced, what is left in the timeline. */
#include "run.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#include "clock.h"
#include "error.h"
#include "kernels.h"
#include "results.h"
#include "stats.h"
#include "tap.h"
#include "timeline.h"
#include "tracer.h"

static const char *const parts[] = {"asked for", "not asked for", "asked for", NULL};
static const struct lab lab = {"lab-0", "rounds", "For the unit test.", parts, NULL};

/* A lab's work: one sleeping kernel; counts how often it was asked for and how. */
static struct work {
    int64_t sleep_ns;
    int rounds, traced;
    int64_t last_start_ns;
    struct samples kept;
} work;

static void sleep_round(void *state) {
    struct work *w = (struct work *)state;
    w->rounds++;
    w->traced += tracing();
    w->last_start_ns = wall_ns();
    keep(&w->kept, w->rounds);
    CUDA_CHECK(launch_sleep(1, 32, w->sleep_ns, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
}

static void reset(int64_t sleep_ns) {
    memset(&work, 0, sizeof work);
    work.sleep_ns = sleep_ns;
}

static void a_short_round_is_traced_twice_and_kept_once(void) {
    reset(1 * MS);
    part_rounds("a-short", 5, sleep_round, &work);
    EXPECT_INT(work.rounds, 1 + 5 + 2);
    EXPECT_INT(work.traced, 2);
    EXPECT_INT(work.kept.n, 5);
    EXPECT_NEAR(work.kept.value[0], 2, 0); /* the warm-up was the first */
    EXPECT_NEAR(work.kept.value[4], 6, 0);
    EXPECT_INT(timeline_count_of("a-short", SPAN_KERNEL), 1);
    const struct span *kernel = timeline_find("a-short", SPAN_KERNEL, 0);
    EXPECT(kernel->start_ns > work.last_start_ns);
    EXPECT_NEAR((double)span_ns(kernel), 1e6, 1e5);
    EXPECT(timeline_call_of(kernel) != NULL);
    EXPECT(timeline_call_of(kernel)->start_ns >= work.last_start_ns);
}

static void a_long_round_is_traced_once(void) {
    reset(150 * MS);
    part_rounds("a-long", 3, sleep_round, &work);
    EXPECT_INT(work.rounds, 1 + 3 + 1);
    EXPECT_INT(work.traced, 1);
    EXPECT_INT(work.kept.n, 3);
    EXPECT_INT(timeline_count_of("a-long", SPAN_KERNEL), 1);
}

static void only_the_lab_s_own_calls_are_in_the_timeline(void) {
    reset(1 * MS);
    part_rounds("a-calls", 3, sleep_round, &work);
    EXPECT_INT(timeline_count_of("a-calls", SPAN_API), 2); /* the launch and the synchronisation */
}

static void samples_are_kept_after_the_part_again(void) {
    struct samples s = {0};
    reset(1 * MS);
    part_rounds("a-after", 1, sleep_round, &work);
    keep(&s, 1);
    EXPECT_INT(s.n, 1);
}

static void the_slow_down_is_a_result(void) {
    EXPECT(results_largest("tracer slow-down") >= 1);
}

static void how_many_rounds(void) {
    EXPECT_INT(repeats(99 * MS), 11);
    EXPECT_INT(repeats(100 * MS), 3);
    opt_repeats = 7;
    EXPECT_INT(repeats(1), 7);
    EXPECT_INT(repeats(1000 * MS), 7);
    opt_repeats = 0;
}

static void parts_that_were_asked_for(void) {
    EXPECT(part_begin('a'));
    EXPECT(!part_begin('b'));
    EXPECT(part_begin('c'));
}

static void the_status_follows_the_checks(void) {
    check("a-good", true, "1", "1", "it is so");
    EXPECT_INT(lab_end(), EXIT_PASS);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a short round is traced twice and kept once",
         a_short_round_is_traced_twice_and_kept_once},
        {"a long round is traced once", a_long_round_is_traced_once},
        {"only the lab's own calls are in the timeline",
         only_the_lab_s_own_calls_are_in_the_timeline},
        {"samples are kept after the part again", samples_are_kept_after_the_part_again},
        {"the slow-down is a result", the_slow_down_is_a_result},
        {"how many rounds", how_many_rounds},
        {"parts that were asked for", parts_that_were_asked_for},
        {"the status follows the checks", the_status_follows_the_checks},
    };
    char *argv[] = {"lab-0", "--parts", "ac", NULL};
    unsetenv("CUDA_LAUNCH_BLOCKING");
    lab_begin(&lab, 3, argv);
    return TAP_RUN(tests);
}
