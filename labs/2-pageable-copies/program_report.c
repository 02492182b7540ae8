/* Lab 2: the report of part a. */
#include "program.h"

#include <math.h>

#include "copies.h"
#include "device.h"
#include "host_memory.h"
#include "link.h"
#include "report.h"
#include "results.h"
#include "text.h"

static const char *const wait_names[WAITS] = {"spin", "block"};
static const char *const copy_names[DIRECTIONS] = {"h2d", "d2h"};
static const char *const copy_words[DIRECTIONS] = {"copy in", "copy out"};

const char *state_name(enum state state) {
    static const char *const names[STATES] = {"pageable-untouched", "pageable-touched", "pinned",
                                              "registered"};
    return names[state];
}

/* The system may back fresh memory with 2 MiB pages: then a page fault is rare. "" if unknown. */
static const char *huge_pages(void) {
    const char *choice = host_huge_pages();
    return choice ? text(" (Transparent huge pages are set to \"%s\" here.)", choice) : "";
}

void introduce_program(void) {
    say("%s go to the device, a kernel of %s follows, and they come back, all in one non-blocking "
        "stream. The host memory is fresh from the system (pageable-untouched), has been written "
        "before (pageable-touched), is allocated pinned, or is registered after it was written.%s",
        show_bytes((double)bytes), show_time((double)sleep_ns), huge_pages());
}

static void print_call(const char *state, const char *wait, const char *call, const char *name,
                       const struct samples *wall, const struct samples *cpu) {
    table_cell("%s", state);
    table_cell("%s", wait);
    table_cell("%s", call);
    table_cell("%s", show_times(wall));
    table_cell("%s", show_time(median_of(cpu)));
    result("a", text("%s wall %s %s", name, state, wait), "ns", wall);
    result("a", text("%s cpu %s %s", name, state, wait), "ns", cpu);
}

static void print_calls(void) {
    table_begin(5, "memory", "waits by", "call", "returned after, wall clock", "CPU clock");
    for (int state = 0; state < STATES; state++) {
        for (int wait = 0; wait < WAITS; wait++) {
            const struct measured *m = &runs[state][wait];
            if (m->total.n == 0)
                continue;
            const char *names[] = {state_name((enum state)state), wait_names[wait]};
            for (int d = 0; d < DIRECTIONS; d++)
                print_call(names[0], names[1], copy_words[d], text("%s call", copy_names[d]),
                           &m->copy[d].returned, &m->copy_cpu[d]);
            print_call(names[0], names[1], "synchronise", "synchronise call", &m->synchronise,
                       &m->synchronise_cpu);
        }
    }
    table_end();
}

static double copy_device_ns(enum state state, enum direction d) {
    return device_ns(text("a-%s", state_name(state)), d == COPY_IN ? SPAN_H2D : SPAN_D2H);
}

static void keep_device_times(void) {
    for (int state = TOUCHED; state < STATES; state++)
        for (int d = 0; d < DIRECTIONS; d++)
            result_value("a", text("%s device %s", copy_names[d], state_name((enum state)state)),
                         "ns", copy_device_ns((enum state)state, (enum direction)d));
}

/* The question left open by the program this part re-enacts: it read 0.36 s and 5.2 s for 2 GiB,
 * on the CPU clock, in memory nothing had been written to. What did it measure? */
static void explain_times(void) {
    const struct measured *fresh = &runs[UNTOUCHED][SPIN], *touched = &runs[TOUCHED][SPIN];
    const struct measured *pinned = &runs[PINNED][SPIN];
    double in = median_of(&fresh->copy[COPY_IN].returned);
    double out = median_of(&fresh->copy[COPY_OUT].returned);
    double in_touched = median_of(&touched->copy[COPY_IN].returned);
    double out_touched = median_of(&touched->copy[COPY_OUT].returned);
    say("What the times are. Queueing a copy takes %s and %s: that is what the pinned calls do, "
        "and the link then moves the bytes in %s and %s (%s and %s).",
        show_time(median_of(&pinned->copy[COPY_IN].returned)),
        show_time(median_of(&pinned->copy[COPY_OUT].returned)),
        show_time(copy_device_ns(PINNED, COPY_IN)), show_time(copy_device_ns(PINNED, COPY_OUT)),
        show_rate((double)bytes, copy_device_ns(PINNED, COPY_IN)),
        show_rate((double)bytes, copy_device_ns(PINNED, COPY_OUT)));
    if (!mostly(&touched->copy[COPY_OUT].waited)) {
        say("The pageable calls did not wait here: this GPU seems to reach pageable memory "
            "itself.");
        return;
    }
    say("The pageable calls do not return when the copy is queued: the host itself moves the data "
        "through the driver's pinned buffers. That takes %s in and %s out (the kernel of %s, "
        "for which the copy out waits, included).",
        show_time(in_touched), show_time(out_touched), show_time((double)sleep_ns));
    if (compare(&fresh->copy[COPY_OUT].returned, &touched->copy[COPY_OUT].returned) > 0)
        say("In memory that was never touched the same calls take %s and %s: each page is made "
            "when the host first touches it, inside the call. That is %s of the copy in, and %s of "
            "the copy out.",
            show_time(in), show_time(out), show_percent(fmax(0, 1 - in_touched / in)),
            show_percent(fmax(0, 1 - out_touched / out)));
    else
        say("In memory that was never touched the same calls take as long here (%s and %s): page "
            "faults do not show.",
            show_time(in), show_time(out));
    say("Someone once read 0.36 s and 5.2 s for these two calls on the CPU clock, and asked what "
        "that was. Neither the time to queue nor the time of the transfer: it was the host's own "
        "work inside the call, staging and the page faults of memory that was never touched, and "
        "in the second case also the wait for the kernel.");
}

/* A driver that sleeps while it waits leaves on the CPU clock what the host really did. */
static void explain_work(void) {
    const struct measured *block = &runs[TOUCHED][BLOCK];
    double wall = median_of(&block->copy[COPY_OUT].returned),
           cpu = median_of(&block->copy_cpu[COPY_OUT]);
    if (cpu > wall / 2)
        say("A pageable copy is work even then: the copy out to touched memory used %s of CPU time "
            "in %s. The host was copying.",
            show_time(cpu), show_time(wall));
}

static void explain_clocks(void) {
    const struct measured *spin = &runs[PINNED][SPIN], *block = &runs[PINNED][BLOCK];
    say("The two clocks agree in every call that copies or spins: with pinned memory, where the "
        "host has nothing to do but wait, cudaStreamSynchronize took %s of wall time and %s of "
        "CPU time, because the driver spins.%s",
        show_time(median_of(&spin->synchronise)), show_time(median_of(&spin->synchronise_cpu)),
        block->total.n == 0
            ? ""
            : text(" With cudaDeviceScheduleBlockingSync it took %s and %s: the CPU clock does "
                   "not see a wait that sleeps. A CPU clock is no clock for a GPU.",
                   show_time(median_of(&block->synchronise)),
                   show_time(median_of(&block->synchronise_cpu))));
}

static void check_waits(void) {
    for (int state = UNTOUCHED; state <= TOUCHED; state++) {
        const struct call *out = &runs[state][SPIN].copy[COPY_OUT];
        const char *id = text("a-%s-copy-out-waits", state_name((enum state)state));
        if (device()->pageable_access && !mostly(&out->waited))
            check_cannot_show(id, "this GPU writes pageable memory itself, and did not wait");
        else
            check(id, mostly(&out->waited), text("waited in %s rounds", show_count(&out->waited)),
                  "in most rounds", "The call returns after the kernel queued before it.");
    }
    for (int state = PINNED; state <= REGISTERED; state++) {
        const struct call *in = &runs[state][SPIN].copy[COPY_IN];
        const struct call *out = &runs[state][SPIN].copy[COPY_OUT];
        check(text("a-%s-copies-do-not-wait", state_name((enum state)state)),
              !mostly(&in->own_done) && !mostly(&out->waited),
              text("in: done in %s rounds, out: waited in %s", show_count(&in->own_done),
                   show_count(&out->waited)),
              "in few rounds", "The copies are queued, and the device does them later.");
    }
}

/* Passes if all of `slow` took longer than all of `fast`; where the two ranges meet, this machine
 * does not show it. */
static void check_slower(const char *id, const struct samples *slow, const struct samples *fast,
                         const char *meet, const char *why) {
    int order = compare(fast, slow);
    if (order == 0 || (order > 0 && device()->pageable_access)) {
        check_cannot_show(id, meet);
        return;
    }
    check(id, order < 0, text("%s and %s", show_time(median_of(slow)), show_time(median_of(fast))),
          "all rounds of the first above all of the second", why);
}

static void check_clocks(void) {
    const struct measured *spin = &runs[PINNED][SPIN], *block = &runs[PINNED][BLOCK];
    double share = median_of(&spin->synchronise_cpu) / median_of(&spin->synchronise);
    check("a-cpu-clock-runs-while-the-driver-spins", share >= 0.5, show_percent(share),
          "at least 50 % of the wall time", "Spinning is work, and the CPU clock counts it.");
    if (block->total.n == 0) {
        check_cannot_show("a-cpu-clock-stands-while-the-driver-sleeps",
                          "the driver does not change how it waits while the device is in use");
        return;
    }
    share = median_of(&block->synchronise_cpu) / median_of(&block->synchronise);
    check("a-cpu-clock-stands-while-the-driver-sleeps", share < 0.5, show_percent(share),
          "less than 50 % of the wall time", "A sleeping process uses no CPU time.");
}

static double fastest_copy_ns(void) {
    double fastest = NAN;
    for (int state = TOUCHED; state < STATES; state++)
        for (int d = 0; d < DIRECTIONS; d++)
            fastest = fmin(fastest, copy_device_ns((enum state)state, (enum direction)d));
    return fastest;
}

void report_program(void) {
    print_calls();
    keep_device_times();
    explain_times();
    explain_clocks();
    explain_work();
    check_waits();
    check_slower("a-first-touch-costs", &runs[UNTOUCHED][SPIN].copy[COPY_OUT].returned,
                 &runs[TOUCHED][SPIN].copy[COPY_OUT].returned,
                 "page faults are too cheap to see here (huge pages, or a small buffer)",
                 "The copy out makes the pages of memory that was never touched.");
    check_slower("a-pinned-is-faster", &runs[TOUCHED][SPIN].total, &runs[PINNED][SPIN].total,
                 device()->pageable_access
                     ? "this GPU reaches pageable memory itself: it may be as fast as pinned"
                     : "pageable copies keep up with the link here",
                 "Pinned memory spares the host's copy through the driver's buffers.");
    check_clocks();
    check("a-data-intact", corrupt_rounds == 0, text("%d rounds corrupt", corrupt_rounds), "0",
          "What was copied out is what went in.");
    check_within_link("a-copies-within-the-link", (double)bytes, fastest_copy_ns());
}
