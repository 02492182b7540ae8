/* part.c - the ways that one part of lab 6 tries, and questions about all of them. */
#include <math.h>
#include <stdio.h>

#include "lab.h"
#include "part.h"
#include "text.h"

enum { PROMPT_NS = 20000 };

const struct seen *part_run(struct part *part, const struct way *way, const char *words) {
    char name[64];
    snprintf(name, sizeof name, "%s-%s", part->letter, words);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    int i = part->n++;
    part->way[i] = *way;
    part->seen[i] = way_run(way, part->letter, timeline_name(name), timeline_name(words),
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
