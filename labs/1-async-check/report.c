/* Lab 1: the report of parts a, b and c. */
#include "async_check.h"
#include "device.h"
#include "kernels.h"
#include "link.h"
#include "report.h"
#include "results.h"
#include "text.h"
#include "tracer.h"

#include <math.h>

/* Did the call wait for the work before it, which took before_ns? Work as short as a call may end
 * while the call is made, and then tells nothing; long work may be at its end by then, and a call
 * far shorter than it did not wait for it. Nothing stands before the first call of a round: all it
 * can wait for is its own work. */
static const char *blocked(const struct call *call, double before_ns, double took_ns, bool first) {
    const double short_ns = 50e3;
    if (!first && !mostly(&call->pending))
        return "nothing to wait for";
    if ((first ? took_ns : before_ns) < short_ns)
        return "too short to tell";
    const struct samples *waited = first ? &call->own_done : &call->waited;
    double returned_ns = median_of(&call->returned);
    if (!first && mostly(waited) && returned_ns < before_ns / 10)
        return text("it was just ending, %s", show_count(waited));
    if (mostly(waited))
        return text("yes, %s", show_count(waited));
    if (first && returned_ns > took_ns / 2)
        return "for most of it";
    return text("no, %s", show_count(waited));
}

static void row(const char *part, const char *label, const char *name, const struct call *call,
                const char *work, double took_ns, double before_ns, bool first) {
    if (call->returned.n == 0)
        return;
    table_cell("%s", label);
    table_cell("%s", show_times(&call->returned));
    table_cell("%s", work);
    table_cell("%s", show_time(took_ns));
    table_cell("%s", blocked(call, before_ns, took_ns, first));
    result(part, name, "ns", &call->returned);
}

struct took report_calls(const struct work *w) {
    struct took t;
    t.copy_in_ns = device_ns(w->part, SPAN_H2D);
    t.kernel_ns = device_ns(w->part, SPAN_KERNEL);
    t.copy_out_ns = device_ns(w->part, SPAN_D2H);
    t.all_ns = w->in ? t.copy_in_ns + t.kernel_ns + t.copy_out_ns : t.kernel_ns;
    table_begin(5, "call", "returned after", "device work", "which took", "blocked");
    row(w->part, "copy in", "h2d call", &w->copy_in, "copy in", t.copy_in_ns, 0, true);
    row(w->part, "launch", "launch call", &w->launch, "kernel", t.kernel_ns, t.copy_in_ns, !w->in);
    row(w->part, "copy out", "d2h call", &w->copy_out, "copy out", t.copy_out_ns, t.kernel_ns,
        false);
    row(w->part, "callback", "callback call", &w->callback, "none", NAN, t.kernel_ns, false);
    row(w->part, "synchronise", "synchronise call", &w->synchronise, "all of it", t.all_ns,
        t.kernel_ns, false);
    table_end();
    result_value(w->part, "kernel device", "ns", t.kernel_ns);
    if (w->in) {
        result_value(w->part, "h2d device", "ns", t.copy_in_ns);
        result_value(w->part, "d2h device", "ns", t.copy_out_ns);
    }
    say("blocked: calls that came back only when the work before them in the stream was over, "
        "although it had not been when they were made; a call less than a tenth as long as that "
        "work came as it was just ending. The first call of a round has nothing before it: there "
        "it says whether its own work was over. The callback's flag, read right after queueing, "
        "was set in %s rounds; after cudaStreamSynchronize in %s.",
        show_count(&w->flag_after_queueing), show_count(&w->flag_after_synchronise));
    return t;
}

/* How many waves the kernel took, and why. */
void explain_waves(const char *part, double kernel_ns) {
    int capacity = sleep_capacity((int)threads), n = waves(blocks, capacity);
    say("Waves: this GPU holds %d blocks of %d threads at once (%d SMs, %d on each), so %d blocks "
        "run in %d wave%s. Each block sleeps %s; the kernel took %s, %.2f sleeps.",
        capacity, (int)threads, device()->sms, capacity / device()->sms, (int)blocks, n,
        n == 1 ? "" : "s", show_time((double)sleep_ns), show_time(kernel_ns),
        kernel_ns / (double)sleep_ns);
    check(text("%s-kernel-takes-its-waves", part), kernel_ns >= 0.9 * n * (double)sleep_ns,
          show_time(kernel_ns), text("at least 0.9 x %d x %s", n, show_time((double)sleep_ns)),
          "Blocks that find no room wait for a whole wave to end.");
}

static void check_most(const char *id, const struct samples *samples, bool wanted, const char *what,
                       const char *why) {
    check(id, mostly(samples) == wanted, text("%s in %s rounds", what, show_count(samples)),
          wanted ? "in most rounds" : "in few rounds", why);
}

void check_calls(const struct work *w) {
    const char *part = w->part;
    if (!w->in || w->memory != HOST_PAGEABLE)
        check_most(text("%s-flag-clear-after-queueing", part), &w->flag_after_queueing, false,
                   "set", "The host had queued everything before the stream was through.");
    check(text("%s-flag-set-after-synchronise", part),
          count_true(&w->flag_after_synchronise) == w->flag_after_synchronise.n,
          text("set in %s rounds", show_count(&w->flag_after_synchronise)), "in all rounds",
          "cudaStreamSynchronize waits for the callback too.");
    check_most(text("%s-launch-does-not-wait", part), &w->launch.own_done, false, "kernel over",
               "A launch comes back before its kernel has ended.");
}

/* With pageable memory the copy out is the one call that must wait: its data goes through a pinned
 * buffer of the driver, and the host moves it on from there. */
static void check_copy_out_waits(const struct work *w) {
    const char *id = text("%s-copy-out-waits-for-the-kernel", w->part);
    const char *spans = text("%s-copy-out-call-covers-its-copy", w->part);
    if (!mostly(&w->copy_out.waited) && device()->pageable_access) {
        check_cannot_show(id, "this GPU reads pageable memory itself, and did not wait");
        return;
    }
    check(id, mostly(&w->copy_out.waited),
          text("waited in %s rounds", show_count(&w->copy_out.waited)), "in most rounds",
          "A copy to pageable memory comes back only after the work queued before it.");
    const struct span *kernel = timeline_find(w->part, SPAN_KERNEL, 0);
    const struct span *copy =
        timeline_find(w->part, SPAN_D2H, timeline_count_of(w->part, SPAN_D2H) - 1);
    const struct span *call = copy ? timeline_call_of(copy) : NULL;
    if (!tracer_works() || !call || !kernel) {
        check_cannot_show(spans, "without a tracer host calls are not in the timeline");
        return;
    }
    check(spans, call->start_ns < kernel->end_ns && call->end_ns >= copy->end_ns,
          text("%s after the copy's end", show_time((double)(call->end_ns - copy->end_ns))),
          "returned after the copy's end, entered before the kernel's",
          "In the timeline one host call covers the rest of the kernel and the whole copy.");
}

static void check_copies_return_first(const struct work *w, const struct took *t) {
    const char *id = text("%s-copy-in-does-not-wait", w->part);
    const char *why = "A copy from or to pinned memory is queued like a kernel.";
    if (mostly(&w->copy_in.own_done) && t->copy_in_ns < 10 * median_of(&w->copy_in.returned))
        check_cannot_show(id, "so small a copy is over as soon as the call; give more --bytes");
    else
        check_most(id, &w->copy_in.own_done, false, "copy over", why);
    check_most(text("%s-copy-out-does-not-wait", w->part), &w->copy_out.waited, false, "waited",
               why);
}

void check_copy_calls(const struct work *w, const struct took *t) {
    if (w->memory == HOST_PAGEABLE)
        check_copy_out_waits(w);
    else
        check_copies_return_first(w, t);
    check(text("%s-data-intact", w->part), w->corrupt_rounds == 0,
          text("%d rounds corrupt", w->corrupt_rounds), "0",
          "What was copied out is what went in.");
    check_within_link(text("%s-copies-within-the-link", w->part), (double)bytes,
                      fmin(t->copy_in_ns, t->copy_out_ns));
}

void explain_copies(const struct work *w, const struct took *t) {
    double in_ns = median_of(&w->copy_in.returned);
    double out_ns = median_of(&w->copy_out.returned);
    if (w->memory != HOST_PAGEABLE && (mostly(&w->copy_out.waited) || mostly(&w->launch.own_done)))
        say("What this shows: calls that should only queue waited here.");
    else if (w->memory != HOST_PAGEABLE)
        say("What this shows: from and to %s memory all calls but the last only queue: the host "
            "was done after %s, the device after %s.",
            host_kind_name(w->memory),
            show_time(in_ns + out_ns + median_of(&w->launch.returned) +
                      median_of(&w->callback.returned)),
            show_time(t->all_ns));
    else if (mostly(&w->copy_out.waited))
        say("What this shows: the call that copies out took %s. That is the kernel before it (%s) "
            "and its own copy (%s), together %s: the stream does not block, but this call does. "
            "Data for pageable memory passes through a pinned buffer of the driver, and the host "
            "moves it on, so the call lasts until the copy is complete. The copy in took %s: the "
            "host filled such buffers before it came back. When the copy out is back only the "
            "callback is left, so the flag right after queueing tells nothing about the copies; "
            "the time at which each call returned does.",
            show_time(out_ns), show_time(t->kernel_ns), show_time(t->copy_out_ns),
            show_time(t->kernel_ns + t->copy_out_ns), show_time(in_ns));
    else
        say("What this shows: the copy out did not wait for the kernel, although its memory is "
            "pageable. The manual allows both.");
}
