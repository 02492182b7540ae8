/* memory.c - every allocation by address: what an address is decides how a copy behaves (manual:
 * API synchronization behavior). An address that is in no allocation is pageable host memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

enum { ALIGNMENT = 512 };

/* Sorted by base; they do not overlap. */
static struct allocation *allocations;
static size_t count, capacity;

/* The index of the first allocation whose base is above the address. */
static size_t above(const void *address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations[middle].base <= (const unsigned char *)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *memory_find(const void *address) {
    size_t next = above(address);
    if (next == 0)
        return NULL;
    struct allocation *allocation = &allocations[next - 1];
    return (const unsigned char *)address < allocation->base + allocation->bytes ? allocation
                                                                                 : NULL;
}

bool memory_overlaps(const void *base, size_t bytes) {
    size_t next = above(base);
    return memory_find(base) ||
           (next < count && allocations[next].base < (const unsigned char *)base + bytes);
}

bool memory_is_mapped(const void *address) {
    const struct allocation *allocation = memory_find(address);
    return allocation && allocation->mapped_bytes > 0;
}

/* MS_ASYNC does nothing but look whether all pages are mapped (msync(2): ENOMEM). */
bool host_memory_there(const void *address, size_t bytes) {
    uintptr_t before = (uintptr_t)address % PAGE_BYTES;
    return bytes <= UINTPTR_MAX - (uintptr_t)address &&
           msync((char *)address - before, before + bytes, MS_ASYNC) == 0;
}

bool sim_address_valid(const void *address, size_t bytes) {
    const struct allocation *allocation = memory_find(address);
    return allocation &&
           bytes <= (size_t)(allocation->base + allocation->bytes - (const unsigned char *)address);
}

static struct allocation *insert(const struct allocation *allocation) {
    if (count == capacity) {
        capacity = capacity ? 2 * capacity : 256;
        allocations = more_memory(allocations, capacity * sizeof *allocations);
    }
    size_t at = above(allocation->base);
    memmove(&allocations[at + 1], &allocations[at], (count - at) * sizeof *allocations);
    allocations[at] = *allocation;
    count++;
    return &allocations[at];
}

struct allocation *memory_add(void *base, size_t bytes) {
    struct allocation allocation = {.base = base, .bytes = bytes, .kind = MEMORY_PINNED};
    allocation.registered = true;
    return insert(&allocation);
}

/* Only reserved: a page that nobody writes never takes room. What is freed is gone for the C
 * library too, so that a freed address is not taken for the program's own memory. */
static void *reserve(size_t bytes, size_t *mapped_bytes) {
    *mapped_bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    void *base = mmap(NULL, *mapped_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return base == MAP_FAILED ? NULL : base;
}

static size_t device_bytes_of(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

struct allocation *memory_new(size_t bytes, enum memory_kind kind, int device) {
    struct allocation allocation = {.bytes = bytes, .kind = kind, .device = device};
    struct sim_device *on = device_at(device);
    bool on_device = kind == MEMORY_DEVICE;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    if (on_device &&
        (double)(on->used_bytes + device_bytes_of(bytes)) > sim_profile()->memory_bytes)
        return NULL;
    allocation.base = reserve(bytes, &allocation.mapped_bytes);
    if (!allocation.base)
        return NULL;
    if (on_device)
        on->used_bytes += device_bytes_of(bytes);
    return insert(&allocation);
}

void memory_release(void *base) {
    struct allocation *allocation = memory_find(base);
    if (!allocation || allocation->base != base)
        return;
    if (allocation->kind == MEMORY_DEVICE)
        device_at(allocation->device)->used_bytes -= device_bytes_of(allocation->bytes);
    if (allocation->mapped_bytes)
        munmap(allocation->base, allocation->mapped_bytes);
    size_t at = (size_t)(allocation - allocations);
    count--;
    memmove(&allocations[at], &allocations[at + 1], (count - at) * sizeof *allocations);
}

/* Manual, cudaDeviceReset: all allocations of the device's context go. */
void memory_reset(struct sim_device *device) {
    for (size_t i = count; i > 0; i--)
        if (allocations[i - 1].device == device->index)
            memory_release(allocations[i - 1].base);
}
