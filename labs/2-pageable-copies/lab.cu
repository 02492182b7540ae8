/* Lab 2, pageable-copies: when does a copy come back, and what does it do until then?
 *
 * a  a program that copies a large buffer in and out: memory never touched, touched, pinned and
 *    registered, read on two clocks, with a driver that spins or sleeps while it waits (program.cu)
 * b  the manual's rules of which calls wait, each against what happens here (rules.c, table.cu)
 * c  time to return against size, and the size from which a pageable copy in waits (sizes.cu) */
#include "copies.h"
#include "lab.h"

int64_t bytes = (int64_t)2048 * MIB, table_bytes = 64 * MIB, largest_bytes = 256 * MIB;
int64_t sleep_ns = 10 * MS, busy_ns = 2 * MS;

static const struct option_spec options[] = {
    {"bytes", OPTION_BYTES, &bytes, MIB, (int64_t)1 << 40, NULL, "size of the copies in part a"},
    {"table-bytes", OPTION_BYTES, &table_bytes, PAGE_BYTES, (int64_t)1 << 36, NULL,
     "size of the copies in part b"},
    {"largest-bytes", OPTION_BYTES, &largest_bytes, 16, (int64_t)1 << 36, NULL,
     "largest size in part c; each smaller one is a quarter"},
    {"sleep", OPTION_TIME, &sleep_ns, MS / 10, 2000 * MS, NULL, "the kernel's time in part a"},
    {"busy", OPTION_TIME, &busy_ns, MS / 2, 1000 * MS, NULL,
     "least time a busy stream is busy in parts b, c"},
    {}};

int main(int argc, char **argv) {
    static const char *const parts[] = {"copy in, sleep, copy out: a large buffer",
                                        "which calls wait: the manual against this machine",
                                        "time to return against size", NULL};
    static const struct lab lab = {
        "lab-2", "pageable-copies",
        "When a copy comes back, for pageable, pinned and registered memory, and what the host "
        "does until then.",
        parts, options};
    lab_begin(&lab, argc, argv);
    if (part_begin('a'))
        part_program();
    if (part_begin('b'))
        part_table();
    if (part_begin('c'))
        part_sizes();
    return lab_end();
}
