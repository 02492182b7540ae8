/* cublas.c - the cuBLAS calls: handles, arguments and their errors, and what a call costs the host.
 * What the product's kernel does is in gemm.c. */
#include <cublas_v2.h>
#include <string.h>

#include "core.h"
#include "gemm.h"

struct cublasContext {
    struct cublasContext *next; /* all handles ever made: a destroyed one is still recognised */
    bool live;
    const struct sim_device *device;
    int context; /* of the device, when the handle was made: cudaDeviceReset ends it */
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics_mode;
    cublasMath_t math_mode;
};
static struct cublasContext *handles;

static bool live(cublasHandle_t handle) {
    for (const struct cublasContext *h = handles; h; h = h->next)
        if (h == handle)
            return h->live && h->context == h->device->contexts;
    return false;
}

static cublasStatus_t status_of(cudaError_t error) {
    switch (error) {
    case cudaSuccess:
        return CUBLAS_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation:
        return CUBLAS_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue:
        return CUBLAS_STATUS_INVALID_VALUE;
    case cudaErrorNotSupported:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

/* ---- handles ----------------------------------------------------------------------------------
 */

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
    cudaError_t error = sim_library_enter("cublasCreate_v2");
    if (error != cudaSuccess || !handle) {
        sim_library_leave(0);
        return handle ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_INVALID_VALUE;
    }
    struct cublasContext *new = need_memory(1, sizeof *new);
    *new = (struct cublasContext){.next = handles, .live = true, .device = current_device()};
    new->context = new->device->contexts;
    handles = new;
    *handle = new;
    sim_library_leave(sim_profile()->cublas_create_ns + first_ns(current_device(), FIRST_CUBLAS));
    return CUBLAS_STATUS_SUCCESS;
}

/* Waits for the device: cuBLAS guide, "cublasDestroy() implicitly calls cudaDeviceSynchronize()".
 */
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaError_t error = cudaDeviceSynchronize();
    handle->live = false;
    sim_host_work(sim_profile()->cublas_destroy_ns, true);
    return status_of(error);
}

/* Calls that only look at, or change, the handle. */
static cublasStatus_t handle_call(cublasHandle_t handle, bool valid) {
    sim_host_work(sim_profile()->cublas_call_ns, true);
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return valid ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

#define SETTER(function, type, field, valid)                                                       \
    cublasStatus_t function(cublasHandle_t handle, type value) {                                   \
        cublasStatus_t status = handle_call(handle, valid);                                        \
        if (status == CUBLAS_STATUS_SUCCESS)                                                       \
            handle->field = value;                                                                 \
        return status;                                                                             \
    }
#define GETTER(function, type, field)                                                              \
    cublasStatus_t function(cublasHandle_t handle, type *value) {                                  \
        cublasStatus_t status = handle_call(handle, value != NULL);                                \
        if (status == CUBLAS_STATUS_SUCCESS)                                                       \
            *value = handle->field;                                                                \
        return status;                                                                             \
    }

SETTER(cublasSetStream, cudaStream_t, stream, true)
GETTER(cublasGetStream, cudaStream_t, stream)
SETTER(cublasSetPointerMode, cublasPointerMode_t, pointer_mode, (unsigned)value <= 1)
GETTER(cublasGetPointerMode, cublasPointerMode_t, pointer_mode)
SETTER(cublasSetAtomicsMode, cublasAtomicsMode_t, atomics_mode, (unsigned)value <= 1)
GETTER(cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode)
SETTER(cublasSetMathMode, cublasMath_t, math_mode, (unsigned)value <= 31)
GETTER(cublasGetMathMode, cublasMath_t, math_mode)

/* The modelled kernels need no workspace. */
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes) {
    return handle_call(handle, workspace || !bytes);
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version) {
    cublasStatus_t status = handle_call(handle, version != NULL);
    if (status == CUBLAS_STATUS_SUCCESS)
        *version = CUBLAS_VERSION;
    return status;
}

const char *cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return #name;
        CUBLAS_STATUSES(X)
#undef X
    }
    return "unrecognized status";
}

const char *cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
#define X(name, value, text)                                                                       \
    case name:                                                                                     \
        return text;
        CUBLAS_STATUSES(X)
#undef X
    }
    return "unrecognized status";
}

/* ---- products ---------------------------------------------------------------------------------
 */

static bool operation_valid(cublasOperation_t operation) {
    return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

/* cuBLAS guide, cublas<t>gemm: the leading dimensions hold a column, and C is not NULL. */
static bool gemm_valid(const struct gemm *gemm) {
    int rows_a = gemm->transposed_a ? gemm->k : gemm->m;
    int rows_b = gemm->transposed_b ? gemm->n : gemm->k;
    return gemm->m >= 0 && gemm->n >= 0 && gemm->k >= 0 && gemm->batch >= 0 &&
           gemm->lda >= (rows_a > 1 ? rows_a : 1) && gemm->ldb >= (rows_b > 1 ? rows_b : 1) &&
           gemm->ldc >= (gemm->m > 1 ? gemm->m : 1) &&
           (gemm->c || gemm->c_of || gemm->m == 0 || gemm->n == 0);
}

static void set_scalars(struct gemm *gemm, cublasHandle_t handle, const double *alpha,
                        const double *beta) {
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        gemm->device_alpha = alpha;
        gemm->device_beta = beta;
    } else {
        gemm->alpha = *alpha;
        gemm->beta = *beta;
    }
}

/* The host works first, and queues the kernel at the end of the call. */
static cublasStatus_t queue(const char *function, cublasHandle_t handle, struct gemm gemm,
                            cublasOperation_t transa, cublasOperation_t transb, const double *alpha,
                            const double *beta, double call_ns) {
    if (!live(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaError_t error = sim_library_enter(function);
    cublasStatus_t status = status_of(error);
    gemm.transposed_a = transa != CUBLAS_OP_N;
    gemm.transposed_b = transb != CUBLAS_OP_N;
    if (error == cudaSuccess && (!alpha || !beta || !operation_valid(transa) ||
                                 !operation_valid(transb) || !gemm_valid(&gemm)))
        status = CUBLAS_STATUS_INVALID_VALUE;
    /* cuBLAS guide, cuBLAS context: a handle is for the device that was current when it was made.
     */
    if (status == CUBLAS_STATUS_SUCCESS && handle->device != current_device())
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    if (status == CUBLAS_STATUS_SUCCESS && gemm.m && gemm.n && gemm.batch) {
        set_scalars(&gemm, handle, alpha, beta);
        sim_host_work(call_ns, true);
        status = status_of(gemm_launch(&gemm, handle->stream));
    }
    sim_library_leave(0);
    return status;
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const double *alpha,
                           const double *A, int lda, const double *B, int ldb, const double *beta,
                           double *C, int ldc) {
    struct gemm gemm = {.m = m,
                        .n = n,
                        .k = k,
                        .lda = lda,
                        .ldb = ldb,
                        .ldc = ldc,
                        .batch = 1,
                        .a = A,
                        .b = B,
                        .c = C};
    return queue("cublasDgemm_v2", handle, gemm, transa, transb, alpha, beta, gemm_call_ns(&gemm));
}

cublasStatus_t cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const double *alpha, const double *const Aarray[], int lda,
                                  const double *const Barray[], int ldb, const double *beta,
                                  double *const Carray[], int ldc, int batchCount) {
    struct gemm gemm = {.m = m,
                        .n = n,
                        .k = k,
                        .lda = lda,
                        .ldb = ldb,
                        .ldc = ldc,
                        .batch = batchCount,
                        .a_of = Aarray,
                        .b_of = Barray,
                        .c_of = Carray};
    return queue("cublasDgemmBatched", handle, gemm, transa, transb, alpha, beta,
                 sim_profile()->dgemm_batched_call_ns);
}

cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const double *alpha, const double *A, int lda,
                                         long long int strideA, const double *B, int ldb,
                                         long long int strideB, const double *beta, double *C,
                                         int ldc, long long int strideC, int batchCount) {
    struct gemm gemm = {.m = m,
                        .n = n,
                        .k = k,
                        .lda = lda,
                        .ldb = ldb,
                        .ldc = ldc,
                        .batch = batchCount,
                        .a = A,
                        .b = B,
                        .c = C,
                        .stride_a = strideA,
                        .stride_b = strideB,
                        .stride_c = strideC};
    return queue("cublasDgemmStridedBatched", handle, gemm, transa, transb, alpha, beta,
                 sim_profile()->dgemm_batched_call_ns);
}
