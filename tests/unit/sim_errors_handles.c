/* sim_errors_handles.c - what the simulated CUDA runtime answers to misuse of streams, events and
 * kernels: the errors that the CUDA Runtime API reference names for each call. Where it leaves the
 * behaviour undefined, and a GPU's driver would crash, an error as well, and never a crash or
 * silence. Devices: sim_devices.c; graphs and capture: sim_graph.c; cuBLAS: sim_cublas.c. */
#include "sim_errors.h"

/* ---- streams and events ------------------------------------------------------------------------
 */

static void set(void *flag) {
    *(int *)flag = 1;
}

static void call_back(cudaStream_t of, cudaError_t error, void *flag) {
    (void)of;
    (void)error;
    set(flag);
}

static void creating_streams(void) {
    cudaStream_t other;
    int least = 9, greatest = 9, priority = 9;
    prepare();
    EXPECT_INT(cudaStreamCreate(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamCreateWithFlags(NULL, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamCreateWithFlags(&other, 77), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamCreateWithPriority(NULL, 0, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamCreateWithPriority(&other, 2, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    EXPECT_INT(cudaStreamCreateWithPriority(&other, 0, -1000), cudaSuccess);
    EXPECT_INT(cudaStreamGetPriority(other, &priority), cudaSuccess);
    EXPECT_INT(priority, greatest); /* clamped */
    EXPECT_INT(cudaStreamDestroy(other), cudaSuccess);
}

/* Every call that takes a stream: one that was destroyed, and something else's address. */
static void streams_that_are_none(void) {
    cudaStream_t none[2] = {NULL, (cudaStream_t)(void *)&nothing};
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    const cudaError_t bad = cudaErrorInvalidResourceHandle;
    int flag = 0, id = 0;
    unsigned flags;
    unsigned long long number;
    prepare();
    EXPECT_INT(cudaStreamCreate(&none[0]), cudaSuccess);
    EXPECT_INT(cudaStreamDestroy(none[0]), cudaSuccess);
    cudaEventCreate(&event);
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 2; i++) {
        cudaStream_t other = none[i];
        EXPECT_INT(cudaStreamDestroy(other), bad);
        EXPECT_INT(cudaStreamSynchronize(other), bad);
        EXPECT_INT(cudaStreamQuery(other), bad);
        EXPECT_INT(cudaStreamGetFlags(other, &flags), bad);
        EXPECT_INT(cudaStreamGetPriority(other, &id), bad);
        EXPECT_INT(cudaStreamGetId(other, &number), bad);
        EXPECT_INT(cudaStreamGetDevice(other, &id), bad);
        EXPECT_INT(cudaStreamWaitEvent(other, event, 0), bad);
        EXPECT_INT(cudaStreamAddCallback(other, call_back, &flag, 0), bad);
        EXPECT_INT(cudaLaunchHostFunc(other, set, &flag), bad);
        EXPECT_INT(cudaEventRecord(event, other), bad);
        EXPECT_INT(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyDefault, other), bad);
        EXPECT_INT(cudaMemsetAsync(device, 0, 4, other), bad);
        EXPECT_INT(launch(one, one, 0, other), bad);
        EXPECT_INT(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), bad);
        EXPECT_INT(cudaStreamEndCapture(other, &graph), bad);
        EXPECT_INT(cudaStreamIsCapturing(other, &status), bad);
        EXPECT_INT(cudaGraphLaunch(exec, other), bad);
        EXPECT_INT(cudaGraphUpload(exec, other), bad);
    }
    EXPECT_INT(cudaStreamDestroy(NULL), bad);
    EXPECT_INT(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_INT(flag, 0);
    EXPECT_INT(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_INT(cudaEventDestroy(event), cudaSuccess);
}

static void streams_asked_wrongly(void) {
    cudaEvent_t event;
    prepare();
    cudaEventCreate(&event);
    EXPECT_INT(cudaStreamGetFlags(stream, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamGetPriority(stream, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamGetId(stream, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamGetDevice(stream, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamWaitEvent(stream, event, 8), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamWaitEvent(stream, NULL, 0), cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaStreamAddCallback(stream, NULL, NULL, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamAddCallback(stream, call_back, &nothing, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaLaunchHostFunc(stream, NULL, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)9),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaStreamIsCapturing(stream, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaEventDestroy(event), cudaSuccess);
}

static void creating_events(void) {
    cudaEvent_t event;
    prepare();
    EXPECT_INT(cudaEventCreate(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaEventCreateWithFlags(NULL, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaEventCreateWithFlags(&event, 64), cudaErrorInvalidValue);
    EXPECT_INT(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
}

static void events(void) {
    cudaEvent_t event, untimed, none[3] = {NULL, (cudaEvent_t)(void *)&nothing, NULL};
    float passed;
    prepare();
    EXPECT_INT(cudaEventCreate(&event), cudaSuccess);
    EXPECT_INT(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    EXPECT_INT(cudaEventElapsedTime(&passed, event, event), cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaEventQuery(event), cudaSuccess); /* never recorded */
    EXPECT_INT(cudaEventSynchronize(event), cudaSuccess);
    EXPECT_INT(launch(one, one, 0, stream), cudaSuccess);
    EXPECT_INT(cudaEventRecordWithFlags(event, stream, 8), cudaErrorInvalidValue);
    EXPECT_INT(cudaEventRecord(event, stream), cudaSuccess);
    EXPECT_INT(cudaEventRecord(untimed, stream), cudaSuccess);
    EXPECT_INT(cudaEventQuery(event), cudaErrorNotReady);
    EXPECT_INT(cudaEventElapsedTime(&passed, event, event), cudaErrorNotReady);
    EXPECT_INT(cudaEventSynchronize(event), cudaSuccess);
    EXPECT_INT(cudaEventElapsedTime(&passed, event, untimed), cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaEventElapsedTime(NULL, event, event), cudaErrorInvalidValue);
    EXPECT_INT(cudaEventElapsedTime(&passed, event, event), cudaSuccess);
    EXPECT(passed == 0);
    EXPECT_INT(cudaEventDestroy(event), cudaSuccess);
    none[2] = event;
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(cudaEventDestroy(none[i]), cudaErrorInvalidResourceHandle);
        EXPECT_INT(cudaEventRecord(none[i], stream), cudaErrorInvalidResourceHandle);
        EXPECT_INT(cudaEventQuery(none[i]), cudaErrorInvalidResourceHandle);
        EXPECT_INT(cudaEventSynchronize(none[i]), cudaErrorInvalidResourceHandle);
        EXPECT_INT(cudaEventElapsedTime(&passed, none[i], untimed), cudaErrorInvalidResourceHandle);
        EXPECT_INT(cudaStreamWaitEvent(stream, none[i], 0), cudaErrorInvalidResourceHandle);
    }
    EXPECT_INT(cudaEventDestroy(untimed), cudaSuccess);
}

/* ---- launches ----------------------------------------------------------------------------------
 */

static void launches(void) {
    dim3 none = {0, 1, 1}, wide = {1025, 1, 1}, tall = {1, 65536, 1}, deep = {1, 1, 65};
    dim3 many = {65536, 65536, 65536};
    void *no_argument[] = {NULL};
    prepare();
    EXPECT_INT(launch(none, one, 0, stream), cudaErrorInvalidConfiguration);
    EXPECT_INT(launch(one, none, 0, stream), cudaErrorInvalidConfiguration);
    EXPECT_INT(launch(one, wide, 0, stream), cudaErrorInvalidConfiguration);
    EXPECT_INT(launch(one, deep, 0, stream), cudaErrorInvalidConfiguration);
    EXPECT_INT(launch(one, many, 0, stream), cudaErrorInvalidConfiguration);
    EXPECT_INT(launch(tall, one, 0, stream), cudaErrorInvalidConfiguration);
    EXPECT_INT(launch(one, one, 1 << 30, stream), cudaErrorInvalidValue);
    EXPECT_INT(launch(one, one, SIZE_MAX, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaLaunchKernel(NULL, one, one, args, 0, stream), cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaLaunchKernel(nap, one, one, NULL, 0, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaLaunchKernel(nap, one, one, no_argument, 0, stream), cudaErrorInvalidValue);
    EXPECT_INT(cudaLaunchCooperativeKernel(NULL, one, one, args, 0, stream),
               cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaLaunchCooperativeKernel(nap, one, wide, args, 0, stream),
               cudaErrorInvalidConfiguration);
    dim3 million = {1000000, 1, 1};
    EXPECT_INT(cudaLaunchCooperativeKernel(nap, million, one, args, 0, stream),
               cudaErrorCooperativeLaunchTooLarge);
    EXPECT_INT(cudaPeekAtLastError(), cudaErrorCooperativeLaunchTooLarge);
    EXPECT_INT(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    EXPECT_INT(cudaGetLastError(), cudaSuccess);
}

static void questions_about_kernels(void) {
    struct cudaFuncAttributes attributes;
    const char *name;
    int blocks = 9;
    size_t bytes;
    prepare();
    EXPECT_INT(cudaFuncGetAttributes(NULL, nap), cudaErrorInvalidValue);
    EXPECT_INT(cudaFuncGetAttributes(&attributes, NULL), cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaFuncGetName(NULL, nap), cudaErrorInvalidValue);
    EXPECT_INT(cudaFuncGetName(&name, NULL), cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaFuncSetCacheConfig(NULL, cudaFuncCachePreferNone),
               cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
               cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaFuncSetAttribute(nap, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaFuncSetAttribute(nap, (enum cudaFuncAttribute)99, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, nap, 32, 0),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 32, 0),
               cudaErrorInvalidDeviceFunction);
    EXPECT_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nap, 0, 0),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nap, 32, SIZE_MAX),
               cudaSuccess);
    EXPECT_INT(blocks, 0);
    EXPECT_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, nap, 32, 0, 8),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaOccupancyAvailableDynamicSMemPerBlock(NULL, nap, 1, 32), cudaErrorInvalidValue);
    EXPECT_INT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, NULL, 1, 32),
               cudaErrorInvalidDeviceFunction);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"creating streams", creating_streams},
        {"streams that are none", streams_that_are_none},
        {"streams asked wrongly", streams_asked_wrongly},
        {"creating events", creating_events},
        {"events", events},
        {"launches", launches},
        {"questions about kernels", questions_about_kernels},
    };
    return TAP_RUN(tests);
}
