/* device.h - the GPU a run is on, and how many blocks it holds. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device {
    int index;
    char name[256];
    char uuid[64]; /* "GPU-..." */
    char pci[32];
    int sms;
    int major, minor; /* compute capability */
    int copy_engines;
    bool pageable_access; /* cudaDevAttrPageableMemoryAccess: pageable may be as fast as pinned */
    size_t memory_bytes;
    int driver, runtime; /* as CUDA counts: 13000 is 13.0 */
};

/* "gpu" or "sim", as in run.csv. Defined by gpu/clock.c and by the simulator. */
extern const char device_kind[];
bool device_simulated(void);

/* Chooses the device and fills the description, without creating a context. Dies with EXIT_USAGE
 * if index is out of range and with EXIT_ENVIRONMENT if there is no device, no driver, or it is
 * too old. */
const struct device *device_select(int index);

/* Makes the selected device current and creates its context (a tracer must be there before).
 * Dies with EXIT_ENVIRONMENT if the device is busy (exclusive mode). */
void device_open(void);

/* The selected device. */
const struct device *device(void);

/* Free device memory in bytes, now. */
size_t device_free_bytes(void);

/* Blocks of this kernel the whole device holds at once: SMs x resident blocks per SM
 * (cudaOccupancyMaxActiveBlocksPerMultiprocessor). */
int device_capacity(const void *kernel, int threads, size_t dynamic_shared_bytes);

/* The same for a kernel known only from its trace record (cuBLAS): from its threads, registers
 * and shared memory, by the rules of the CUDA programming guide's compute capability table.
 * 0 if the record does not say. */
int device_capacity_of(const struct span *kernel);

/* Rounds up blocks / capacity. */
int waves(long blocks, int capacity);

/* Matrix products up to this dimension hold real numbers that can be checked. On a GPU that is any;
 * a simulated one computes small products only, and what is above must be said to be unverified.
 * Implemented by gpu/verified.c and by the simulator. */
int max_verified_dim(void);

/* One run at a time on a GPU: waits for /tmp's lock of this GPU and says whom it waits for. Dies
 * with EXIT_ENVIRONMENT after ten minutes. The lock goes when the process ends, however it ends.
 * Does nothing on a simulated GPU: virtual time is not disturbed. */
void device_lock(void);

#ifdef __cplusplus
}
#endif
#endif
