/* Lab 2: memory that fits, and words in its pages that show whether they were copied. */
#include "copies.h"

#include <string.h>

#include "device.h"
#include "host_memory.h"
#include "report.h"
#include "run.h"

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t bytes_that_fit(char part, int64_t wanted, int device_buffers, int host_buffers) {
    int64_t fits = (int64_t)device_free_bytes() / 4 * 3 / device_buffers;
    bool simulated =
        strcmp(device_kind, "sim") == 0; /* takes room only for the pages that we write */
    int64_t host = (int64_t)host_available_bytes();
    if (host > 0 && !simulated)
        fits = least(fits, host / 4 * 3 / host_buffers);
    if (fits >= wanted)
        return wanted;
    fits = fits < MIB ? fits / PAGE_BYTES * PAGE_BYTES : fits / MIB * MIB;
    say("Part %c works on %s instead of %s: more does not fit (free: %s on the device, %s on the "
        "host).",
        part, show_bytes((double)fits), show_bytes((double)wanted),
        show_bytes((double)device_free_bytes()), show_bytes((double)host));
    return fits;
}

int64_t busy_long_enough(double idle_ns) {
    return 2 * (int64_t)idle_ns > busy_ns ? 2 * (int64_t)idle_ns : busy_ns;
}

/* A word in each page; on a simulated GPU, where each page that is written takes room on this
 * machine and is copied by its CPU, in fewer pages of a large buffer. */
size_t mark_distance(size_t size) {
    const size_t large = (size_t)1 << 26;
    return size >= large && strcmp(device_kind, "sim") == 0 ? 512 * (size_t)PAGE_BYTES : PAGE_BYTES;
}

static uint64_t mark(size_t at, int seed) {
    return (at + 1) * 0x9e3779b97f4a7c15u + (uint64_t)seed;
}

static uint64_t *word(const void *memory, size_t at) {
    return (uint64_t *)((const char *)memory + at);
}

void mark_pages(void *memory, size_t size, int seed) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += mark_distance(size))
        *word(memory, at) = mark(at, seed);
}

void clear_pages(void *memory, size_t size) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += mark_distance(size))
        *word(memory, at) = 0;
}

bool pages_marked(const void *memory, size_t size, int seed) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += mark_distance(size))
        if (*word(memory, at) != mark(at, seed))
            return false;
    return true;
}

bool pages_clear(const void *memory, size_t size) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += mark_distance(size))
        if (*word(memory, at) != 0)
            return false;
    return true;
}

int compare(const struct samples *a, const struct samples *b) {
    struct stats x = stats_of(a), y = stats_of(b);
    if (x.max < y.min)
        return -1;
    return x.min > y.max ? 1 : 0;
}
