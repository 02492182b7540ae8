/* judge.cu - runs exercise.cu and judges it on the timeline. Not modifiable. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"

#include "judge.h"
#include "lab.h"
#include "spans.h"

enum { WORDS = 4 * 1024 * 1024, KERNEL_MS = 20 };

static struct exercise x;
static struct transform transform; /* x's, which exercise.cu could change */
static uint32_t *input;
static struct samples queue_call;
static bool right = true;
static int64_t traced_return_ns; /* when exercise_queue returned in the traced round */

static void one_round(void *state) {
    (void)state;
    random_words(input, WORDS);
    memcpy(x.host, input, WORDS * sizeof *input);
    int64_t start = wall_ns();
    exercise_queue(&x);
    int64_t end = wall_ns();
    keep(&queue_call, (double)(end - start));
    if (tracing())
        traced_return_ns = end;
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
    right = right && transformed_right(x.host, input, WORDS, &transform);
}

/* What is timed and what is traced are different rounds: both must be of the same sort. */
static void check_traced_round(double busy_ns) {
    double left_ns = fmax(0, (double)(device_end_ns("a") - traced_return_ns));
    check("a-traced-round-too", left_ns >= 0.5 * busy_ns, show_percent(left_ns / busy_ns),
          "at least 50 % of the device's busy time", "left to do when exercise_queue returned");
}

static void judge_queueing(void) {
    double busy_ns = (double)device_busy_ns("a"), queue_ns = stats_of(&queue_call).median;
    say("exercise_queue returned after %s; the device was busy for %s.", show_times(&queue_call),
        show_time(busy_ns));
    result("a", "queue call", "ns", &queue_call);
    result_value("a", "device busy", "ns", busy_ns);
    check("a-queueing-returns", right && queue_ns <= 0.05 * busy_ns,
          counted(show_percent(queue_ns / busy_ns), right, "words wrong"),
          "at most 5 % of the device's busy time, words right",
          "the host is free while the device works");
    check_traced_round(busy_ns);
    check_copies("a-copies", "a", (int64_t)(WORDS * sizeof *input));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"how long queueing holds the host", NULL};
    static const struct lab lab = {"exercise-1", "give the host back",
                                   "Queue copies and a kernel without holding the host.", parts,
                                   NULL};
    lab_begin(&lab, argc, argv);
    transform.key = 12345;
    transform.guard = spin_guard();
    transform.block_cycles = cycles_for(KERNEL_MS * (int64_t)1000000) /
                             waves(transform_blocks(WORDS), transform_capacity());
    x.words = WORDS;
    x.transform = transform;
    input = (uint32_t *)malloc(WORDS * sizeof *input);
    if (!input)
        die(EXIT_ENVIRONMENT, "out of host memory; close other programs");
    exercise_setup(&x);
    if (!x.host)
        die(EXIT_FAIL, "exercise_setup left x->host empty; set it to memory for x->words words");
    if (part_begin('a')) {
        part_rounds("a", repeats((int64_t)KERNEL_MS * 1000000), one_round, NULL);
        check("a-words-right", right, right ? "all right" : "wrong words",
              "every word transformed once", "the device did what was asked, each round anew");
        check_kernel_work("a-kernel-work", "a", (int64_t)KERNEL_MS * 1000000);
        if (judged_on_timeline("a-queueing-returns"))
            judge_queueing();
    }
    exercise_cleanup(&x);
    free(input);
    return lab_end();
}
