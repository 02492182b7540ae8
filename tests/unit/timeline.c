#include "timeline.h"

#include <stdlib.h>

#include "error.h"
#include "folder.h"
#include "tap.h"

static struct span span_of(enum span_kind kind, int stream, int64_t start_ns, int64_t end_ns,
                           uint32_t correlation) {
    struct span s = {0};
    s.part = "a";
    s.kind = kind;
    s.name = "x";
    s.stream = stream;
    s.start_ns = start_ns;
    s.end_ns = end_ns;
    s.correlation = correlation;
    return s;
}

static void add(enum span_kind kind, int stream, int64_t start_ns, int64_t end_ns,
                uint32_t correlation) {
    struct span s = span_of(kind, stream, start_ns, end_ns, correlation);
    timeline_add(&s);
}

/* The timeline of a test starts here: earlier tests have left theirs before it. */
static size_t from;

static void begin(void) {
    from = timeline_count();
}

static size_t added(void) {
    return timeline_count() - from;
}

static const struct span *nth(size_t i) {
    return timeline_at(from + i);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names_are_kept_once(void) {
    char text[32] = "gemm<double, 16>";
    const char *name = timeline_name(text);
    EXPECT(name != text);
    EXPECT(timeline_name("gemm<double, 16>") == name);
    strcpy(text, "other");
    EXPECT_TEXT(name, "gemm<double, 16>");
    EXPECT(timeline_name("") == timeline_name(""));
}

static void many_names(void) {
    static const char *names[20000];
    char text[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "kernel_%d", i);
        names[i] = timeline_name(text);
    }
    int same = 0;
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "kernel_%d", i);
        same += timeline_name(text) == names[i] && strcmp(names[i], text) == 0;
    }
    EXPECT_INT(same, 20000);
}

/* ---- order and look-up ----------------------------------------------------------------------- */

static void spans_are_found_in_launch_order(void) {
    begin();
    add(SPAN_KERNEL, 7, 300, 400, 12);
    add(SPAN_API, -1, 100, 110, 11);
    add(SPAN_KERNEL, 7, 120, 290, 11);
    add(SPAN_API, -1, 111, 115, 12);
    for (size_t i = 0; i < added(); i++)
        ((struct span *)nth(i))->part = "find-order";
    timeline_sort(from);
    EXPECT_INT(nth(0)->kind, SPAN_API);
    EXPECT_INT(nth(1)->start_ns, 120);
    EXPECT_INT(nth(2)->start_ns, 111);
    EXPECT_INT(timeline_find("find-order", SPAN_KERNEL, 1)->start_ns, 300);
    EXPECT(timeline_find("find-order", SPAN_KERNEL, 2) == NULL);
    EXPECT(timeline_find("find", SPAN_KERNEL, 0) == NULL);
    EXPECT(timeline_find("find-order", SPAN_H2D, 0) == NULL);
    EXPECT_INT(timeline_count_of("find-order", SPAN_API), 2);
    EXPECT_INT(timeline_count_of("find-order", SPAN_BLOCK), 0);
}

static void sorting_leaves_earlier_spans_alone(void) {
    begin();
    add(SPAN_KERNEL, 7, 900, 901, 99);
    size_t next = timeline_count();
    add(SPAN_KERNEL, 7, 500, 501, 2);
    add(SPAN_KERNEL, 7, 400, 401, 1);
    timeline_sort(next);
    EXPECT_INT(nth(0)->start_ns, 900);
    EXPECT_INT(nth(1)->start_ns, 400);
}

static void the_call_of_work(void) {
    begin();
    add(SPAN_API, -1, 1, 2, 501);
    add(SPAN_KERNEL, 7, 3, 4, 501);
    add(SPAN_KERNEL, 7, 5, 6, 502); /* its call was not recorded */
    add(SPAN_API, -1, 1, 2, 0);
    add(SPAN_KERNEL, 7, 3, 4, 0); /* no correlation */
    EXPECT(timeline_call_of(nth(1)) == nth(0));
    EXPECT(timeline_call_of(nth(2)) == NULL);
    EXPECT(timeline_call_of(nth(4)) == NULL);
    struct span copy = *nth(1); /* not in the timeline itself */
    EXPECT(timeline_call_of(&copy) == nth(0));
    copy.part = "another";
    EXPECT(timeline_call_of(&copy) == NULL);
}

static void a_pointer_stays_good(void) {
    begin();
    add(SPAN_KERNEL, 7, 12345, 12346, 1);
    const struct span *first = nth(0);
    for (int i = 0; i < 100000; i++)
        add(SPAN_KERNEL, 8, 2 * i + 1, 2 * i + 2, 2);
    EXPECT(nth(0) == first);
    EXPECT_INT(first->start_ns, 12345);
    EXPECT_INT(added(), 100001);
}

static void read_past_the_end(void *unused) {
    (void)unused;
    timeline_at(timeline_count());
}

static void an_index_past_the_end_dies(void) {
    EXPECT_DIES(read_past_the_end, NULL, EXIT_FAIL, "timeline_at");
}

/* ---- two spans ------------------------------------------------------------------------------- */

static double overlap(int64_t a_start, int64_t a_end, int64_t b_start, int64_t b_end) {
    struct span a = span_of(SPAN_KERNEL, 1, a_start, a_end, 1);
    struct span b = span_of(SPAN_KERNEL, 2, b_start, b_end, 2);
    double there = span_overlap(&a, &b), back = span_overlap(&b, &a);
    return there == back ? there : NAN;
}

static void overlap_is_a_share_of_the_shorter(void) {
    EXPECT_NEAR(overlap(0, 100, 50, 150), 0.5, 0);
    EXPECT_NEAR(overlap(0, 100, 75, 95), 1, 0);
    EXPECT_NEAR(overlap(0, 100, 90, 110), 0.5, 0);
    EXPECT_NEAR(overlap(0, 100, 0, 100), 1, 0);
    EXPECT_NEAR(overlap(0, 100, 100, 200), 0, 0); /* touching is not overlapping */
    EXPECT_NEAR(overlap(0, 100, 150, 200), 0, 0);
    EXPECT_NEAR(overlap(0, 100, 50, 50), 0, 0); /* no duration */
}

static void overlap_keeps_ns_of_large_times(void) {
    int64_t t = INT64_C(1750000000000000000); /* a CUPTI time of 2025: no double holds its ns */
    EXPECT_NEAR(overlap(t, t + 1000, t + 999, t + 2000), 0.001, 1e-12);
}

/* ---- validation ------------------------------------------------------------------------------ */

static void records_without_a_duration(void) {
    begin();
    add(SPAN_KERNEL, 7, 0, 100, 1);
    add(SPAN_KERNEL, 7, 100, 0, 2);
    add(SPAN_KERNEL, 7, 100, 100, 3);
    add(SPAN_KERNEL, 7, 100, 99, 4);
    add(SPAN_API, -1, 0, 0, 5);
    add(SPAN_KERNEL, 7, 100, 101, 6);
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.end_before_start, 5);
    EXPECT_INT(rejected_total(&r), 5);
    EXPECT_INT(added(), 1);
    EXPECT_INT(nth(0)->correlation, 6);
}

static void a_kernel_before_its_launch(void) {
    begin();
    add(SPAN_API, -1, 100, 110, 1);
    add(SPAN_KERNEL, 7, 99, 120, 1);
    add(SPAN_API, -1, 200, 210, 2);
    add(SPAN_KERNEL, 7, 200, 220, 2); /* at the same ns is possible */
    add(SPAN_KERNEL, 7, 250, 260, 3); /* its call was lost: nothing to compare with */
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.before_launch, 1);
    EXPECT_INT(rejected_total(&r), 1);
    EXPECT_INT(added(), 4);
    EXPECT_INT(nth(1)->correlation, 2);
}

static void work_that_overlaps_its_own_stream(void) {
    begin();
    add(SPAN_KERNEL, 7, 100, 200, 1);
    add(SPAN_H2D, 7, 199, 300, 2); /* wrong */
    add(SPAN_H2D, 8, 199, 300, 3); /* another stream */
    add(SPAN_KERNEL, 7, 200, 400, 4);
    add(SPAN_D2H, 7, 350, 360, 5); /* inside an earlier one, wrong */
    add(SPAN_MEMSET, 7, 400, 410, 6);
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.own_stream, 2);
    EXPECT_INT(rejected_total(&r), 2);
    EXPECT_INT(added(), 4);
    EXPECT(timeline_count_of("a", SPAN_D2H) == 0);
}

static void the_same_stream_number_on_two_devices(void) {
    begin();
    add(SPAN_KERNEL, 7, 100, 200, 1);
    struct span s = span_of(SPAN_KERNEL, 7, 150, 250, 2);
    s.device = 1;
    timeline_add(&s);
    struct rejected r = timeline_validate(from);
    EXPECT_INT(rejected_total(&r), 0);
}

static void a_rejected_record_hides_no_later_one(void) {
    begin();
    add(SPAN_KERNEL, 7, 100, 200, 1);
    add(SPAN_KERNEL, 7, 150, 900, 2); /* wrong, and its end does not count */
    add(SPAN_KERNEL, 7, 300, 400, 3);
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.own_stream, 1);
    EXPECT_INT(added(), 2);
    EXPECT_INT(nth(1)->correlation, 3);
}

static void nodes_of_one_graph_may_overlap(void) {
    begin();
    add(SPAN_API, -1, 50, 60, 9);
    add(SPAN_KERNEL, 7, 100, 200, 9);
    add(SPAN_KERNEL, 7, 110, 210, 9);
    add(SPAN_KERNEL, 7, 120, 190, 9);
    add(SPAN_KERNEL, 7, 205, 300, 10); /* before the graph has ended, wrong */
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.own_stream, 1);
    EXPECT_INT(added(), 4);
}

static void host_calls_and_blocks_may_overlap(void) {
    begin();
    add(SPAN_API, -1, 100, 200, 1);
    add(SPAN_API, -1, 150, 160, 2); /* another thread */
    add(SPAN_BLOCK, 3, 100, 200, 0);
    add(SPAN_BLOCK, 3, 110, 210, 0); /* two blocks on one SM */
    struct rejected r = timeline_validate(from);
    EXPECT_INT(rejected_total(&r), 0);
    EXPECT_INT(added(), 4);
}

static void two_calls_of_one_correlation(void) {
    begin();
    add(SPAN_API, -1, 300, 310, 1);
    add(SPAN_API, -1, 100, 110, 1);
    add(SPAN_API, -1, 100, 110, 0); /* no correlation, twice */
    add(SPAN_API, -1, 120, 130, 0);
    add(SPAN_KERNEL, 7, 200, 210, 1); /* after the first of the two */
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.duplicate, 1);
    EXPECT_INT(rejected_total(&r), 1);
    EXPECT_INT(added(), 4);
    EXPECT_INT(nth(0)->start_ns, 100);
}

static void a_record_is_rejected_for_one_reason(void) {
    begin();
    add(SPAN_API, -1, 500, 510, 1);
    add(SPAN_KERNEL, 7, 100, 200, 2);
    add(SPAN_KERNEL, 7, 150, 300, 1); /* before its launch, and over its stream */
    struct rejected r = timeline_validate(from);
    EXPECT_INT(r.before_launch, 1);
    EXPECT_INT(r.own_stream, 0);
    EXPECT_INT(added(), 2);
}

static void the_run_adds_up_what_was_rejected(void) {
    int before = rejected_total(timeline_rejected());
    begin();
    add(SPAN_KERNEL, 7, 0, 0, 1);
    timeline_validate(from);
    timeline_lost(3);
    EXPECT_INT(rejected_total(timeline_rejected()), before + 4);
    EXPECT_INT(timeline_rejected()->lost, 3);
    begin();
    struct rejected r = timeline_validate(from); /* nothing to validate */
    EXPECT_INT(rejected_total(&r), 0);
}

/* Against the definition, by looking at each pair: what is left never overlaps its own stream. */
static void random_records_come_out_clean(void) {
    srand(3);
    begin();
    for (int i = 0; i < 2000; i++) {
        int64_t start = rand() % 100000 + 1;
        add(SPAN_KERNEL, rand() % 4, start, start + rand() % 200 - 5, (uint32_t)i + 1);
    }
    struct rejected r = timeline_validate(from);
    EXPECT(r.own_stream > 0 && r.end_before_start > 0);
    EXPECT_INT(added() + (size_t)rejected_total(&r), 2000);
    int overlaps = 0;
    for (size_t i = 0; i < added(); i++) {
        for (size_t k = 0; k < i; k++)
            overlaps += nth(i)->stream == nth(k)->stream && span_overlap(nth(i), nth(k)) > 0;
    }
    EXPECT_INT(overlaps, 0);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void the_file_has_all_columns_and_starts_at_zero(void) {
    bool all[1] = {true};
    while (timeline_count() > 0)
        timeline_remove(timeline_count() - 1, all);
    int64_t t = INT64_C(1750000000000000001);
    struct span call = span_of(SPAN_API, -1, t + 500, t + 900, 4);
    call.name = "cudaMemcpyAsync";
    struct span copy = span_of(SPAN_H2D, 13, t, t + 1000001, 4);
    copy.name = "gemm<double, 16>";
    copy.bytes = UINT64_C(5000000000);
    copy.src = MEMORY_PAGEABLE;
    copy.dst = MEMORY_DEVICE;
    struct span kernel = span_of(SPAN_KERNEL, 13, t + 2000000, t + 3000000, 5);
    kernel.device = 1;
    kernel.grid[0] = 8, kernel.grid[1] = 16, kernel.grid[2] = 1;
    kernel.block[0] = 128, kernel.block[1] = 2, kernel.block[2] = 3;
    timeline_add(&call);
    timeline_add(&copy);
    timeline_add(&kernel);
    folder_new();
    timeline_write(folder);
    EXPECT_TEXT(folder_read("timeline.csv"),
                "part,kind,name,device,stream,start_ns,end_ns,correlation,bytes,src,dst,"
                "grid_x,grid_y,grid_z,block_x,block_y,block_z\n"
                "a,api,cudaMemcpyAsync,0,-1,500,900,4,0,,,0,0,0,0,0,0\n"
                "a,h2d,\"gemm<double, 16>\",0,13,0,1000001,4,5000000000,pageable,device,"
                "0,0,0,0,0,0\n"
                "a,kernel,x,1,13,2000000,3000000,5,0,,,8,16,1,128,2,3\n");
    folder_remove();
}

static void words_of_kinds(void) {
    static const char *const words[] = {"api",  "kernel", "h2d",    "d2h",  "d2d",
                                        "peer", "h2h",    "memset", "block"};
    for (int i = 0; i < SPAN_KINDS; i++)
        EXPECT_TEXT(span_kind_name((enum span_kind)i), words[i]);
    EXPECT_TEXT(memory_kind_name(MEMORY_NONE), "");
    EXPECT_TEXT(memory_kind_name(MEMORY_PINNED), "pinned");
    EXPECT_TEXT(memory_kind_name(MEMORY_MANAGED), "managed");
}

int main(void) {
    static const struct tap_test tests[] = {
        {"names are kept once", names_are_kept_once},
        {"many names", many_names},
        {"spans are found in launch order", spans_are_found_in_launch_order},
        {"sorting leaves earlier spans alone", sorting_leaves_earlier_spans_alone},
        {"the call of work", the_call_of_work},
        {"a pointer to a span stays good", a_pointer_stays_good},
        {"an index past the end dies", an_index_past_the_end_dies},
        {"overlap is a share of the shorter", overlap_is_a_share_of_the_shorter},
        {"overlap keeps ns of large times", overlap_keeps_ns_of_large_times},
        {"records without a duration", records_without_a_duration},
        {"a kernel before its launch", a_kernel_before_its_launch},
        {"work that overlaps its own stream", work_that_overlaps_its_own_stream},
        {"one stream number on two devices", the_same_stream_number_on_two_devices},
        {"a rejected record hides no later one", a_rejected_record_hides_no_later_one},
        {"nodes of one graph may overlap", nodes_of_one_graph_may_overlap},
        {"host calls and blocks may overlap", host_calls_and_blocks_may_overlap},
        {"two calls of one correlation", two_calls_of_one_correlation},
        {"a record is rejected for one reason", a_record_is_rejected_for_one_reason},
        {"the run adds up what was rejected", the_run_adds_up_what_was_rejected},
        {"random records come out clean", random_records_come_out_clean},
        {"the file has all columns, from time 0", the_file_has_all_columns_and_starts_at_zero},
        {"words of kinds", words_of_kinds},
    };
    return TAP_RUN(tests);
}
