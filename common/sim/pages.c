/* pages.c - pages that were never written. Two uses:
 *
 * - Copies of them move nothing, so that a program with buffers of many GiB needs little memory.
 * - The first touch of a page of pageable memory is a page fault, and costs the host. Measured:
 *   most of a device-to-host copy into a fresh buffer of 2 GiB is page faults.
 *
 * Whether a page was touched is asked of the kernel (pagemap.c: present or swapped), and
 * only for anonymous memory, where an absent page reads as zeros. What the simulator's own copies
 * would have touched, had they moved all bytes, is remembered beside it. A buffer that was freed
 * meanwhile is recognised by its first and last page, which are really touched. Buffers of less
 * than 128 KiB come from the C library's heap, whose pages have often been used before: they
 * count as touched. Without pagemap everything counts as touched and is really moved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

enum { SPARSE_BYTES = 128 * 1024, GIVE_BACK_BYTES = 1 << 16 };

/* Pages that count as touched although no byte of them was. */
static struct touched {
    uintptr_t first, end; /* page numbers */
    unsigned char how;
} * touched;
static size_t touched_count, touched_capacity;

static uintptr_t page_of(const void *address) {
    return (uintptr_t)address / PAGE_BYTES;
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
    if (bytes < smallest || !pagemap_readable() || !anonymous(address, bytes))
        return NULL;
    unsigned char *state = malloc(*pages);
    if (!state || !pagemap_states(first, *pages, state)) {
        free(state);
        return NULL;
    }
    return state;
}

static void page_map_free(struct page_map *map) {
    free(map->state);
    map->state = NULL;
}

struct page_map page_map_of(const void *address, size_t bytes) {
    size_t pages;
    return (struct page_map){address, bytes ? states(address, bytes, &pages) : NULL};
}

/* How many bytes from the offset on, up to the end, lie on pages that are all fresh or all not. */
static size_t run_at(const struct page_map *map, size_t offset, size_t end, bool *fresh) {
    uintptr_t first = page_of(map->base);
    size_t page = page_of(map->base + offset) - first;
    size_t next = ((first + page + 1) * PAGE_BYTES) - (uintptr_t)map->base;
    *fresh = map->state[page] == PAGE_FRESH;
    while (next < end && (map->state[++page] == PAGE_FRESH) == *fresh)
        next += PAGE_BYTES;
    return (next < end ? next : end) - offset;
}

bool page_map_any_written(const struct page_map *map, size_t offset, size_t bytes) {
    bool fresh;
    return !map->state || run_at(map, offset, offset + bytes, &fresh) < bytes || !fresh;
}

/* The pages are given back to the system, and read as zeros again. */
static void give_back(unsigned char *dst, size_t bytes) {
    size_t before = (PAGE_BYTES - (uintptr_t)dst % PAGE_BYTES) % PAGE_BYTES;
    size_t whole = (bytes - before) / PAGE_BYTES * PAGE_BYTES, after = bytes - before - whole;
    memset(dst, 0, before);
    if (madvise(dst + before, whole, MADV_DONTNEED) != 0) /* locked in memory, perhaps */
        memset(dst + before, 0, whole);
    memset(dst + before + whole, 0, after);
}

/* Zeroes a part of the range of the map; fresh pages are zeros already. True if pages of the
 * program's own memory were given back: for the model they are touched all the same. */
static bool zero_part(const struct page_map *map, size_t offset, size_t bytes) {
    unsigned char *dst = (unsigned char *)map->base;
    bool mapped = memory_is_mapped(dst + offset), fresh = false, gave_back = false;
    for (size_t end = offset + bytes, run; offset < end; offset += run) {
        run = map->state ? run_at(map, offset, end, &fresh) : bytes;
        if (fresh)
            continue;
        if ((map->state || mapped) && run >= GIVE_BACK_BYTES) {
            give_back(dst + offset, run);
            gave_back |= !mapped;
        } else {
            memset(dst + offset, 0, run);
        }
    }
    return gave_back;
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

static void still_touched(unsigned char *dst, size_t bytes) {
    touch_ends(dst, bytes, true);
    pages_first_touch(dst, bytes, true);
}

void pages_zero(unsigned char *dst, size_t bytes) {
    struct page_map map = {.base = dst};
    if (!memory_is_mapped(dst))
        map = page_map_of(dst, bytes);
    if (zero_part(&map, 0, bytes))
        still_touched(dst, bytes);
    page_map_free(&map);
}

void page_map_move(const struct page_map *map, size_t offset, unsigned char *dst, size_t bytes) {
    const unsigned char *src = map->base + offset;
    if (!map->state) {
        memmove(dst, src, bytes);
        return;
    }
    struct page_map to = {0};
    bool fresh, looked = false, gave_back = false;
    for (size_t done = 0, run; done < bytes; done += run) {
        run = run_at(map, offset + done, offset + bytes, &fresh);
        if (fresh && !looked)
            to = page_map_of(dst, bytes);
        looked |= fresh;
        if (fresh)
            gave_back |= zero_part(&to, done, run);
        else
            memmove(dst + done, src + done, run);
    }
    if (gave_back)
        still_touched(dst, bytes);
    page_map_free(&to);
}

void pages_move(unsigned char *dst, const unsigned char *src, size_t bytes) {
    struct page_map map = page_map_of(src, bytes);
    page_map_move(&map, 0, dst, bytes);
    page_map_free(&map);
}

static bool still_there(const struct touched *range) {
    unsigned char first, last;
    return pagemap_states(range->first, 1, &first) && pagemap_states(range->end - 1, 1, &last) &&
           first != PAGE_FRESH && last != PAGE_FRESH;
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
        touched = more_memory(touched, touched_capacity * sizeof *touched);
    }
    touched[touched_count++] = (struct touched){first, end, how};
}

/* One range that is remembered has it all: the pages need not be looked at. */
static bool known_touched(const void *address, size_t bytes, bool write) {
    unsigned char how = write ? PAGE_WRITTEN : PAGE_READ;
    for (size_t i = 0; bytes && i < touched_count; i++)
        if (touched[i].how >= how && touched[i].first <= page_of(address) &&
            touched[i].end > page_of((const char *)address + bytes - 1))
            return still_there(&touched[i]);
    return false;
}

long pages_first_touch(const void *address, size_t bytes, bool write) {
    size_t pages;
    long faults = 0;
    if (known_touched(address, bytes, write))
        return 0;
    unsigned char *state = bytes ? states(address, bytes, &pages) : NULL;
    if (!state)
        return 0;
    uintptr_t first = page_of(address);
    unsigned char how = write ? PAGE_WRITTEN : PAGE_READ;
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
