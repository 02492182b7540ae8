#include "device.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "lock.h"

enum { LOCK_LIMIT_S = 600 };

static struct device selected;

/* The fields of cudaDeviceProp change from version to version; attributes stay. */
static int attribute(enum cudaDeviceAttr which) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, selected.index));
    return value;
}

static void no_device(cudaError_t error) __attribute__((noreturn));
static void no_device(cudaError_t error) {
    if (selected.driver == 0)
        die(EXIT_ENVIRONMENT,
            "no NVIDIA driver was found; install one (nvidia-smi must work), or use DEVICE=sim");
    if (error == cudaErrorInsufficientDriver)
        die(EXIT_ENVIRONMENT,
            "the driver knows CUDA up to %d.%d and this program needs %d.%d; update the driver, or "
            "build with an older toolkit",
            selected.driver / 1000, selected.driver % 1000 / 10, selected.runtime / 1000,
            selected.runtime % 1000 / 10);
    die(EXIT_ENVIRONMENT, "no usable GPU: %s (%s); %s", cudaGetErrorName(error),
        cudaGetErrorString(error), cuda_advice(error));
}

static int count_devices(void) {
    CUDA_CHECK(cudaRuntimeGetVersion(&selected.runtime));
    if (cudaDriverGetVersion(&selected.driver) != cudaSuccess) {
        selected.driver = 0;
        cudaGetLastError(); /* or the next LAUNCH_CHECK would report it */
    }
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess)
        no_device(error);
    if (count == 0)
        no_device(cudaErrorNoDevice);
    return count;
}

static void describe_identity(const struct cudaDeviceProp *properties) {
    const unsigned char *u = (const unsigned char *)&properties->uuid;
    snprintf(selected.name, sizeof selected.name, "%s", properties->name);
    snprintf(selected.uuid, sizeof selected.uuid,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
             u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
             u[15]);
    selected.memory_bytes = properties->totalGlobalMem;
}

const struct device *device_select(int index) {
    int count = count_devices();
    if (index < 0 || index >= count)
        die(EXIT_USAGE,
            "--device: '%d' is out of range; allowed: 0 to %d (CUDA_VISIBLE_DEVICES "
            "decides which GPUs are counted)",
            index, count - 1);
    struct cudaDeviceProp properties;
    memset(&properties, 0, sizeof properties);
    CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    selected.index = index;
    describe_identity(&properties);
    CUDA_CHECK(cudaDeviceGetPCIBusId(selected.pci, (int)sizeof selected.pci, index));
    selected.sms = attribute(cudaDevAttrMultiProcessorCount);
    selected.major = attribute(cudaDevAttrComputeCapabilityMajor);
    selected.minor = attribute(cudaDevAttrComputeCapabilityMinor);
    selected.copy_engines = attribute(cudaDevAttrAsyncEngineCount);
    selected.pageable_access = attribute(cudaDevAttrPageableMemoryAccess) != 0;
    return &selected;
}

/* cudaFree(0) creates the context now, in versions of CUDA where cudaSetDevice does not yet. */
void device_open(void) {
    cudaError_t error = cudaSetDevice(selected.index);
    if (error == cudaSuccess)
        error = cudaFree(NULL);
    if (error != cudaSuccess)
        die(EXIT_ENVIRONMENT, "cannot use GPU %d, %s: %s (%s); %s", selected.index, selected.name,
            cudaGetErrorName(error), cudaGetErrorString(error), cuda_advice(error));
}

const struct device *device(void) {
    return &selected;
}

size_t device_free_bytes(void) {
    size_t available = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&available, &total));
    return available;
}

int device_capacity(const void *kernel, int threads, size_t dynamic_shared_bytes) {
    int blocks = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                             dynamic_shared_bytes));
    return blocks * selected.sms;
}

int waves(long blocks, int capacity) {
    return capacity > 0 ? (int)((blocks + capacity - 1) / capacity) : 0;
}

bool device_simulated(void) {
    return strcmp(device_kind, "sim") == 0;
}

void device_lock(void) {
    if (device_simulated())
        return;
    char path[128], what[320];
    snprintf(path, sizeof path, "/tmp/gpu-asynchrony-labs-%s.lock", selected.uuid);
    snprintf(what, sizeof what, "GPU %d, %s,", selected.index, selected.name);
    lock_take(path, what, LOCK_LIMIT_S);
}
