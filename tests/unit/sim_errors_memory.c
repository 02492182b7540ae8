/* sim_errors_memory.c - what the simulated CUDA runtime answers to misuse of memory: the errors
 * that the CUDA Runtime API reference names for each call. Where it leaves the behaviour undefined,
 * and a GPU's driver would crash, an error as well, and never a crash or silence. Memory that goes
 * under queued work: sim_gone.c. */
#include <signal.h>
#include <sys/mman.h>

#include "sim_errors.h"

/* Memory of the program that is gone, as after free(). */
static char *unmapped(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory, bytes);
    return memory;
}

/* ---- memory ------------------------------------------------------------------------------------
 */

static void allocating(void) {
    void *other;
    size_t pitch, free_bytes, total_bytes;
    prepare();
    EXPECT_INT(cudaMalloc(NULL, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaMalloc(&other, 0), cudaSuccess);
    EXPECT(other == NULL);
    EXPECT_INT(cudaMalloc(&other, (size_t)1 << 50), cudaErrorMemoryAllocation);
    EXPECT_INT(cudaMemGetInfo(NULL, &total_bytes), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
    EXPECT_INT(cudaMalloc(&other, free_bytes + 1), cudaErrorMemoryAllocation);
    EXPECT_INT(cudaMallocPitch(NULL, &pitch, 10, 10), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocPitch(&other, NULL, 10, 10), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocPitch(&other, &pitch, SIZE_MAX, 1), cudaErrorMemoryAllocation);
    EXPECT_INT(cudaMallocPitch(&other, &pitch, 1 << 20, (size_t)1 << 44), /* 2^64 bytes */
               cudaErrorMemoryAllocation);
    EXPECT_INT(cudaMallocManaged(NULL, 1, cudaMemAttachGlobal), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocManaged(&other, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocManaged(&other, 1, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocHost(NULL, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostAlloc(&other, 1, 8), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocAsync(NULL, 1, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocAsync(&other, 1, (cudaStream_t)(void *)&nothing),
               cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaMallocAsync(&other, (size_t)1 << 50, stream), cudaErrorMemoryAllocation);
}

static void freeing(void) {
    void *other;
    size_t before, after, total_bytes;
    prepare();
    EXPECT_INT(cudaMemGetInfo(&before, &total_bytes), cudaSuccess);
    EXPECT_INT(cudaMalloc(&other, SMALL), cudaSuccess);
    EXPECT_INT(cudaMemGetInfo(&after, &total_bytes), cudaSuccess);
    EXPECT_INT(before - after, SMALL);
    EXPECT_INT(cudaFree((char *)other + 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaFreeHost(other), cudaErrorInvalidValue);
    EXPECT_INT(cudaFree(other), cudaSuccess);
    EXPECT_INT(cudaFree(other), cudaErrorInvalidValue);
    EXPECT_INT(cudaFree(NULL), cudaSuccess);
    EXPECT_INT(cudaFree(pinned), cudaErrorInvalidValue);
    EXPECT_INT(cudaFree(pageable), cudaErrorInvalidValue);
    EXPECT_INT(cudaFreeHost(NULL), cudaSuccess);
    EXPECT_INT(cudaFreeHost(pageable), cudaErrorInvalidValue);
    EXPECT_INT(cudaFreeHost(pinned + 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaMallocAsync(&other, SMALL, stream), cudaSuccess);
    EXPECT_INT(cudaFreeAsync(other, (cudaStream_t)(void *)&nothing),
               cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaFreeAsync(pinned, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaFreeAsync(other, stream), cudaSuccess);
    EXPECT_INT(cudaFreeAsync(other, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaFree(other), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_INT(cudaMemGetInfo(&after, &total_bytes), cudaSuccess);
    EXPECT_INT(after, before);
}

static void registering(void) {
    unsigned flags;
    void *seen;
    prepare();
    EXPECT_INT(cudaHostRegister(NULL, 1, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostRegister(pageable, 0, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostRegister(pageable, BYTES, 64), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostRegister(unmapped(BYTES), BYTES, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostRegister(pageable, SIZE_MAX, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostUnregister(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostUnregister(pageable), cudaErrorHostMemoryNotRegistered);
    EXPECT_INT(cudaHostUnregister(pinned), cudaErrorHostMemoryNotRegistered);
    EXPECT_INT(cudaHostRegister(pageable, BYTES, 0), cudaSuccess);
    EXPECT_INT(cudaHostRegister(pageable, BYTES, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_INT(cudaHostRegister(pageable + 8, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_INT(cudaFreeHost(pageable), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostUnregister(pageable), cudaSuccess);
    EXPECT_INT(cudaHostUnregister(pageable), cudaErrorHostMemoryNotRegistered);
    EXPECT_INT(cudaHostGetDevicePointer(NULL, pinned, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostGetDevicePointer(&seen, pageable, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostGetDevicePointer(&seen, pinned, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostGetFlags(NULL, pinned), cudaErrorInvalidValue);
    EXPECT_INT(cudaHostGetFlags(&flags, device), cudaErrorInvalidValue);
    EXPECT_INT(cudaPointerGetAttributes(NULL, device), cudaErrorInvalidValue);
}

static void managed_memory(void) {
    char *managed;
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    struct cudaMemLocation none = {cudaMemLocationTypeDevice, 9}, wrong = {(int)77, 0};
    prepare();
    EXPECT_INT(cudaMallocManaged((void **)&managed, SMALL, cudaMemAttachGlobal), cudaSuccess);
    EXPECT_INT(cudaMemPrefetchAsync(device, SMALL, here, 0, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemPrefetchAsync(managed, SMALL + 1, here, 0, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemPrefetchAsync(managed, SMALL, here, 1, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemPrefetchAsync(managed, SMALL, none, 0, stream), cudaErrorInvalidDevice);
    EXPECT_INT(cudaMemPrefetchAsync(managed, SMALL, wrong, 0, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemAdvise(managed, SMALL, cudaMemAdviseSetReadMostly, none), cudaSuccess);
    EXPECT_INT(cudaMemAdvise(managed, SMALL, cudaMemAdviseSetAccessedBy, none),
               cudaErrorInvalidDevice);
    EXPECT_INT(cudaMemAdvise(managed, SMALL, (enum cudaMemoryAdvise)99, here),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaMemAdvise(pageable, SMALL, cudaMemAdviseSetReadMostly, here),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachSingle), cudaSuccess);
    EXPECT_INT(cudaStreamAttachMemAsync(stream, managed, 1, cudaMemAttachSingle),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamAttachMemAsync(stream, managed, 0, 3), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachSingle),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaFree(managed), cudaSuccess);
}

/* ---- copies ------------------------------------------------------------------------------------
 */

static void copies(void) {
    prepare();
    EXPECT_INT(cudaMemcpy(device, NULL, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(NULL, device, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(device, pinned, BYTES + 1, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(device + 1, pinned, BYTES, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(pageable, device + 1, BYTES, cudaMemcpyDefault), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(device, pageable, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(pageable, device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(pageable, device, 4, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpy(device, pinned, 4, (enum cudaMemcpyKind)9),
               cudaErrorInvalidMemcpyDirection);
    EXPECT_INT(cudaMemcpy(device, pinned, 4, (enum cudaMemcpyKind) - 1),
               cudaErrorInvalidMemcpyDirection);
    EXPECT_INT(cudaMemcpy(device, NULL, 0, cudaMemcpyDefault), cudaSuccess);
    EXPECT_INT(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyDefault, (cudaStream_t)(void *)device),
               cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaMemcpy2D(device, 8, pinned, 16, 16, 2, cudaMemcpyDefault),
               cudaErrorInvalidPitchValue);
    EXPECT_INT(cudaMemcpy2D(device, 16, pinned, 8, 16, 1, cudaMemcpyDefault),
               cudaErrorInvalidPitchValue);
    EXPECT_INT(cudaMemcpy2D(device, BYTES, pinned, 16, 16, 2, cudaMemcpyDefault),
               cudaErrorInvalidValue); /* its second row */
    EXPECT_INT(cudaMemset(pageable, 0, 4), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemset(NULL, 0, 4), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemset(device, 0, BYTES + 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemset2D(device, 8, 0, 16, 2), cudaErrorInvalidValue);
    EXPECT_INT(cudaMemcpyPeer(device, 0, device, 9, 4), cudaErrorInvalidDevice);
    EXPECT_INT(cudaMemcpyPeer(device, -1, device, 0, 4), cudaErrorInvalidDevice);
    EXPECT_INT(cudaMemcpyPeerAsync(device, 0, pageable, 0, 4, stream), cudaErrorInvalidValue);
}

/* Freed, of whichever kind and size: no copy takes it for the program's own memory. */
static void copies_of_memory_that_is_gone(void) {
    static const size_t sizes[] = {16, SMALL, BYTES, (size_t)64 << 20};
    prepare();
    for (int i = 0; i < 4; i++)
        for (int kind = 0; kind < 4; kind++) {
            void *gone = NULL;
            cudaError_t error = kind == 0   ? cudaMalloc(&gone, sizes[i])
                                : kind == 1 ? cudaMallocHost(&gone, sizes[i])
                                : kind == 2
                                    ? cudaMallocManaged(&gone, sizes[i], cudaMemAttachGlobal)
                                    : (gone = unmapped(sizes[i]), cudaSuccess);
            EXPECT_INT(error, cudaSuccess);
            if (kind < 3)
                EXPECT_INT(kind == 1 ? cudaFreeHost(gone) : cudaFree(gone), cudaSuccess);
            EXPECT_INT(cudaMemcpy(gone, pinned, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
            EXPECT_INT(cudaMemcpy(pageable, gone, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
            EXPECT_INT(cudaMemcpyAsync(device, gone, 16, cudaMemcpyHostToDevice, stream),
                       cudaErrorInvalidValue);
            EXPECT_INT(cudaMemcpyAsync(gone, device, 16, cudaMemcpyDeviceToHost, stream),
                       cudaErrorInvalidValue);
            EXPECT_INT(cudaMemset(gone, 0, 16), cudaErrorInvalidValue);
        }
    EXPECT_INT(cudaDeviceSynchronize(), cudaSuccess);
}

/* Where nobody can tell beforehand: one line instead of a crash. */
static void copy_to_a_constant(void *constant) {
    cudaMemcpy(constant, device, 4, cudaMemcpyDeviceToHost);
}

static void copy_of_freed_registered_memory(void *copied) {
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cudaHostRegister(memory, BYTES, 0);
    launch(one, one, 0, stream);
    cudaMemcpyAsync(device, memory, BYTES, cudaMemcpyDefault, stream);
    munmap(memory, BYTES);
    *(int *)copied = 1;
    cudaStreamSynchronize(stream);
}

static void fault_of_the_program(void *nowhere) {
    cudaStreamSynchronize(stream);
    *(volatile char *)nowhere = 1;
}

static void memory_that_cannot_be_used(void) {
    prepare();
    if (TAP_SANITIZED) {
        TAP_SKIP("the sanitizer reports these itself");
        return;
    }
    void *constant = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_DIES(copy_to_a_constant, constant, 1, "cudaMemcpy: the host's memory at 0x");
    EXPECT_DIES(copy_of_freed_registered_memory, &nothing, 1, "cudaStreamSynchronize: the host's");
    EXPECT_INT(tap_child(fault_of_the_program, constant), -SIGSEGV);
}

/* What a call has staged may be freed before the device has it. */
static void a_staged_source_may_go(void) {
    static const size_t sizes[] = {(size_t)64 << 10, (size_t)512 << 10};
    prepare();
    for (int i = 0; i < 2; i++) {
        char *source =
            mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(source, 7, sizes[i]);
        launch(one, one, 0, stream);
        EXPECT_INT(cudaMemcpyAsync(device, source, sizes[i], cudaMemcpyDefault, stream),
                   cudaSuccess);
        munmap(source, sizes[i]);
        EXPECT_INT(cudaMemcpyAsync(pinned, device, sizes[i], cudaMemcpyDefault, stream),
                   cudaSuccess);
        EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_INT(pinned[sizes[i] - 1], 7);
    }
}

int main(void) {
    static const struct tap_test tests[] = {
        {"allocating", allocating},
        {"freeing", freeing},
        {"registering host memory", registering},
        {"managed memory", managed_memory},
        {"copies and memsets", copies},
        {"copies of memory that is gone", copies_of_memory_that_is_gone},
        {"a staged source may go", a_staged_source_may_go},
        {"memory that cannot be used", memory_that_cannot_be_used},
    };
    return TAP_RUN(tests);
}
