/* peer_traced.c - lab 6: what becomes of the records of copies between GPUs. The records are those
 * of labs/6-peer-copies/recorded/h200-x2 as first recorded, on two H200s under CUPTI. */
#include "tap.h"

#include "../../labs/6-peer-copies/fastest.c"
#include "../../labs/6-peer-copies/traced.c"

enum { BYTES = 64 << 20, HOST_RATE = 55 };

static void prepare(void) {
    static const struct gpu gpus[2] = {{.index = 0}, {.index = 1}};
    tracer_init();
    limits_init(&gpus[0], &gpus[1], HOST_RATE);
}

static void add(const char *part, enum span_kind kind, int device, int stream, int64_t start_ns,
                int64_t end_ns, uint32_t correlation) {
    struct span span = {.part = part,
                        .kind = kind,
                        .name = kind == SPAN_API ? "cudaMemcpyPeerAsync" : span_kind_name(kind),
                        .device = device,
                        .stream = stream,
                        .start_ns = start_ns,
                        .end_ns = end_ns,
                        .correlation = correlation,
                        .bytes = kind == SPAN_API || kind == SPAN_KERNEL ? 0 : BYTES};
    timeline_add(&span);
}

/* Staged, behind the kernel of its own stream. */
static void staged_behind_a_kernel(void) {
    const char *part = "b-from-stream-own-one-way";
    struct traced copy;
    prepare();
    add(part, SPAN_KERNEL, 0, 15, 708392439, 718388482, 32);
    add(part, SPAN_KERNEL, 1, 25, 708421874, 718457619, 38);
    add(part, SPAN_API, 0, -1, 708428055, 708835846, 43);
    add(part, SPAN_D2H, 0, 15, 720270404, 720292004, 43);
    add(part, SPAN_H2D, 1, 20, 720299002, 720320185, 43);
    EXPECT(traced_copy(part, 0, 0, 1940000, &copy));
    EXPECT(copy.staged && copy.by_events);
    EXPECT_INT(copy.disbelieved_ns, 21183);    /* the last that beat its limit */
    EXPECT_INT(copy.span.start_ns, 718388482); /* not before the kernel's end, 8 us later */
    EXPECT_INT(copy.span.end_ns, 720320185);
    EXPECT_INT(copy.span.device, 0);
    EXPECT_INT(copy.span.stream, 15);
    EXPECT_NEAR(overlap_with_kernel(&copy, part, 0), 0, 0);
    EXPECT_NEAR(overlap_with_kernel(&copy, part, 1), 0, 0); /* it may have waited there */
    EXPECT_INT(timeline_count_of(part, SPAN_D2H) + timeline_count_of(part, SPAN_H2D), 0);
    EXPECT_INT(timeline_count_of(part, SPAN_PEER), 1);
    EXPECT_TEXT(timeline_find(part, SPAN_PEER, 0)->name, "staged copy, by events");
    EXPECT_TEXT(timeline_call_of(timeline_find(part, SPAN_PEER, 0))->name, "cudaMemcpyPeerAsync");
}

/* Both ways, in streams with nothing else in them, all over before the kernels are. */
static void staged_both_ways(void) {
    const char *part = "b-from-stream-other-both-ways";
    struct traced copy, back;
    prepare();
    add(part, SPAN_KERNEL, 0, 15, 1246903376, 1256924510, 36);
    add(part, SPAN_KERNEL, 1, 25, 1246912492, 1256911726, 42);
    add(part, SPAN_API, 0, -1, 1246913695, 1247155685, 47);
    add(part, SPAN_D2H, 0, 16, 1249180179, 1249205011, 47);
    add(part, SPAN_H2D, 1, 20, 1249213524, 1249237172, 47);
    add(part, SPAN_D2H, 1, 26, 1249379476, 1249401268, 50);
    add(part, SPAN_H2D, 0, 9, 1249412819, 1249434068, 50);
    EXPECT(traced_copy(part, 0, 0, 2330000, &copy));
    EXPECT(traced_copy(part, 1, 1, 2080000, &back));
    EXPECT_INT(copy.span.start_ns, 1246913695); /* the event came before the call, the copy not */
    EXPECT_INT(span_ns(&back.span), 2080000);
    EXPECT_INT(back.span.device, 1);
    EXPECT_INT(back.span.stream, 26);
    EXPECT_NEAR(overlap_with_kernel(&copy, part, 0), 1, 0);
    EXPECT_NEAR(overlap_with_kernel(&back, part, 1), 1, 0);
    EXPECT_INT(timeline_count_of(part, SPAN_PEER), 2);
}

/* Ended behind the kernel, its last piece began beside it: only that is sure. */
static void only_what_is_sure(void) {
    const char *part = "sure";
    struct traced copy;
    prepare();
    add(part, SPAN_KERNEL, 0, 15, 1000000, 3000000, 1);
    add(part, SPAN_D2H, 0, 16, 2990000, 3010000, 2);
    add(part, SPAN_H2D, 1, 20, 3010000, 3030000, 2);
    EXPECT(traced_copy(part, 0, 0, 1000000, &copy));
    EXPECT_NEAR(overlap_with_kernel(&copy, part, 0), 0.01, 1e-9);
}

static void believed(void) {
    struct traced copy;
    prepare();
    add("direct", SPAN_PEER, 0, 16, 2601578538, 2601753514, 47);
    EXPECT(traced_copy("direct", 0, 0, 9e9, &copy));
    EXPECT(!copy.staged && !copy.by_events && copy.disbelieved_ns == 0);
    EXPECT_INT(span_ns(&copy.span), 174976);
    EXPECT(!traced_copy("direct", 1, 0, 9e9, &copy));
}

/* 64 MiB in 1 us, inside a GPU: no memory is so fast. */
static void too_fast(void) {
    struct traced copy;
    prepare();
    add("fast", SPAN_D2D, 0, 16, 5000000, 5001000, 3);
    EXPECT(traced_copy("fast", 0, 0, 40000, &copy));
    EXPECT(copy.by_events && !copy.staged);
    EXPECT_INT(copy.disbelieved_ns, 1000);
    EXPECT_INT(span_ns(timeline_find("fast", SPAN_D2D, 0)), 40000);
    EXPECT(within_limit(SPAN_D2D, BYTES, 40000) && !within_limit(SPAN_D2D, BYTES, 20000));
    EXPECT(within_limit(SPAN_PEER, BYTES, 20000) && !within_limit(SPAN_H2D, BYTES, 20000));
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a staged copy behind a kernel: its time by events", staged_behind_a_kernel},
        {"staged copies both ways", staged_both_ways},
        {"a copy that ended behind a kernel: what is sure", only_what_is_sure},
        {"a direct copy's record is believed", believed},
        {"a record that beats the memory is not", too_fast},
    };
    return TAP_RUN(tests);
}
