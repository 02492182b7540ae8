/* Lab 6, peer-copies: does a copy from device to device run beside other work?
 *
 * a. Inside one GPU, beside a kernel that fills it or leaves half of its SMs empty. Between two
 * GPUs, beside kernels that fill both: (b) with peer access not enabled, (c) with it enabled. Each
 * in a stream of the GPU the data comes from or goes to, in the kernel's own stream or another,
 * one way or both ways at once. Every copy is verified byte by byte.
 *
 * For charts. <words>: a: "<own|other> <full|half>"; b and c: "<from-stream|to-stream> <own|other>
 * <one-way|both-ways>". Timeline parts: the letter and the words, joined by dashes:
 * "a-other-full", "c-to-stream-other-both-ways". Results, each with the words last:
 * "return" (ns, host), "copy" (ns, by events round the call), "rate" (bytes/ns),
 * "overlap from-kernel", in b and c "overlap to-kernel", "overlap back-copy" both ways, "begun at"
 * (share: of a kernel's time that had passed when the copy began; of two, the larger),
 * "staged" (count: 1 if recorded as a copy to the host and one from it), "back copy" (ns, by
 * events), "wrong bytes" (bytes). a: "bytes", "kernel" (ns). "host-link rate" (bytes/ns).
 * All parts: "limit of rates" (bytes/ns: what no copy can beat). b: "large ..." (large.h). c:
 * "enable" (ns). */
#include <math.h>

#include "lab.h"
#include "large.h"
#include "fastest.h"
#include "part.h"
#include "text.h"

enum { MIB = 1 << 20 };

static int64_t bytes = 64 * MIB, large_bytes = (int64_t)1024 * MIB, kernel_ns = 10 * MS, peer = -1;
static const struct option_spec options[] = {
    {"bytes", OPTION_BYTES, &bytes, 1 * MIB, (int64_t)4096 * MIB, NULL, "size of each copy"},
    {"large-bytes", OPTION_BYTES, &large_bytes, 2 * MIB, (int64_t)1 << 36, NULL,
     "size of one more copy in part b, to see what its call waits for"},
    {"sleep", OPTION_TIME, &kernel_ns, 1 * MS, 1000 * MS, NULL, "how long the kernels run"},
    {"peer", OPTION_INT, &peer, -1, 63, NULL, "the second GPU; -1: the next after --device"},
    {}};

static double host_rate; /* of the link to the host, bytes per ns, as measured */

static const char *done_by_then(const struct seen *seen) {
    return seen->copy_done ? "the copy" : seen->kernel_waited ? "the kernel" : "nothing";
}

static void row_of_seen(const struct seen *seen) {
    table_cell("%s", show_time(seen->return_ns));
    table_cell("%s", done_by_then(seen));
    table_cell("%s", show_time(seen->copy_ns));
    table_cell("%s", show_rate((double)bytes, seen->copy_ns));
    table_cell("%s", isnan(seen->over_from) ? "-" : show_percent(seen->over_from));
}

static void check_overlap(const char *id, double over, const char *why) {
    if (isnan(over))
        check_cannot_show(id, text("The tracer (%s) recorded no such copy.", tracer_name()));
    else
        check(id, over > 0, show_percent(over), "more than 0 % overlap", why);
}

/* ---- a: inside one GPU ----------------------------------------------------------------------- */

static void check_inside(const struct part *part, int full, int half) {
    const struct seen *in_half = &part->seen[half], *in_full = &part->seen[full];
    check("a-returns-early", in_half->return_ns < (double)kernel_ns / 2,
          show_time(in_half->return_ns),
          text("under half of the kernel, %s", show_time((double)kernel_ns / 2)),
          "The call only queues the copy.");
    check_overlap("a-runs-beside-half", in_the_tail(in_half) ? 0 : in_half->over_from,
                  "From another stream the copy runs beside a kernel that leaves SMs empty.");
    if (in_full->over_from <= 0 || in_the_tail(in_full))
        check_cannot_show("a-runs-beside-full",
                          "This copy waited until the kernel that filled the GPU had nearly ended: "
                          "SMs carry copies inside this GPU, and they had no room.");
    else
        check_overlap("a-runs-beside-full", in_full->over_from,
                      "It even runs beside a kernel that fills every SM, so something else carries "
                      "it: a copy engine.");
}

static void inside_one_gpu(const struct gpu *gpu) {
    static struct part part = {"a", 0, {}, {}};
    result_value("a", "bytes", "bytes", (double)bytes);
    result_value("a", "kernel", "ns", (double)kernel_ns);
    result_value("a", "host-link rate", "bytes/ns", host_rate);
    table_begin(8, "stream", "kernel fills", "returned", "by then", "copy", "rate",
                "over the kernel", "begun at");
    for (int own = 1; own >= 0; own--) {
        for (int half = 0; half <= 1; half++) {
            struct way way = {gpu,       gpu,           false,     own != 0, false,
                              half != 0, (size_t)bytes, kernel_ns, NAN};
            const struct seen *seen =
                part_run(&part, &way, text("%s %s", own ? "own" : "other", half ? "half" : "full"));
            table_cell("%s", own ? "kernel's" : "another");
            table_cell("%s", half ? "half of the SMs" : "the GPU");
            row_of_seen(seen);
            table_cell("%s", show_percent(fmin(1, seen->begun_at)));
        }
    }
    table_end();
    say("begun at: share of the kernel's time that had passed when the copy began.");
    say_where_times_come_from(&part);
    check_rates(&part);
    check_data(&part);
    check_own_stream_waits(&part);
    check_inside(&part, 2, 3);
}

static void cannot_show(const char *id, const char *why) {
    say("Nothing can be shown here. %s", why);
    check_cannot_show(id, why);
}

/* ---- b and c: between two GPUs --------------------------------------------------------------- */

static void run_all_ways(struct part *part, const struct gpu *a, const struct gpu *b) {
    table_begin(10, "of", "stream", "ways", "returned", "by then", "copy", "rate",
                text("over GPU %d", a->index), text("over GPU %d", b->index), "over back");
    for (int i = 0; i < 8; i++) {
        bool to_stream = i & 4, own = !(i & 2), both = i & 1;
        struct way way = {a, b, to_stream, own, both, false, (size_t)bytes, kernel_ns, NAN};
        const char *of = to_stream ? "to-stream" : "from-stream", *in = own ? "own" : "other";
        const char *ways = both ? "both-ways" : "one-way";
        const struct seen *seen = part_run(part, &way, text("%s %s %s", of, in, ways));
        table_cell("GPU %d", to_stream ? b->index : a->index);
        table_cell("%s", own ? "kernel's" : "another");
        table_cell("%s", both ? "both" : "one");
        row_of_seen(seen);
        table_cell("%s", isnan(seen->over_to) ? "-" : show_percent(seen->over_to));
        table_cell("%s", isnan(seen->over_back) ? "-" : show_percent(seen->over_back));
    }
    table_end();
    bool stand_in = false;
    for (int i = 0; i < part->n; i++)
        stand_in |= part->seen[i].call_stands_in;
    if (stand_in)
        say("Some copies left no record in the trace; their calls held the host until the copy was "
            "done, so the time of the call stands for them.");
}

/* The plainest case: one way, in another stream of either GPU. */
enum { PLAIN_FROM = 2, PLAIN_TO = 6 };

/* By events: they hold whatever the tracer records. */
static double rate(const struct part *part) {
    return (double)bytes / part->seen[PLAIN_FROM].events_ns;
}

/* Through the host the data would cross the host's link: twice, once for each GPU. Bytes are known
 * to go directly only if they are faster than both crossings at once could be. */
static bool too_fast_for_host(const struct part *part) {
    return rate(part) > 2 * host_rate && within_limit(SPAN_PEER, rate(part), 1) &&
           !part_staged(part);
}

static const char *path_of_bytes(const struct part *part) {
    if (part_staged(part))
        return "passed through the host: the tracer recorded them on their way to it and from it";
    return too_fast_for_host(part) ? "did not pass through the host"
                                   : "may well have passed through the host";
}

static void describe(const struct part *part) {
    const struct seen *from = &part->seen[PLAIN_FROM], *to = &part->seen[PLAIN_TO];
    say("One way, in another stream of the GPU the data comes from: the call returned after %s "
        "with %s done by then, and the copy ran at %s, %s of it beside the kernel there. In a "
        "stream of the GPU it goes to: %s, %s, %s, %s beside that one's kernel. The link to the "
        "host carries %s, so these bytes %s.",
        show_time(from->return_ns), done_by_then(from), show_rate((double)bytes, from->copy_ns),
        show_percent(from->over_from), show_time(to->return_ns), done_by_then(to),
        show_rate((double)bytes, to->copy_ns), show_percent(to->over_to), show_rate(host_rate, 1),
        path_of_bytes(part));
    say_where_times_come_from(part);
    say_what_was_held_back(part);
}

static void check_staged(const struct part *part) {
    const char *id = "b-staged", *by = part_staged(part) ? "recorded so" : show_rate(rate(part), 1);
    if (too_fast_for_host(part))
        check_cannot_show(id, "Faster than the links to the host: the driver does not stage copies "
                              "between these GPUs, although peer access is not enabled.");
    else if (part_staged(part) || rate(part) <= host_rate)
        check(id, true, by, text("recorded so, or at most %s", show_rate(host_rate, 1)),
              "Without peer access the bytes pass through the host, no faster than its link.");
    else
        check_cannot_show(id, "The tracer does not say, and the rate could be that of either way.");
}

static void not_enabled(const struct gpu *a, const struct gpu *b) {
    static struct part part = {"b", 0, {}, {}};
    run_all_ways(&part, a, b);
    describe(&part);
    check_rates(&part);
    check_staged(&part);
    check_data(&part);
    check_own_stream_waits(&part);
    double over = part_most_over_kernels(&part);
    if (over <= 0)
        check_cannot_show("b-runs-beside-kernels", "No copy ran while both kernels did.");
    else
        check_overlap("b-runs-beside-kernels", over, "Even a staged copy needs no SM.");
    large_copy(a, b, (size_t)large_bytes);
}

static void check_enabled(const struct part *part) {
    double slowest_ns = part_slowest_return_ns(part);
    check_rates(part);
    check_data(part);
    check_own_stream_waits(part);
    check("c-returns-early", slowest_ns < (double)kernel_ns / 2, show_time(slowest_ns),
          text("under half of the kernels, %s", show_time((double)kernel_ns / 2)),
          "With peer access the call only queues the copy, whichever GPU's other stream it is in.");
    check_overlap("c-runs-beside-kernels", part_most_over_kernels(part),
                  "The copy runs while kernels fill both GPUs: a copy engine carries it.");
    if (part_most_over_back(part) <= 0 && part_back_never_held(part))
        check_cannot_show("c-both-ways-at-once", "Each copy was over before the one the other way "
                                                 "was queued; take more --bytes.");
    else
        check_overlap("c-both-ways-at-once", part_most_over_back(part),
                      "Copies of both directions run at the same time.");
    if (too_fast_for_host(part))
        check("c-direct", true, show_rate(rate(part), 1),
              text("over 2 x %s", show_rate(host_rate, 1)),
              "Faster than the links to the host: the data goes from GPU to GPU.");
    else if (part_staged(part))
        check_cannot_show("c-direct", "Peer access is enabled, yet the tracer recorded copies to "
                                      "the host and from it.");
    else
        check_cannot_show("c-direct", "No faster than the links to the host, so the rate does not "
                                      "tell whether the data passed through it.");
}

static void enabled(const struct gpu *a, const struct gpu *b) {
    static struct part part = {"c", 0, {}, {}};
    const char *none = no_peer_access(a, b);
    if (none) {
        cannot_show("c-peer-access", none);
        return;
    }
    int64_t before_ns = wall_ns();
    enable_peer_access(a, b);
    double enable_ns = (double)(wall_ns() - before_ns);
    result_value("c", "enable", "ns", enable_ns);
    cudaError_t again = enable_peer_access(a, b);
    say("Enabling access both ways took %s. Enabling it again answers %s, which is no reason to "
        "stop.",
        show_time(enable_ns), cudaGetErrorName(again));
    run_all_ways(&part, a, b);
    describe(&part);
    uint64_t wrong = part_wrong_bytes(&part);
    if (wrong > 0) /* the machine's fault, not the reader's */
        check_cannot_show("c-data", text("Peer access is offered, but %llu bytes arrived wrong: do "
                                         "not use it here (often the IOMMU or PCIe ACS).",
                                         (unsigned long long)wrong));
    else
        check_enabled(&part);
    check("c-enable-twice", again == cudaErrorPeerAccessAlreadyEnabled, cudaGetErrorName(again),
          "cudaErrorPeerAccessAlreadyEnabled", "The second time is answered, and does no harm.");
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"copies inside one GPU",
                                        "copies between two GPUs, peer access not enabled",
                                        "copies between two GPUs, peer access enabled", NULL};
    const struct lab lab = {"lab-6", "peer-copies",
                            "Does a copy from device to device run beside other work? Inside one "
                            "GPU, and between two with peer access enabled and not.",
                            parts, options};
    lab_begin(&lab, argc, argv);
    bytes -= bytes % 8; /* patterns are counted in words */
    const char *alone = no_second_gpu(&peer);
    struct gpu first = gpu_new(device()->index, (size_t)bytes), second;
    if (!alone)
        second = gpu_new((int)peer, (size_t)bytes);
    host_rate = host_link_rate(&first, (size_t)bytes);
    limits_init(&first, alone ? NULL : &second, host_rate);
    if (!alone)
        say("The two GPUs are GPU %d and GPU %d.", first.index, second.index);

    if (part_begin('a'))
        inside_one_gpu(&first);
    if (part_begin('b')) {
        if (alone)
            cannot_show("b-two-gpus", alone);
        else
            not_enabled(&first, &second);
    }
    if (part_begin('c')) {
        if (alone)
            cannot_show("c-two-gpus", alone);
        else
            enabled(&first, &second);
    }
    gpu_free(&first);
    if (!alone)
        gpu_free(&second);
    return lab_end();
}
