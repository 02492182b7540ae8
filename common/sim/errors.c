/* errors.c - names and texts of errors, the last error, versions. */
#include "core.h"

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
#define X(name, value, text) {name, #name, text},
    CUDA_ERRORS(X)
#undef X
};

enum { ERRORS = sizeof errors / sizeof errors[0] };

const char *cudaGetErrorName(cudaError_t error) {
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].error == error)
            return errors[i].text;
    return "unrecognized error code";
}

/* Neither counts as a call that can be made to fail: they report the failure of another. */
cudaError_t cudaGetLastError(void) {
    return last_error(true);
}

cudaError_t cudaPeekAtLastError(void) {
    return last_error(false);
}

cudaError_t cudaDriverGetVersion(int *version) {
    if (call_enter_no_context("cudaDriverGetVersion"))
        return call_leave();
    if (!version)
        return call_done(cudaErrorInvalidValue);
    *version = (int)sim_profile()->driver_version;
    return call_done(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    if (call_enter_no_context("cudaRuntimeGetVersion"))
        return call_leave();
    if (!version)
        return call_done(cudaErrorInvalidValue);
    *version = (int)sim_profile()->runtime_version;
    return call_done(cudaSuccess);
}
