/* probe - a lab with nothing to teach: one option of each type, and every way to go wrong that the
 * fault tests ask for. It prints its options as it understood them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lab.h"

static int64_t flag, number = 5, size = 64 << 20, sleep_ns = 10 * MS, memory, spans, hold_ns;
static int64_t fail, show_nothing, nan_result, bad_call, too_much_memory;
static struct int_list dims = {2, {64, 256}};
static const char *text;

static const struct option_spec options[] = {
    {"flag", OPTION_FLAG, &flag, 0, 0, NULL, "a flag"},
    {"number", OPTION_INT, &number, 1, 100, NULL, "a number"},
    {"bytes", OPTION_BYTES, &size, 4, 1LL << 40, NULL, "a size"},
    {"sleep", OPTION_TIME, &sleep_ns, 1 * US, 1000 * MS, NULL, "a time"},
    {"memory", OPTION_CHOICE, &memory, 0, 0, "pageable|pinned|registered", "a word"},
    {"dims", OPTION_INT_LIST, &dims, 1, 16384, NULL, "numbers"},
    {"text", OPTION_STRING, &text, 0, 0, NULL, "a text"},
    {"spans", OPTION_INT, &spans, 0, 10000000, NULL, "spans to add to the timeline"},
    {"hold", OPTION_TIME, &hold_ns, 0, 1000LL * 1000 * MS, NULL, "real time to wait in part a"},
    {"fail", OPTION_FLAG, &fail, 0, 0, NULL, "a check fails"},
    {"show-nothing", OPTION_FLAG, &show_nothing, 0, 0, NULL, "no check can be shown"},
    {"nan", OPTION_FLAG, &nan_result, 0, 0, NULL, "a result is not a number"},
    {"bad-call", OPTION_FLAG, &bad_call, 0, 0, NULL, "a CUDA call with a bad argument"},
    {"too-much-memory", OPTION_FLAG, &too_much_memory, 0, 0, NULL, "allocate more than there is"},
    {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
};

static struct samples launch_call;

static void sleep_once(void *stream) {
    TIME_CALL(&launch_call, cudaGetLastError());
    sleep_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(cycles_for(sleep_ns), spin_guard());
    LAUNCH_CHECK();
    CUDA_CHECK(cudaStreamSynchronize((cudaStream_t)stream));
}

static void print_options(void) {
    printf("flag %" PRId64 " number %" PRId64 " bytes %" PRId64 " sleep %" PRId64 " memory %" PRId64
           " text %s dims",
           flag, number, size, sleep_ns, memory, text != NULL ? text : "none");
    for (int i = 0; i < dims.n; i++)
        printf(" %" PRId64, dims.value[i]);
    printf("\n");
}

static void add_spans(void) {
    struct span span;
    memset(&span, 0, sizeof span);
    span.part = "a";
    span.kind = SPAN_H2D;
    span.name = "gemm<double, 16>";
    for (int64_t i = 0; i < spans; i++) {
        span.start_ns = 1000 * i;
        span.end_ns = span.start_ns + 500;
        timeline_add(&span);
    }
}

static void wait_in_real_time(void) {
    struct timespec pause;
    pause.tv_sec = hold_ns / 1000000000;
    pause.tv_nsec = hold_ns % 1000000000;
    nanosleep(&pause, NULL);
}

static void go_wrong(void) {
    void *memory_of_another = NULL;
    if (bad_call)
        CUDA_CHECK(cudaSetDevice(12345));
    if (too_much_memory)
        CUDA_CHECK(cudaMalloc(&memory_of_another, (size_t)1 << 50));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"one sleeping kernel", "nothing", NULL};
    static const struct lab lab = {"probe", "every way to go wrong",
                                   "Has one option of each type and nothing to teach.", parts,
                                   options};
    lab_begin(&lab, argc, argv);
    print_options();
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (part_begin('a')) {
        part_rounds("a", repeats(sleep_ns), sleep_once, stream);
        result("a", "launch call", "ns", &launch_call);
        wait_in_real_time();
        add_spans();
        go_wrong();
        if (nan_result)
            result_value("a", "nothing", "ns", NAN);
        if (show_nothing)
            check_cannot_show("a-nothing", "the probe was told so");
        else
            check("a-kernels", timeline_count_of("a", SPAN_KERNEL) == 1 && !fail,
                  show_time((double)sleep_ns), "one kernel", "one kernel was recorded");
    }
    if (part_begin('b'))
        check_cannot_show("b-nothing", "there is nothing in part b");
    CUDA_CHECK(cudaStreamDestroy(stream));
    return lab_end();
}
