/* part.c - the ways that one part of lab 6 tries, and questions about all of them. */
#include <math.h>
#include <stdio.h>

#include "lab.h"
#include "fastest.h"
#include "link.h"
#include "part.h"
#include "text.h"

enum { PROMPT_NS = 20000 };

/* What the same copy took one way, which was run before it. */
static double alone_ns(const struct part *part, const struct way *way) {
    for (int i = 0; i < part->n; i++)
        if (!part->way[i].both && part->way[i].own == way->own &&
            part->way[i].to_stream == way->to_stream)
            return part->seen[i].events_ns;
    return NAN;
}

const struct seen *part_run(struct part *part, const struct way *way, const char *words) {
    char name[64];
    snprintf(name, sizeof name, "%s-%s", part->letter, words);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    int i = part->n++;
    part->way[i] = *way;
    part->way[i].alone_ns = way->both ? alone_ns(part, way) : NAN;
    part->seen[i] = way_run(&part->way[i], part->letter, timeline_name(name), timeline_name(words),
                            repeats(2 * way->kernel_ns));
    return &part->seen[i];
}

uint64_t part_wrong_bytes(const struct part *part) {
    uint64_t wrong = 0;
    for (int i = 0; i < part->n; i++)
        wrong += part->seen[i].wrong_bytes;
    return wrong;
}

double part_slowest_return_ns(const struct part *part) {
    double slowest = 0;
    for (int i = 0; i < part->n; i++)
        if (!part->way[i].own)
            slowest = fmax(slowest, part->seen[i].return_ns);
    return slowest;
}

bool in_the_tail(const struct seen *seen) {
    return seen->begun_at > 0.5;
}

double part_most_over_kernels(const struct part *part) {
    double most = NAN;
    for (int i = 0; i < part->n; i++) {
        const struct seen *seen = &part->seen[i];
        if (!part->way[i].own && !part->way[i].both && !isnan(seen->over_from + seen->over_to))
            most = fmax(most, in_the_tail(seen) ? 0 : fmin(seen->over_from, seen->over_to));
    }
    return most;
}

double part_most_over_back(const struct part *part) {
    double most = NAN;
    for (int i = 0; i < part->n; i++)
        most = fmax(most, part->seen[i].over_back); /* NaN one way: fmax takes the other */
    return most;
}

bool part_back_never_held(const struct part *part) {
    for (int i = 0; i < part->n; i++)
        if (part->way[i].both && !part->way[i].own &&
            part->seen[i].back_held_ns > fmax(PROMPT_NS, part->seen[i].copy_ns / 2))
            return false;
    return true;
}

void check_data(const struct part *part) {
    uint64_t wrong = part_wrong_bytes(part);
    check(text("%s-data", part->letter), wrong == 0, text("%llu bytes", (unsigned long long)wrong),
          "0 bytes", "Bytes that arrived wrong, of all copies of this part.");
}

/* A copy in its kernel's stream is queued behind the kernel of the GPU that the stream is of. */
static double overlap_with_own_kernel(const struct way *way, const struct seen *seen) {
    return way->to_stream ? seen->over_to : seen->over_from;
}

void check_own_stream_waits(const struct part *part) {
    const char *id = text("%s-own-stream-waits", part->letter);
    double most = NAN;
    for (int i = 0; i < part->n; i++)
        if (part->way[i].own)
            most = fmax(most, overlap_with_own_kernel(&part->way[i], &part->seen[i]));
    if (isnan(most))
        check_cannot_show(id, "The tracer recorded no such copy.");
    else
        check(id, most <= 0, show_percent(most), "0 % overlap",
              "A copy in the kernel's own stream starts after the kernel has ended.");
}

bool part_staged(const struct part *part) {
    for (int i = 0; i < part->n; i++)
        if (part->seen[i].recorded == RECORDED_STAGED)
            return true;
    return false;
}

/* A copy whose records do not hold its time: staged, or faster than can be. */
static const struct seen *timed_by_events(const struct part *part) {
    const struct seen *found = NULL;
    for (int i = 0; i < part->n; i++)
        if (part->seen[i].recorded == RECORDED_STAGED || part->seen[i].disbelieved_ns > 0)
            if (!found || part->seen[i].disbelieved_ns > 0)
                found = &part->seen[i];
    return found;
}

static const char *beyond(const struct part *part, const struct seen *seen) {
    const char *what;
    double limit = limit_of(seen->disbelieved_kind, &what);
    if (!(seen->disbelieved_ns > 0))
        return "";
    return text(": if that were the copy's, it would have run at %s, where the limit is %s (%s)",
                show_rate((double)part->way[0].bytes, seen->disbelieved_ns), show_rate(limit, 1),
                what);
}

void say_where_times_come_from(const struct part *part) {
    const struct seen *seen = timed_by_events(part);
    if (!seen)
        return;
    say("Where these times come from: %s%s. So the time of a copy is that between two events in "
        "its own stream, one just before it and one behind it. In the timeline it ends with its "
        "last record and begins that much earlier. If it ended after a kernel, only what certainly "
        "ran beside that kernel counts as overlap.",
        seen->recorded == RECORDED_STAGED
            ? "the tracer left two records of each copy, to the host and from it, with all of the "
              "bytes but the time of the last piece only"
            : "the tracer's record of a copy is too short",
        beyond(part, seen));
}

static bool held_back(const struct way *way, const struct seen *seen) {
    return way->both && !way->own && seen->over_back <= 0 &&
           seen->back_held_ns > fmax(PROMPT_NS, seen->copy_ns / 2);
}

void say_what_was_held_back(const struct part *part) {
    for (int i = 0; i < part->n; i++) {
        const struct seen *seen = &part->seen[i];
        const struct way *way = &part->way[i];
        if (!held_back(way, seen))
            continue;
        bool always = seen->back_ns > 1.5 * way->alone_ns;
        say("Of GPU %d, another stream, both ways: the tracer saw the copies take turns. The "
            "second was queued while the first ran, in a stream of the other GPU, but began %s "
            "after its call had returned, when the first was over: the device held it, not the "
            "program. In the rounds without the tracer it took %s by events, where one alone takes "
            "%s: %s.",
            (way->to_stream ? way->to : way->from)->index, show_time((double)seen->back_held_ns),
            show_time(seen->back_ns), show_time(way->alone_ns),
            always ? "so it is held there too" : "so it was held in the traced round only");
        if (way->to_stream && always)
            say("A copy asked for in a stream of the GPU that it goes to is carried by the other "
                "GPU in a stream of the driver's own (see the timeline), and the two have to wait "
                "for each other.");
    }
}

/* The fastest of the part, by the time that stands in the table. */
void check_rates(const struct part *part) {
    enum span_kind kind = part->way[0].from == part->way[0].to ? SPAN_D2D
                          : part_staged(part)                  ? SPAN_H2D
                                                               : SPAN_PEER;
    double least_ns = NAN;
    const char *what;
    for (int i = 0; i < part->n; i++)
        least_ns = fmin(least_ns, part->seen[i].copy_ns);
    double limit = limit_of(kind, &what);
    if (limit > 0)
        result_value(part->letter, "limit of rates", "bytes/ns", limit);
    check_within_limit(text("%s-rates-within-limit", part->letter), (double)part->way[0].bytes,
                       least_ns, limit, what);
}
