/* pagemap.c - which pages were ever written, as the Linux kernel tells (proc(5), /proc/pid/pagemap:
 * "page present" and "page swapped"). Pages that were never touched have neither. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core.h"
#include "error.h"

bool pagemap_page_by_page;

/* Where the system gives huge pages unasked, one touch brings in 511 pages beside it, and what a
 * copy costs would depend on the machine. */
__attribute__((constructor)) static void no_huge_pages(void) {
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static int pagemap(void) {
    static int file = -2;
    if (file == -2) {
        file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        if (file < 0)
            warn("simulated GPU: /proc/self/pagemap cannot be read (%s): all memory counts as "
                 "touched, so page faults take no time here",
                 strerror(errno));
    }
    return file;
}

bool pagemap_readable(void) {
    return pagemap() >= 0;
}

/* From Linux 6.7 on (Documentation/admin-guide/mm/pagemap.rst: PAGEMAP_SCAN) the kernel finds the
 * ranges itself, and steps over what is not there at once. Its own header may be older. */
struct range {
    uint64_t start, end, categories;
};
struct scan {
    uint64_t size, flags, start, end, walk_end, ranges, range_count, most_pages;
    uint64_t inverted, all_of, any_of, returned;
};
enum { PRESENT = 1 << 3, SWAPPED = 1 << 4, RANGES = 256 };
#define SCAN_REQUEST _IOWR('f', 16, struct scan)

static void mark(const struct range *range, uintptr_t first, size_t pages, unsigned char *state) {
    size_t from = range->start / PAGE_BYTES - first, end = range->end / PAGE_BYTES - first;
    if (end > pages)
        end = pages;
    if (from < end)
        memset(state + from, PAGE_WRITTEN, end - from);
}

static bool scan_states(uintptr_t first, size_t pages, unsigned char *state) {
    static struct range ranges[RANGES];
    struct scan scan = {.size = sizeof scan,
                        .start = first * PAGE_BYTES,
                        .end = (first + pages) * PAGE_BYTES,
                        .ranges = (uintptr_t)ranges,
                        .range_count = RANGES,
                        .any_of = PRESENT | SWAPPED,
                        .returned = PRESENT | SWAPPED};
    memset(state, PAGE_FRESH, pages);
    while (scan.start < scan.end) {
        int found = ioctl(pagemap(), SCAN_REQUEST, &scan);
        if (found < 0 || scan.walk_end <= scan.start)
            return false;
        for (int i = 0; i < found; i++)
            mark(&ranges[i], first, pages, state);
        scan.start = scan.walk_end;
    }
    return true;
}

static bool read_states(uintptr_t first, size_t pages, unsigned char *state) {
    enum { BATCH = 4096 };
    static uint64_t entries[BATCH];
    for (size_t done = 0; done < pages;) {
        size_t batch = pages - done < BATCH ? pages - done : BATCH;
        ssize_t got = pread(pagemap(), entries, batch * sizeof entries[0],
                            (off_t)((first + done) * sizeof entries[0]));
        if (got != (ssize_t)(batch * sizeof entries[0]))
            return false;
        for (size_t i = 0; i < batch; i++)
            state[done + i] = entries[i] >> 62 ? PAGE_WRITTEN : PAGE_FRESH;
        done += batch;
    }
    return true;
}

bool pagemap_states(uintptr_t first, size_t pages, unsigned char *state) {
    static bool no_scan;
    if (!pagemap_readable())
        return false;
    if (!no_scan && !pagemap_page_by_page) {
        if (scan_states(first, pages, state))
            return true;
        no_scan = true;
    }
    return read_states(first, pages, state);
}
