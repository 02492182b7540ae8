/* pages.c - pages that were never written. Two uses:
 *
 * - Copies of them move nothing, so that a program with buffers of many GiB needs little memory.
 * - The first touch of a page of pageable memory is a page fault, and costs the host. Measured:
 *   most of a device-to-host copy into a fresh buffer of 2 GiB is page faults.
 *
 * Whether a page was touched is asked of the kernel (/proc/self/pagemap: present or swapped), and
 * only for anonymous memory, where an absent page reads as zeros. What the simulator's own copies
 * would have touched, had they moved all bytes, is remembered beside it. A buffer that was freed
 * meanwhile is recognised by its first and last page, which are really touched. Buffers of less
 * than 128 KiB come from the C library's heap, whose pages have often been used before: they
 * count as touched. Without pagemap everything counts as touched and is really moved. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"
#include "error.h"

enum { SPARSE_BYTES = 128 * 1024, BATCH = 4096 };
enum { FRESH = 0, READ = 1, WRITTEN = 2 };

/* Pages that count as touched although no byte of them was. */
static struct touched {
    uintptr_t first, end; /* page numbers */
    unsigned char how;
} * touched;
static size_t touched_count, touched_capacity;

static int pagemap(void) {
    static int file = -2;
    if (file == -2)
        file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return file;
}

static uintptr_t page_of(const void *address) {
    return (uintptr_t)address / PAGE_BYTES;
}

/* state[i] becomes WRITTEN for each page that is present or swapped out, else FRESH. */
static bool read_pagemap(uintptr_t first, size_t pages, unsigned char *state) {
    static uint64_t entries[BATCH];
    for (size_t done = 0; done < pages;) {
        size_t batch = pages - done < BATCH ? pages - done : BATCH;
        ssize_t got = pagemap() < 0 ? -1
                                    : pread(pagemap(), entries, batch * sizeof entries[0],
                                            (off_t)((first + done) * sizeof entries[0]));
        if (got != (ssize_t)(batch * sizeof entries[0]))
            return false;
        for (size_t i = 0; i < batch; i++)
            state[done + i] = entries[i] >> 62 ? WRITTEN : FRESH;
        done += batch;
    }
    return true;
}

/* True if all of it is private anonymous memory: an absent page of a mapped file is not zeros. */
static bool anonymous(const void *address, size_t bytes) {
    if (memory_is_mapped(address))
        return true;
    FILE *maps = fopen("/proc/self/maps", "re");
    uintptr_t at = (uintptr_t)address, end = at + bytes;
    char line[512];
    if (!maps)
        return false;
    while (at < end && fgets(line, sizeof line, maps)) {
        unsigned long from, to, inode;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s %*x %*s %lu", &from, &to, mode, &inode) != 4)
            continue;
        if (at < from || at >= to)
            continue;
        if (inode != 0 || mode[3] != 'p')
            break;
        at = to;
    }
    fclose(maps);
    return at >= end;
}

/* The state of each page that the range lies on, or NULL if that cannot be told. Owned. */
static unsigned char *states(const void *address, size_t bytes, size_t *pages) {
    uintptr_t first = page_of(address);
    *pages = page_of((const char *)address + bytes - 1) + 1 - first;
    size_t smallest = memory_is_mapped(address) ? 2 * PAGE_BYTES : SPARSE_BYTES;
    if (bytes < smallest || pagemap() < 0 || !anonymous(address, bytes))
        return NULL;
    unsigned char *state = malloc(*pages);
    if (!state || !read_pagemap(first, *pages, state)) {
        free(state);
        return NULL;
    }
    return state;
}

/* The part of [address, address + bytes) on the ith page of the range. */
static size_t part_on_page(const void *address, size_t bytes, size_t i, size_t *offset) {
    size_t into = (uintptr_t)address % PAGE_BYTES;
    size_t from = i == 0 ? 0 : i * PAGE_BYTES - into, to = (i + 1) * PAGE_BYTES - into;
    *offset = from;
    return (to < bytes ? to : bytes) - from;
}

/* Our own memory is given back to the system, and reads as zeros again. */
static void zero_own(unsigned char *dst, size_t bytes) {
    size_t before = (PAGE_BYTES - (uintptr_t)dst % PAGE_BYTES) % PAGE_BYTES;
    size_t whole = (bytes - before) / PAGE_BYTES * PAGE_BYTES, after = bytes - before - whole;
    memset(dst, 0, before);
    madvise(dst + before, whole, MADV_DONTNEED);
    memset(dst + before + whole, 0, after);
}

void pages_zero(unsigned char *dst, size_t bytes) {
    size_t pages;
    if (memory_is_mapped(dst) && bytes >= 2 * (size_t)PAGE_BYTES) {
        zero_own(dst, bytes);
        return;
    }
    unsigned char *state = bytes ? states(dst, bytes, &pages) : NULL;
    if (!state) {
        memset(dst, 0, bytes);
        return;
    }
    for (size_t i = 0; i < pages; i++) {
        size_t offset, part = part_on_page(dst, bytes, i, &offset);
        if (state[i] != FRESH)
            memset(dst + offset, 0, part);
    }
    free(state);
}

void pages_move(unsigned char *dst, const unsigned char *src, size_t bytes) {
    size_t pages;
    if (bytes == 0)
        return;
    unsigned char *state = states(src, bytes, &pages);
    if (!state) {
        memmove(dst, src, bytes);
        return;
    }
    for (size_t i = 0, run; i < pages; i += run) {
        size_t offset, part = part_on_page(src, bytes, i, &offset);
        for (run = 1; i + run < pages && (state[i + run] == FRESH) == (state[i] == FRESH); run++) {
            size_t unused;
            part += part_on_page(src, bytes, i + run, &unused);
        }
        if (state[i] == FRESH)
            pages_zero(dst + offset, part);
        else
            memmove(dst + offset, src + offset, part);
    }
    free(state);
}

unsigned char *pages_written(const void *address, size_t bytes) {
    size_t pages;
    return bytes ? states(address, bytes, &pages) : NULL;
}

bool pages_part_written(const unsigned char *written, const void *address, size_t offset,
                        size_t bytes) {
    if (!written)
        return true;
    uintptr_t first = page_of(address);
    uintptr_t from = page_of((const char *)address + offset) - first;
    uintptr_t to = page_of((const char *)address + offset + bytes - 1) + 1 - first;
    return memchr(written + from, WRITTEN, to - from) != NULL;
}

static bool still_there(const struct touched *range) {
    unsigned char first, last;
    return read_pagemap(range->first, 1, &first) && read_pagemap(range->end - 1, 1, &last) &&
           first != FRESH && last != FRESH;
}

/* Marks in state what is remembered of the pages; forgets ranges that were freed, and those that
 * the new one [first, end) covers. */
static void apply_remembered(uintptr_t first, uintptr_t end, unsigned char *state) {
    for (size_t i = touched_count; i-- > 0;) {
        struct touched range = touched[i];
        if (range.end <= first || range.first >= end)
            continue;
        bool there = still_there(&range);
        uintptr_t from = range.first > first ? range.first : first;
        uintptr_t to = range.end < end ? range.end : end;
        for (uintptr_t page = from; there && page < to; page++)
            if (state[page - first] < range.how)
                state[page - first] = range.how;
        if (!there)
            touched[i] = touched[--touched_count];
    }
}

/* Replaces what it covers, unless that was written and this is only read. */
static void remember(uintptr_t first, uintptr_t end, unsigned char how) {
    for (size_t i = touched_count; i-- > 0;)
        if (touched[i].first >= first && touched[i].end <= end && touched[i].how <= how)
            touched[i] = touched[--touched_count];
    if (touched_count == touched_capacity) {
        touched_capacity = touched_capacity ? 2 * touched_capacity : 64;
        touched = realloc(touched, touched_capacity * sizeof *touched);
        if (!touched)
            die(EXIT_ENVIRONMENT, "simulated GPU: out of host memory; close other programs");
    }
    touched[touched_count++] = (struct touched){first, end, how};
}

/* Really touches the range's first and last byte, without changing them. */
static void touch_ends(const void *address, size_t bytes, bool write) {
    volatile unsigned char *ends[2] = {(unsigned char *)address,
                                       (unsigned char *)address + bytes - 1};
    for (int i = 0; i < 2; i++) {
        unsigned char value = *ends[i];
        if (write)
            *ends[i] = value;
    }
}

long pages_first_touch(const void *address, size_t bytes, bool write) {
    size_t pages;
    long faults = 0;
    unsigned char *state = bytes ? states(address, bytes, &pages) : NULL;
    if (!state)
        return 0;
    uintptr_t first = page_of(address);
    unsigned char how = write ? WRITTEN : READ;
    apply_remembered(first, first + pages, state);
    for (size_t i = 0; i < pages; i++)
        faults += state[i] < how;
    free(state);
    if (faults > 0) {
        touch_ends(address, bytes, write);
        remember(first, first + pages, how);
    }
    return faults;
}

void sim_touch(void *memory, size_t bytes) {
    if (!memory_find(memory))
        pages_first_touch(memory, bytes, true);
}
