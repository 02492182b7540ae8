/* The part of error.h that speaks CUDA; apart so that host-only modules link without a runtime. */
#include "error.h"

#include <string.h>

/* By name, not by number: a simulated runtime, or an older toolkit, need not know every error. */
static const struct advice {
    const char *name;
    enum exit_status status;
    const char *text;
} advices[] = {
    {"cudaErrorMemoryAllocation", EXIT_ENVIRONMENT,
     "the memory is out: choose smaller sizes, or free the GPU (nvidia-smi lists its users)"},
    {"cudaErrorInsufficientDriver", EXIT_ENVIRONMENT,
     "the driver is older than this program's CUDA: update the driver, or build with an older "
     "toolkit"},
    {"cudaErrorNoDevice", EXIT_ENVIRONMENT,
     "no CUDA GPU is visible: look at nvidia-smi and CUDA_VISIBLE_DEVICES, or use DEVICE=sim"},
    {"cudaErrorDevicesUnavailable", EXIT_ENVIRONMENT,
     "the GPU is busy or in exclusive or prohibited compute mode: wait for its user, or ask for "
     "nvidia-smi -c DEFAULT"},
    {"cudaErrorDeviceUnavailable", EXIT_ENVIRONMENT, "the GPU is busy: wait for its user"},
    {"cudaErrorDeviceAlreadyInUse", EXIT_ENVIRONMENT,
     "another process owns the GPU (exclusive mode): wait for it"},
    {"cudaErrorInitializationError", EXIT_ENVIRONMENT,
     "CUDA did not start: does nvidia-smi work here?"},
    {"cudaErrorUnknown", EXIT_ENVIRONMENT,
     "often the driver's kernel module is not loaded or the container lacks the device files: does "
     "nvidia-smi work here?"},
    {"cudaErrorStubLibrary", EXIT_ENVIRONMENT,
     "the toolkit's stub of libcuda was loaded: take .../stubs out of LD_LIBRARY_PATH"},
    {"cudaErrorSystemDriverMismatch", EXIT_ENVIRONMENT,
     "the driver's library and kernel module differ: reboot, or reload the module"},
    {"cudaErrorCompatNotSupportedOnDevice", EXIT_ENVIRONMENT,
     "forward compatibility is not offered on this GPU: take the compat folder out of "
     "LD_LIBRARY_PATH"},
    {"cudaErrorSystemNotReady", EXIT_ENVIRONMENT,
     "the system is not ready: is the fabric manager running?"},
    {"cudaErrorUnsupportedPtxVersion", EXIT_ENVIRONMENT,
     "the kernels are newer than the driver, nothing was timed: update the driver, or build with "
     "an older toolkit"},
    {"cudaErrorNoKernelImageForDevice", EXIT_ENVIRONMENT,
     "the kernels were not built for this GPU, nothing was timed: build on this machine, or with "
     "make ARCH=all-major"},
    {"cudaErrorInvalidDeviceFunction", EXIT_ENVIRONMENT,
     "the kernels were not built for this GPU, nothing was timed: build on this machine"},
    {"cudaErrorJitCompilerNotFound", EXIT_ENVIRONMENT,
     "the driver's PTX compiler is missing: build on this machine with make ARCH=native"},
    {"cudaErrorECCUncorrectable", EXIT_ENVIRONMENT,
     "the GPU's memory reported an error: reset or replace it"},
    {"cudaErrorInvalidConfiguration", EXIT_FAIL,
     "the grid or block is empty or too large for this GPU: choose fewer blocks or threads"},
    {"cudaErrorLaunchOutOfResources", EXIT_FAIL,
     "a block needs more registers or shared memory than an SM has: choose fewer threads"},
    {"cudaErrorInvalidValue", EXIT_FAIL,
     "an argument is out of range, NULL, or has been freed: look at this call's arguments"},
    {"cudaErrorIllegalAddress", EXIT_FAIL,
     "a kernel or copy used memory that is not its own: run it under compute-sanitizer"},
    {"cudaErrorMisalignedAddress", EXIT_FAIL,
     "a kernel used a misaligned address: run it under compute-sanitizer"},
    {"cudaErrorLaunchFailure", EXIT_FAIL,
     "a kernel crashed, perhaps in an earlier launch: run it under compute-sanitizer"},
    {"cudaErrorLaunchTimeout", EXIT_FAIL,
     "the display's watchdog stopped the kernel: use a GPU without a display, or shorter sleeps"},
    {"CUBLAS_STATUS_ALLOC_FAILED", EXIT_ENVIRONMENT,
     "the memory is out: choose smaller sizes, or free the GPU (nvidia-smi lists its users)"},
    {"CUBLAS_STATUS_NOT_INITIALIZED", EXIT_ENVIRONMENT,
     "cuBLAS did not start: is there free device memory, and does the driver fit the toolkit?"},
    {"CUBLAS_STATUS_ARCH_MISMATCH", EXIT_ENVIRONMENT,
     "this cuBLAS does not know this GPU: take another CUDA version"},
    {"CUBLAS_STATUS_INVALID_VALUE", EXIT_FAIL,
     "a size is negative or a leading dimension too small: look at this call's arguments"},
};

static const struct advice *advice_of(const char *name) {
    static const struct advice none = {"", EXIT_FAIL,
                                       "an earlier asynchronous call may be the cause"};
    for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++) {
        if (strcmp(advices[i].name, name) == 0)
            return &advices[i];
    }
    return &none;
}

const char *cuda_advice(cudaError_t error) {
    return advice_of(cudaGetErrorName(error))->text;
}

void cuda_failed(cudaError_t error, const char *call, const char *file, int line) {
    const char *name = cudaGetErrorName(error);
    const struct advice *advice = advice_of(name);
    die(advice->status, "%s failed: %s (%s) at %s:%d; %s", call, name, cudaGetErrorString(error),
        file, line, advice->text);
}

void cublas_failed(cublasStatus_t status, const char *call, const char *file, int line) {
    const char *name = cublasGetStatusName(status);
    const struct advice *advice = advice_of(name);
    die(advice->status, "%s failed: %s (%s) at %s:%d; %s", call, name,
        cublasGetStatusString(status), file, line, advice->text);
}
