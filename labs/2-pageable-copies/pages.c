/* Lab 2: memory that fits, and words in its pages that show whether they were copied. */
#include "copies.h"

#include "device.h"
#include "host_memory.h"
#include "report.h"
#include "text.h"

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t bytes_that_fit(char part, int64_t wanted, int device_buffers, int host_buffers) {
    int64_t fits = (int64_t)device_free_bytes() / 4 * 3 / device_buffers;
    int64_t host = (int64_t)host_available_bytes();
    if (host > 0)
        fits = least(fits, host / 4 * 3 / host_buffers);
    if (fits >= wanted)
        return wanted;
    fits = fits < MIB ? fits / PAGE_BYTES * PAGE_BYTES : fits / MIB * MIB;
    say("Part %c works on %s instead of %s: more does not fit (free: %s on the device%s).", part,
        show_bytes((double)fits), show_bytes((double)wanted),
        show_bytes((double)device_free_bytes()),
        host > 0 ? text(", %s on the host", show_bytes((double)host)) : "");
    return fits;
}

int64_t busy_long_enough(double idle_ns) {
    return 2 * (int64_t)idle_ns > busy_ns ? 2 * (int64_t)idle_ns : busy_ns;
}

/* A word in each page, and in a large buffer in each 128th: what could go wrong there is that a
 * piece is lost, stale, or in another's place, and every piece that is copied by itself - a staging
 * buffer of the driver, a chunk of a DMA transfer - holds more than one word. A page more would
 * only take time: each is a cache miss, and on a simulated GPU a page of this machine's memory. */
size_t mark_distance(size_t size) {
    const size_t large = (size_t)1 << 26;
    return size >= large ? 128 * (size_t)PAGE_BYTES : PAGE_BYTES;
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
