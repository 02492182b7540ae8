#include "concurrency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "text.h"

static const char *const names[PAIR_CLASSES] = {"launch-bound", "concurrent", "tail-only",
                                                "serial"};

/* How far two launches' ways to the device may differ, and how long the device takes to start what
 * could start: less than this is not holding back. The share is for kernels whose blocks do not
 * all come and go together. */
static double held_limit_ns(double kernel_ns) {
    return fmax(4000, 0.15 * kernel_ns);
}

const char *pair_class_name(enum pair_class of) {
    return of < PAIR_CLASSES ? names[of] : "unknown";
}

/* ---- what was seen --------------------------------------------------------------------------- */

/* A launch takes the second call as long to reach the device as it took the first. The bounds keep
 * out a host that was interrupted just before or just after its launch. */
static int64_t arrival_ns(const struct queued_work *first, const struct queued_work *second,
                          bool gated) {
    int64_t latency_ns = first->start_ns - first->queued_ns;
    if (gated)
        return first->start_ns;
    if (latency_ns < -5000)
        latency_ns = -5000;
    if (latency_ns > 20000)
        latency_ns = 20000;
    return second->queued_ns + latency_ns;
}

static double work_overlap(const struct queued_work *a, const struct queued_work *b) {
    double start = (double)(a->start_ns > b->start_ns ? a->start_ns : b->start_ns);
    double end = (double)(a->end_ns < b->end_ns ? a->end_ns : b->end_ns);
    double shorter = fmin((double)(a->end_ns - a->start_ns), (double)(b->end_ns - b->start_ns));
    return shorter > 0 ? fmax(0, end - start) / shorter : 0;
}

struct pair_seen pair_judge(const struct queued_work *first, const struct queued_work *second,
                            bool gated) {
    /* Whichever stream the gate lets go first. */
    if (gated && second->start_ns < first->start_ns)
        return pair_judge(second, first, gated);
    int64_t arrival = arrival_ns(first, second, gated);
    struct pair_seen seen = {.is = PAIR_SERIAL,
                             .overlap = work_overlap(first, second),
                             .late_ns = arrival - first->end_ns,
                             .gap_ns = second->start_ns - first->end_ns};
    if (second->start_ns > arrival)
        seen.held_ns = second->start_ns - arrival;
    bool held = (double)seen.held_ns > held_limit_ns((double)(first->end_ns - first->start_ns));
    if (seen.overlap > 0)
        seen.is = held ? PAIR_TAIL_ONLY : PAIR_CONCURRENT;
    else if (!gated && (!held || second->queued_ns >= first->end_ns))
        seen.is = PAIR_LAUNCH_BOUND;
    return seen;
}

static int by_overlap(const void *a, const void *b) {
    double x = ((const struct pair_seen *)a)->overlap, y = ((const struct pair_seen *)b)->overlap;
    return (x > y) - (x < y);
}

struct pair_seen pair_majority(const struct pair_seen *rounds, int n) {
    int count[PAIR_CLASSES] = {0}, kept = 0;
    enum pair_class most = rounds[0].is;
    struct pair_seen of_class[64];
    for (int i = 0; i < n; i++)
        count[rounds[i].is]++;
    for (int i = 0; i < PAIR_CLASSES; i++)
        if (count[i] > count[most])
            most = (enum pair_class)i;
    for (int i = 0; i < n && kept < 64; i++)
        if (rounds[i].is == most)
            of_class[kept++] = rounds[i];
    qsort(of_class, (size_t)kept, sizeof *of_class, by_overlap);
    return of_class[kept / 2];
}

const struct span *trace_kernel(const char *part, int nth) {
    for (int i = 0;; i++) {
        const struct span *kernel = timeline_find(part, SPAN_KERNEL, i);
        if (!kernel || (!strstr(kernel->name, "gate_kernel") && nth-- == 0))
            return kernel;
    }
}

static void extend(struct queued_work *work, const struct span *kernel) {
    if (work->end_ns == 0) {
        const struct span *call = timeline_call_of(kernel);
        work->queued_ns = call ? call->end_ns : 0;
        work->start_ns = kernel->start_ns;
    }
    if (kernel->start_ns < work->start_ns)
        work->start_ns = kernel->start_ns;
    if (kernel->end_ns > work->end_ns)
        work->end_ns = kernel->end_ns;
}

int trace_work_of_calls(const char *part, int calls, struct queued_work *work) {
    int kernels = 0;
    while (trace_kernel(part, kernels))
        kernels++;
    if (kernels == 0 || kernels % calls != 0)
        return 0;
    memset(work, 0, (size_t)calls * sizeof *work);
    for (int i = 0; i < kernels; i++)
        extend(&work[i / (kernels / calls)], trace_kernel(part, i));
    return kernels / calls;
}

/* ---- what to expect -------------------------------------------------------------------------- */

/* A time known only so well: two launches are never as far apart as two others. On an H200 the
 * medians of the same pair of launches, seconds apart, were once 22 us and 15 us. */
struct range {
    double low, high;
};

static struct range arrival_range(const struct pair_facts *f) {
    struct range gated = {0, 2 * f->release_ns + 1000};
    struct range queued = {fmax(0, 0.5 * f->spacing_ns - 1000), 1.6 * f->spacing_ns + 4000};
    return f->gated ? gated : queued;
}

static long waves_of(const struct pair_facts *f) {
    return (f->blocks + f->capacity - 1) / f->capacity;
}

/* Share of the capacity that the last wave takes. */
static double last_wave(const struct pair_facts *f) {
    return (double)(f->blocks - (waves_of(f) - 1) * f->capacity) / f->capacity;
}

/* Blocks go to the emptiest SM first. If the first kernel puts k blocks on its fullest SM, room for
 * k is proven; that an SM takes more than that is what the occupancy rules allow, and the driver
 * may still have given its shared memory to the cache. */
static bool room_is_proven(const struct pair_facts *f) {
    long per_sm = (f->blocks + f->sms - 1) / f->sms;
    long free_slots = per_sm * f->sms - f->blocks;
    return f->sms > 0 && free_slots * 10 >= per_sm * f->sms && last_wave(f) <= 0.9;
}

/* When, after the first kernel's start, its blocks leave room for others. */
static struct range room_range(const struct pair_facts *f) {
    double kernel = f->kernel_ns, waves = (double)waves_of(f);
    double last_wave_starts = kernel * (waves - 1) / waves;
    struct range room = {0.8 * last_wave_starts, kernel};
    if (waves_of(f) == 1 && room_is_proven(f))
        room.high = 0;
    else if (waves_of(f) > 1 && last_wave(f) <= 0.9)
        room.high = fmin(kernel, 1.1 * last_wave_starts);
    return room;
}

/* The tail is so short that nobody may be in time for it. */
static bool tail_may_vanish(const struct pair_facts *f) {
    double tail_ns = f->kernel_ns / (double)waves_of(f);
    return (waves_of(f) > 1 && last_wave(f) > 0.97) || tail_ns < 2000;
}

static unsigned bit(enum pair_class of) {
    return 1U << of;
}

static unsigned possible_two_streams(const struct pair_facts *f) {
    struct range arrival = arrival_range(f), room = room_range(f);
    double held = held_limit_ns(f->kernel_ns);
    unsigned possible = 0;
    if (room.low <= arrival.high + held)
        possible |= bit(PAIR_CONCURRENT);
    if (room.high > arrival.low + held)
        possible |= bit(PAIR_TAIL_ONLY);
    if ((possible & bit(PAIR_TAIL_ONLY)) && tail_may_vanish(f))
        possible |= bit(PAIR_SERIAL);
    if (f->gated && f->kernel_ns < arrival.high)
        possible |= bit(PAIR_SERIAL);
    return possible;
}

static enum pair_class likely_two_streams(const struct pair_facts *f) {
    double arrival = f->gated ? f->release_ns : f->spacing_ns;
    double last_wave_starts = f->kernel_ns * (double)(waves_of(f) - 1) / (double)waves_of(f);
    if (last_wave_starts <= arrival + held_limit_ns(f->kernel_ns))
        return PAIR_CONCURRENT;
    return PAIR_TAIL_ONLY;
}

/* Whatever the classes beyond launch-bound are, being in time for them comes first. */
static struct pair_prediction in_time(const struct pair_facts *f, unsigned possible,
                                      enum pair_class likely) {
    struct range arrival = arrival_range(f);
    struct pair_prediction is = {possible, likely, 0};
    if (!f->gated && f->kernel_ns < arrival.low)
        is.possible = bit(PAIR_LAUNCH_BOUND);
    else if (!f->gated && f->kernel_ns < arrival.high)
        is.possible |= bit(PAIR_LAUNCH_BOUND);
    if (!f->gated && f->kernel_ns < f->spacing_ns)
        is.likely = PAIR_LAUNCH_BOUND;
    return is;
}

struct pair_prediction pair_predict(const struct pair_facts *f) {
    struct pair_prediction is;
    if (f->same_stream) {
        is = in_time(f, bit(PAIR_SERIAL), PAIR_SERIAL);
    } else if (f->capacity <= 0) {
        unsigned any = bit(PAIR_CONCURRENT) | bit(PAIR_TAIL_ONLY) | bit(PAIR_SERIAL);
        is = in_time(f, any, PAIR_CONCURRENT);
    } else {
        is = in_time(f, possible_two_streams(f), likely_two_streams(f));
    }
    is.possible |= bit(is.likely);
    if (is.likely == PAIR_CONCURRENT)
        is.overlap = fmax(0, 1 - (f->gated ? f->release_ns : f->spacing_ns) / f->kernel_ns);
    else if (is.likely == PAIR_TAIL_ONLY && last_wave(f) < 1)
        is.overlap = 1 / (double)waves_of(f);
    return is;
}

bool pair_agrees(const struct pair_prediction *prediction, enum pair_class seen) {
    return (prediction->possible & bit(seen)) != 0;
}

const char *pair_prediction_name(const struct pair_prediction *prediction) {
    const char *name = names[prediction->likely];
    if (prediction->possible == PAIR_ANY)
        return "any";
    for (int i = 0; i < PAIR_CLASSES; i++)
        if (i != (int)prediction->likely && (prediction->possible & bit((enum pair_class)i)))
            name = text("%s or %s", name, names[i]);
    return name;
}

const char *pair_why_predicted(const struct pair_facts *f, const struct pair_prediction *is) {
    const char *spacing = show_time(f->spacing_ns), *kernel = show_time(f->kernel_ns);
    switch (is->likely) {
    case PAIR_LAUNCH_BOUND:
        return text("runs %s, the next is queued only after %s", kernel, spacing);
    case PAIR_CONCURRENT:
        if (f->capacity <= 0)
            return text("runs %s; nobody knows its blocks", kernel);
        return text("runs %s and leaves room: %ld of %d blocks", kernel, f->blocks, f->capacity);
    case PAIR_TAIL_ONLY:
        return text("fills the GPU until the last of %ld waves (%ld blocks, %d at once)",
                    waves_of(f), f->blocks, f->capacity);
    default:
        return "one stream: the next waits for its end";
    }
}

const char *pair_why_seen(const struct pair_seen *seen) {
    switch (seen->is) {
    case PAIR_LAUNCH_BOUND:
        if (seen->late_ns <= 0)
            return "first over as the second came";
        return text("first over %s before the second came", show_time((double)seen->late_ns));
    case PAIR_CONCURRENT:
        return "second found room as it came";
    case PAIR_TAIL_ONLY:
        return text("second held %s, until the first left room", show_time((double)seen->held_ns));
    default:
        return text("second held %s, until the first had ended", show_time((double)seen->held_ns));
    }
}

double packed_ns(const struct pair_facts *f, int count) {
    if (f->capacity <= 0)
        return NAN;
    double wave_ns = f->kernel_ns / (double)waves_of(f);
    long blocks = f->blocks * count, all_waves = (blocks + f->capacity - 1) / f->capacity;
    return wave_ns * (double)all_waves;
}
