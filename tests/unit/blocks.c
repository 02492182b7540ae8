/* Lab 4's arithmetic on block stamps: a small schedule whose answers are known. */
#include "../../labs/4-tail-effect/blocks.c"

#include "tap.h"

/* One SM with two places: two blocks of 10, then one of 10, then a last one of 4 beside it. */
static const struct stamp small[] = {
    {100, 110, 7, 0}, {100, 110, 7, 1}, {110, 120, 7, 2}, {112, 116, 7, 3}};

static void lengths_and_ends(void) {
    struct lengths lengths = stamps_lengths(small, 4);
    EXPECT(lengths.shortest_ns == 4 && lengths.longest_ns == 10 && lengths.sum_ns == 34);
    EXPECT(stamps_start_ns(small, 4) == 100 && stamps_end_ns(small, 4) == 120);
}

static void resident(void) {
    struct stamp more[4];
    memcpy(more, small, sizeof more);
    EXPECT(stamps_most_resident(more, 4) == 2);
    more[2].start_ns = 109;
    EXPECT(stamps_most_resident(more, 4) == 3);
    more[2].sm = 8;
    EXPECT(stamps_most_resident(more, 4) == 2);
}

static void waves_and_places(void) {
    int wave[4], slot[4];
    EXPECT(stamps_waves(small, 4, 2, wave, slot) == 2);
    EXPECT(wave[0] == 0 && wave[1] == 0 && wave[2] == 1 && wave[3] == 1);
    EXPECT(slot[0] != slot[1] && slot[2] != slot[3]);
}

/* Greedy in order: 10 and 10, then 10 and 4 after them. */
static void schedulers(void) {
    static const struct stamp three[] = {{0, 6, 0, 0}, {0, 2, 0, 1}, {0, 3, 0, 2}};
    EXPECT(in_order_ns(small, 4, 2) == 20);
    EXPECT(in_order_ns(small, 4, 1) == 34);
    EXPECT(bound_ns(small, 4, 2) == 17);
    EXPECT(in_order_ns(three, 3, 2) == 6);
    EXPECT(bound_ns(three, 3, 2) == 6);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"block stamps: lengths, start and end", lengths_and_ends},
        {"block stamps: the most resident on one SM", resident},
        {"block stamps: waves, and places on an SM", waves_and_places},
        {"block stamps: schedulers in order, and the bound", schedulers}};
    return TAP_RUN(tests);
}
