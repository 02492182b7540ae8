/* sim_pagemap.c - which pages were written: the kernel's quick scan and the plain list agree. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"
#include "tap.h"

enum { PAGES = 9000 };
static unsigned char expected[PAGES], by_scan[PAGES], page_by_page[PAGES];

static unsigned char *fresh_memory(void) {
    void *memory = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void write_page(unsigned char *memory, int page) {
    memory[(size_t)page * PAGE_BYTES + 17] = 1;
    expected[page] = PAGE_WRITTEN;
}

/* From the page on, so many. */
static void expect_both(const unsigned char *memory, int from, int pages) {
    uintptr_t first = (uintptr_t)memory / PAGE_BYTES + (uintptr_t)from;
    memset(by_scan, 9, sizeof by_scan);
    memset(page_by_page, 9, sizeof page_by_page);
    pagemap_page_by_page = false;
    EXPECT(pagemap_states(first, (size_t)pages, by_scan));
    pagemap_page_by_page = true;
    EXPECT(pagemap_states(first, (size_t)pages, page_by_page));
    EXPECT(!memcmp(by_scan, expected + from, (size_t)pages));
    EXPECT(!memcmp(page_by_page, expected + from, (size_t)pages));
    EXPECT(pages == PAGES || (by_scan[pages] == 9 && page_by_page[pages] == 9));
}

static void both_ways_agree(void) {
    if (!pagemap_readable()) {
        TAP_SKIP("/proc/self/pagemap cannot be read here");
        return;
    }
    unsigned char *memory = fresh_memory();
    expect_both(memory, 0, PAGES);
    for (int page = 3; page < 2000; page += 2) /* more ranges than one answer holds */
        write_page(memory, page);
    for (int page = 5000; page < 6500; page++)
        write_page(memory, page);
    write_page(memory, PAGES - 1);
    expect_both(memory, 0, PAGES);
    expect_both(memory, 5100, 1);
    expect_both(memory, 4, 1);
    expect_both(memory, 5400, 3);
    expect_both(memory, 4999, 2);
    expect_both(memory, 6499, 700);
    madvise(memory + (size_t)5000 * PAGE_BYTES, (size_t)100 * PAGE_BYTES, MADV_DONTNEED);
    memset(expected + 5000, PAGE_FRESH, 100);
    expect_both(memory, 0, PAGES);
    munmap(memory + (size_t)6000 * PAGE_BYTES, (size_t)100 * PAGE_BYTES);
    memset(expected + 6000, PAGE_FRESH, 100);
    expect_both(memory, 0, PAGES);
    munmap(memory, (size_t)PAGES * PAGE_BYTES);
}

/* Also where a program or the system asks for huge pages: one touch is one page. */
static void one_touch_is_one_page(void) {
    if (!pagemap_readable()) {
        TAP_SKIP("/proc/self/pagemap cannot be read here");
        return;
    }
    unsigned char *memory = fresh_memory();
    memset(expected, PAGE_FRESH, sizeof expected);
    madvise(memory, (size_t)PAGES * PAGE_BYTES, MADV_HUGEPAGE);
    write_page(memory, PAGES / 2);
    expect_both(memory, 0, PAGES);
    munmap(memory, (size_t)PAGES * PAGE_BYTES);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"the scan and the list tell the same pages", both_ways_agree},
        {"one touch is one page", one_touch_is_one_page},
    };
    return TAP_RUN(tests);
}
