/* judge.cu - runs exercise.cu beside the one-piece program and judges it on the timeline.
 * Not modifiable. */
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "judge.h"
#include "lab.h"
#include "spans.h"

enum { WORDS = 16 * 1024 * 1024, ROUNDS = 5 };

static struct exercise x;
static uint32_t *in, *out, *device_words;
static uint32_t *words; /* what is in in: exercise.cu could change that */
static cudaStream_t stream;
static bool right = true;

/* Copy in, kernel, copy out in one piece: what the exercise starts from. */
static void one_piece(void *state) {
    (void)state;
    size_t bytes = x.words * sizeof *in;
    CUDA_CHECK(cudaMemcpyAsync(device_words, in, bytes, cudaMemcpyHostToDevice, stream));
    transform_kernel<<<transform_blocks(x.words), TRANSFORM_THREADS, 0, stream>>>(
        device_words, x.words, x.transform);
    LAUNCH_CHECK();
    CUDA_CHECK(cudaMemcpyAsync(out, device_words, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    spin_check();
}

static void students(void *state) {
    (void)state;
    struct exercise given = x;
    random_words(words, WORDS);
    memcpy(in, words, WORDS * sizeof *in);
    memset(out, 0, WORDS * sizeof *out);
    exercise_queue(&given);
    CUDA_CHECK(cudaDeviceSynchronize());
    spin_check();
    right = right && transformed_right(out, words, WORDS, &x.transform);
}

/* As long as the copy one way, as this device copies: then the three stages weigh the same. */
static void choose_kernel_time(void) {
    float ms = 0;
    cudaEvent_t start, end;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaEventRecord(start, stream));
        CUDA_CHECK(cudaMemcpyAsync(device_words, in, x.words * sizeof *in, cudaMemcpyHostToDevice,
                                   stream));
        CUDA_CHECK(cudaEventRecord(end, stream));
        CUDA_CHECK(cudaEventSynchronize(end));
    }
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, end));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(end));
    x.transform.block_cycles =
        cycles_for((int64_t)(ms * 1e6)) / waves(transform_blocks(x.words), transform_capacity());
}

static void judge(void) {
    double starter_ns = (double)device_makespan_ns("a"), ns = (double)device_makespan_ns("b");
    double hidden = (double)copy_hidden_ns("b") / (double)copy_ns("b");
    say("One piece: %s. Yours: %s, %s of the copies' time beside a kernel.", show_time(starter_ns),
        show_time(ns), show_percent(hidden));
    result_value("a", "makespan", "ns", starter_ns);
    result_value("b", "makespan", "ns", ns);
    result_value("b", "copy time hidden", "share", hidden);
    check("b-makespan", right && ns <= 0.6 * starter_ns,
          counted(show_percent(ns / starter_ns), right, "words wrong"),
          "at most 60 % of the one-piece program's, words right",
          "the three stages work at the same time");
    check("b-copies-hidden", right && hidden >= 0.5,
          counted(show_percent(hidden), right, "words wrong"),
          "at least 50 % of the copies' time beside a kernel, words right",
          "copy engines and SMs work side by side");
    check_copies("b-copies", "b", (int64_t)(x.words * sizeof *in));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"one piece", "exercise.cu", NULL};
    static const struct lab lab = {"exercise-2", "hide the copies",
                                   "Make copies and kernels of 64 MiB overlap.", parts, NULL};
    size_t bytes = WORDS * sizeof *in;
    lab_begin(&lab, argc, argv);
    words = (uint32_t *)malloc(bytes);
    if (!words)
        die(EXIT_ENVIRONMENT, "out of host memory; close other programs");
    CUDA_CHECK(cudaMallocHost((void **)&in, bytes));
    CUDA_CHECK(cudaMallocHost((void **)&out, bytes));
    CUDA_CHECK(cudaMalloc((void **)&device_words, bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    x.words = WORDS;
    x.in = in;
    x.out = out;
    x.transform.key = 12345;
    x.transform.guard = spin_guard();
    random_words(in, WORDS);
    choose_kernel_time();
    struct exercise given = x; /* x stays as it is, whatever exercise.cu does */
    exercise_setup(&given);
    if (part_begin('a'))
        part_rounds("a", ROUNDS, one_piece, NULL);
    if (part_begin('b')) {
        part_rounds("b", ROUNDS, students, NULL);
        check("b-words-right", right, right ? "all right" : "wrong words",
              "every word transformed once", "the device did what was asked, each round anew");
        check_kernel_work("b-kernel-work", "b", total_ns("a", SPAN_KERNEL));
        if (device()->copy_engines < 2)
            check_cannot_show("b-makespan", "This GPU has one copy engine: copies in and out share "
                                            "it, and three stages need two.");
        else if (judged_on_timeline("b-makespan"))
            judge();
    }
    given = x;
    exercise_cleanup(&given);
    free(words);
    CUDA_CHECK(cudaFreeHost(in));
    CUDA_CHECK(cudaFreeHost(out));
    CUDA_CHECK(cudaFree(device_words));
    CUDA_CHECK(cudaStreamDestroy(stream));
    return lab_end();
}
