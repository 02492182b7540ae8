/* host_memory.h - the kinds of host memory that a copy can start from or end in. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA runtime API, "Memory Management": cudaMallocHost allocates page-locked ("pinned") memory,
 * cudaHostRegister page-locks memory that is there already. All other memory is pageable. */
enum host_kind { HOST_PAGEABLE, HOST_PINNED, HOST_REGISTERED, HOST_KINDS };
#define HOST_KIND_CHOICES "pageable|pinned|registered" /* for a table of options, in this order */

const char *host_kind_name(enum host_kind kind);

/* Memory of that kind, on pages of its own. Pageable memory is fresh from the system, as malloc's
 * is at this size: no page of it exists before it is touched. NULL if there is not enough memory.
 * host_free takes the same kind and size. */
void *host_alloc(enum host_kind kind, size_t bytes);
void host_free(enum host_kind kind, void *memory, size_t bytes);

/* host_alloc that dies with EXIT_ENVIRONMENT, and host_touch. */
void *host_alloc_touched(enum host_kind kind, size_t bytes);

/* The functions below are implemented by gpu/host.c and by the simulator: on a simulated GPU
 * memory takes room on this machine only where it is written, so that a laptop can simulate buffers
 * of many GiB. */

/* Touches every page, so that no page fault is to come. What the memory holds then is not said. */
void host_touch(void *memory, size_t bytes);

/* Bytes the host can give without swapping, a container's limit included. 0: it does not say, and
 * nothing need be held against it. */
size_t host_available_bytes(void);

/* The system's choice of transparent huge pages ("always", "madvise", "never"); NULL: unknown. */
const char *host_huge_pages(void);

#ifdef __cplusplus
}
#endif
#endif
