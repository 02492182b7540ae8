#include "host_memory.h"

#include <sys/mman.h>

#include "error.h"
#include "report.h"

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
        die(EXIT_ENVIRONMENT, "no %s of %s host memory to be had; give a smaller size (see --help)",
            show_bytes((double)bytes), host_kind_name(kind));
    host_touch(memory, bytes);
    return memory;
}
