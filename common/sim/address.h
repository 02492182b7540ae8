/* address.h - memory by address, and the work that uses it: kernels' models, launches, copies. Part
 * of core.h. */
#ifndef SIM_ADDRESS_H
#define SIM_ADDRESS_H

#include "op.h"

/* ---- memory.c ---- */
struct allocation {
    unsigned char *base;
    size_t bytes, mapped_bytes; /* mapped_bytes 0: registered */
    enum memory_kind kind;
    int device;
    bool registered, freeing;
    unsigned flags;
};
struct allocation *memory_find(const void *address); /* NULL: pageable, or not valid */
/* The new allocation, or NULL: over the device's memory, or out of host memory. */
struct allocation *memory_new(size_t bytes, enum memory_kind kind, int device);
struct allocation *memory_add(void *base, size_t bytes); /* memory that is the program's own */
bool memory_overlaps(const void *base, size_t bytes);
void memory_release(void *base);
void memory_reset(struct sim_device *device);
bool memory_is_mapped(const void *address);                /* by us, page by page */
bool host_memory_there(const void *address, size_t bytes); /* the program may touch all of it */

/* ---- pagemap.c ---- */
enum page_state { PAGE_FRESH, PAGE_READ, PAGE_WRITTEN };
bool pagemap_readable(void); /* the first call warns if it is not */
/* state[i] becomes PAGE_WRITTEN for each page that is present or swapped out, else PAGE_FRESH;
 * first is a page number. False if that cannot be told. */
bool pagemap_states(uintptr_t first, size_t pages, unsigned char *state);
extern bool pagemap_page_by_page; /* tests: as on a system that has no quicker way */

/* ---- pages.c ---- */
/* Moves bytes as memmove does, without touching pages that were never written. */
void pages_move(unsigned char *dst, const unsigned char *src, size_t bytes);
void pages_zero(unsigned char *dst, size_t bytes);
/* How many 4 KiB pages of pageable memory a read or write of it touches for the first time; they
 * count as touched from now on. */
long pages_first_touch(const void *address, size_t bytes, bool write);
/* Which pages of a range were ever written; state NULL if that cannot be told: then all count as
 * written. Offsets are from its base. */
struct page_map {
    const unsigned char *base;
    unsigned char *state; /* one for each page, owned */
};
struct page_map page_map_of(const void *address, size_t bytes);
bool page_map_any_written(const struct page_map *map, size_t offset, size_t bytes);
/* pages_move of a part, to dst. */
void page_map_move(const struct page_map *map, size_t offset, unsigned char *dst, size_t bytes);

/* ---- model.c ---- */
int block_thread_slots(int threads); /* what a block takes of an SM */
int block_registers(const struct sim_kernel_model *model, int threads);
size_t block_shared_bytes(const struct sim_kernel_model *model, size_t dynamic_bytes);

/* ---- launch.c ---- */
struct sim_kernel_model *model_of(const void *function); /* dies with advice if there is none */
cudaError_t kernel_work_new(struct kernel_work *kernel, struct sim_kernel_model *model, dim3 grid,
                            dim3 block, void **args, size_t shared);
void kernel_run_init(struct op *op);
void work_copy(struct work *to, const struct work *from); /* copies what it owns */
void work_free(struct work *work);
void load_module(struct sim_device *device, struct sim_kernel_model *model);
void load_all_modules(struct sim_device *device);
void unload_modules(struct sim_device *device);

/* ---- copy.c ---- */
cudaError_t copy_work_new(struct copy_work *copy, void *dst, size_t dst_pitch, const void *src,
                          size_t src_pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
double copy_duration_ns(const struct op *op); /* on the device */
/* The host's own copying: what one byte takes. */
double host_ns_per_byte(double bytes, double cached_rate, double rate);
void copy_effect(struct op *op);
/* All of its memory is there: both ends, or where it is copied to. */
bool copy_can_reach(const struct copy_work *copy, bool source_too);
/* From the first row's start to the last one's end; SIZE_MAX if that is more. */
size_t rows_extent(size_t pitch, size_t width, size_t height);
bool copy_is_peer_to_peer(const struct copy_work *copy); /* or through the host */
cudaError_t memset_work_new(struct memset_work *memset, void *dst, size_t pitch, unsigned value,
                            unsigned element_bytes, size_t width, size_t height);
void memset_effect(const struct memset_work *memset);
bool memset_can_reach(const struct memset_work *memset);
double memset_duration_ns(const struct op *op);

#endif
