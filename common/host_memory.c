#include "host_memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "error.h"
#include "report.h"
#ifdef SIMULATED
#include "sim.h"
#endif

enum { PAGE_BYTES = 4096 };

const char *host_kind_name(enum host_kind kind) {
    static const char *const names[HOST_KINDS] = {"pageable", "pinned", "registered"};
    return names[kind];
}

static size_t whole_pages(size_t bytes) {
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void *map_pages(size_t bytes) {
    void *memory =
        mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Out of memory is an answer; the runtime remembers it as its last error. */
static bool had_memory(cudaError_t error, const char *call) {
    if (error == cudaErrorMemoryAllocation)
        cudaGetLastError();
    else if (error != cudaSuccess)
        cuda_failed(error, call, __FILE__, __LINE__);
    return error == cudaSuccess;
}

void *host_alloc(enum host_kind kind, size_t bytes) {
    void *memory = NULL;
    if (kind == HOST_PINNED)
        return had_memory(cudaMallocHost(&memory, bytes), "cudaMallocHost") ? memory : NULL;
    memory = map_pages(bytes);
    if (kind != HOST_REGISTERED || !memory)
        return memory;
    if (had_memory(cudaHostRegister(memory, bytes, cudaHostRegisterDefault), "cudaHostRegister"))
        return memory;
    munmap(memory, whole_pages(bytes));
    return NULL;
}

void host_free(enum host_kind kind, void *memory, size_t bytes) {
    if (!memory)
        return;
    if (kind == HOST_PINNED) {
        CUDA_CHECK(cudaFreeHost(memory));
        return;
    }
    if (kind == HOST_REGISTERED)
        CUDA_CHECK(cudaHostUnregister(memory));
    munmap(memory, whole_pages(bytes));
}

void *host_alloc_touched(enum host_kind kind, size_t bytes) {
    void *memory = host_alloc(kind, bytes);
    if (!memory)
        die(EXIT_ENVIRONMENT, "no %s of %s host memory to be had; give a smaller --bytes",
            show_bytes((double)bytes), host_kind_name(kind));
#ifdef SIMULATED
    enum { LARGE_BYTES = 1 << 26 };
    if (bytes >= LARGE_BYTES) { /* takes no room: a laptop can simulate buffers of many GiB */
        sim_touch(memory, bytes);
        return memory;
    }
#endif
    return memset(memory, 1, bytes);
}

/* The number behind `key` in a file of "key number" lines, or the first number if key is "". */
static bool read_number(const char *path, const char *key, uint64_t *number) {
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found =
            !strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* What the control group of a container or a batch job still allows; file pages are given back. */
static uint64_t group_available(const char *limit_path, const char *used_path,
                                const char *stat_path) {
    uint64_t limit, used, files = 0;
    if (!read_number(limit_path, "", &limit) || !read_number(used_path, "", &used))
        return UINT64_MAX;
    read_number(stat_path, "inactive_file ", &files);
    return limit + files > used ? limit + files - used : 0;
}

size_t host_available_bytes(void) {
    uint64_t kib, available = 0;
    if (read_number("/proc/meminfo", "MemAvailable:", &kib))
        available = kib * 1024;
    uint64_t v2 = group_available("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                  "/sys/fs/cgroup/memory.stat");
    uint64_t v1 = group_available("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                  "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                  "/sys/fs/cgroup/memory/memory.stat");
    uint64_t group = v1 < v2 ? v1 : v2;
    return (size_t)(group < available ? group : available);
}
