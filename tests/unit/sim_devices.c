/* sim_devices.c - several simulated GPUs: devices, peer access, copies between them, reset. */
#include <stdlib.h>

#include "core.h"
#include "cublas_v2.h"
#include "tap.h"

enum { BYTES = 64 << 20, SLEEP_NS = 10 * 1000 * 1000 };

static void sleeper_plan(struct sim_launch *launch, struct sim_plan *plan) {
    (void)launch;
    plan->block_ns = SLEEP_NS;
}

SIM_KERNEL_MODEL(sleeper, .registers = 16, .plan = sleeper_plan);

static cudaError_t sleep_in(cudaStream_t stream) {
    dim3 one = {1, 1, 1};
    cudaError_t error = sim_library_enter("launch");
    if (error)
        return error;
    error = sim_launch(&sim_model_sleeper, one, one, NULL, 0, stream);
    sim_library_leave(1000);
    return error;
}

static char *memory[2];
static cudaStream_t streams[2];

static void prepare(void) {
    if (memory[0])
        return;
    for (int i = 1; i >= 0; i--) {
        cudaSetDevice(i);
        cudaMalloc((void **)&memory[i], BYTES);
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        sleep_in(streams[i]);
        cudaDeviceSynchronize();
    }
}

static void choosing_a_device(void) {
    int count = 0, current = -1, value = 0;
    EXPECT_INT(cudaGetDeviceCount(&count), cudaSuccess);
    EXPECT_INT(count, 2);
    prepare();
    EXPECT_INT(cudaSetDevice(2), cudaErrorInvalidDevice);
    EXPECT_INT(cudaSetDevice(-1), cudaErrorInvalidDevice);
    EXPECT_INT(cudaGetDevice(&current), cudaSuccess);
    EXPECT_INT(current, 0);
    EXPECT_INT(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1), cudaSuccess);
    EXPECT_INT(value, sim_profile()->sms);
    EXPECT_INT(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 2),
               cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, -1),
               cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
    /* A kernel goes to a stream of the current device only. */
    EXPECT_INT(sleep_in(streams[1]), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void asking_wrongly(void) {
    struct cudaDeviceProp prop;
    char text[32];
    int value;
    prepare();
    EXPECT_INT(cudaGetDeviceCount(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaGetDevice(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaGetDeviceProperties(NULL, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaGetDeviceProperties(&prop, 2), cudaErrorInvalidDevice);
    EXPECT_INT(cudaGetDeviceProperties(&prop, -1), cudaErrorInvalidDevice);
    EXPECT_INT(cudaInitDevice(2, 0, 0), cudaErrorInvalidDevice);
    EXPECT_INT(cudaInitDevice(0, 0, 2), cudaErrorInvalidValue);
    EXPECT_INT(cudaInitDevice(0, 3, cudaInitDeviceFlagsAreValid), cudaErrorInvalidValue);
    EXPECT_INT(cudaSetDeviceFlags(3), cudaErrorInvalidValue); /* two ways to wait at once */
    EXPECT_INT(cudaSetDeviceFlags(1 << 20), cudaErrorInvalidValue);
    EXPECT_INT(cudaGetDeviceFlags(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetPCIBusId(text, 12, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetPCIBusId(NULL, 32, 0), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetPCIBusId(text, 32, 2), cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceGetByPCIBusId(&value, "0000:7F:00.0"), cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceGetByPCIBusId(&value, NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaDriverGetVersion(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaRuntimeGetVersion(NULL), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceCanAccessPeer(NULL, 0, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceCanAccessPeer(&value, 0, 2), cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceCanAccessPeer(&value, -1, 0), cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetP2PAttribute(&value, (enum cudaDeviceP2PAttr)99, 0, 1),
               cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
               cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice); /* itself */
    EXPECT_INT(cudaDeviceEnablePeerAccess(2, 0), cudaErrorInvalidDevice);
    EXPECT_INT(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    EXPECT_INT(cudaDeviceDisablePeerAccess(-1), cudaErrorInvalidDevice);
    cudaGetLastError();
}

static int64_t copy_ns(char *dst, const char *src, int64_t *call_ns, cudaStream_t stream) {
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaMemcpyAsync(dst, src, BYTES, cudaMemcpyDefault, stream), cudaSuccess);
    *call_ns = sim_now_ns() - start_ns;
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    return sim_now_ns() - start_ns;
}

static void peer_access(void) {
    int can = 0;
    int64_t call_ns, ns;
    prepare();
    EXPECT_INT(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
    EXPECT_INT(can, 1);
    EXPECT_INT(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
    EXPECT_INT(can, 0);
    EXPECT_INT(cudaMemset(memory[0], 42, BYTES), cudaSuccess);
    EXPECT_INT(cudaDeviceSynchronize(), cudaSuccess);

    ns = copy_ns(memory[1], memory[0], &call_ns, streams[0]);
    EXPECT(call_ns < ns / 2); /* staged, in pieces that the call only queues */
    EXPECT_NEAR((double)ns, BYTES / sim_profile()->peer_staged_rate, 0.2 * (double)ns);

    EXPECT_INT(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    EXPECT_INT(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    EXPECT_INT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    ns = copy_ns(memory[1], memory[0], &call_ns, streams[0]);
    EXPECT(call_ns < ns / 5);
    EXPECT_NEAR((double)ns, BYTES / sim_profile()->peer_rate, 0.2 * (double)ns);
    EXPECT_INT(cudaDeviceDisablePeerAccess(1), cudaSuccess);

    char *host = malloc(BYTES);
    EXPECT_INT(cudaMemcpy(host, memory[1], BYTES, cudaMemcpyDefault), cudaSuccess);
    EXPECT(host[0] == 42 && host[BYTES - 1] == 42);
    free(host);
    EXPECT_INT(cudaMemcpyPeer(memory[0], 0, memory[0], 1, 4), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Both go through the host's memory. */
static void staged_copies_both_ways(void) {
    cudaStream_t back;
    prepare();
    EXPECT_INT(cudaSetDevice(1), cudaSuccess);
    EXPECT_INT(cudaStreamCreateWithFlags(&back, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_INT(cudaSetDevice(0), cudaSuccess);
    char *other;
    EXPECT_INT(cudaMalloc((void **)&other, BYTES), cudaSuccess);
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaMemcpyAsync(memory[1], memory[0], BYTES, cudaMemcpyDefault, streams[0]),
               cudaSuccess);
    EXPECT_INT(cudaMemcpyAsync(other, memory[1], BYTES, cudaMemcpyDefault, back), cudaSuccess);
    EXPECT_INT(cudaStreamSynchronize(streams[0]), cudaSuccess);
    int64_t ns = sim_now_ns() - start_ns;
    /* The second begins when the first call has queued its pieces. */
    double alone_ns = BYTES / sim_profile()->peer_staged_call_rate;
    double both_ns = BYTES - alone_ns * sim_profile()->peer_staged_rate;
    both_ns /= sim_profile()->peer_staged_both_rate;
    EXPECT_NEAR((double)ns, alone_ns + both_ns, 0.03 * (double)ns);
    EXPECT_INT(cudaStreamSynchronize(back), cudaSuccess);
    EXPECT_INT(cudaFree(other), cudaSuccess);
    EXPECT_INT(cudaStreamDestroy(back), cudaSuccess);
}

/* A direct copy runs beside kernels on both devices, and waits in a kernel's own stream. */
static void peer_copies_overlap(void) {
    int64_t start_ns;
    prepare();
    EXPECT_INT(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    cudaStream_t other;
    EXPECT_INT(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    sleep_in(streams[0]);
    start_ns = sim_now_ns();
    EXPECT_INT(cudaMemcpyAsync(memory[1], memory[0], BYTES, cudaMemcpyDefault, other), cudaSuccess);
    EXPECT_INT(cudaStreamSynchronize(other), cudaSuccess);
    EXPECT(sim_now_ns() - start_ns < SLEEP_NS / 2);
    EXPECT_INT(cudaMemcpyAsync(memory[1], memory[0], BYTES, cudaMemcpyDefault, streams[0]),
               cudaSuccess);
    EXPECT(sim_now_ns() - start_ns < SLEEP_NS / 2);
    EXPECT_INT(cudaStreamSynchronize(streams[0]), cudaSuccess);
    EXPECT(sim_now_ns() - start_ns >= SLEEP_NS);
    EXPECT_INT(cudaStreamDestroy(other), cudaSuccess);
    EXPECT_INT(cudaDeviceDisablePeerAccess(1), cudaSuccess);
}

/* An event of one device holds a stream of another. */
static void events_between_devices(void) {
    cudaEvent_t event;
    prepare();
    EXPECT_INT(cudaEventCreate(&event), cudaSuccess);
    EXPECT_INT(cudaEventRecord(event, streams[1]), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    sleep_in(streams[0]);
    EXPECT_INT(cudaEventRecord(event, streams[0]), cudaSuccess);
    EXPECT_INT(cudaStreamWaitEvent(streams[1], event, 0), cudaSuccess);
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaStreamSynchronize(streams[1]), cudaSuccess);
    EXPECT(sim_now_ns() - start_ns > SLEEP_NS / 2);
    EXPECT_INT(cudaEventDestroy(event), cudaSuccess);
}

/* A cuBLAS handle belongs to the device it was made on. */
static void cublas_on_another_device(void) {
    cublasHandle_t handle;
    double x = 1;
    prepare();
    double *matrix = (double *)(void *)memory[0];
    EXPECT_INT(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cudaSetDevice(1), cudaSuccess);
    EXPECT_INT(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &x, matrix, 8, matrix, 8, &x,
                           matrix, 8),
               CUBLAS_STATUS_EXECUTION_FAILED);
    EXPECT_INT(cudaSetDevice(0), cudaSuccess);
    EXPECT_INT(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &x, matrix, 8, matrix, 8, &x,
                           matrix, 8),
               CUBLAS_STATUS_SUCCESS);
    EXPECT_INT(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

static void reset(void) {
    size_t free_bytes, total_bytes;
    cudaEvent_t event;
    cudaStream_t captured;
    cublasHandle_t handle;
    void *more;
    prepare();
    EXPECT_INT(cudaEventCreate(&event), cudaSuccess);
    EXPECT_INT(cudaStreamCreate(&captured), cudaSuccess);
    EXPECT_INT(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    sleep_in(streams[0]);
    EXPECT_INT(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_INT(cudaDeviceReset(), cudaSuccess);
    EXPECT_INT(cudaMalloc(&more, 16), cudaSuccess); /* nothing is captured any more */
    EXPECT_INT(cudaFree(more), cudaSuccess);
    EXPECT_INT(cublasSetStream(handle, NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_INT(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaDeviceReset(), cudaSuccess);
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaStreamSynchronize(streams[0]), cudaErrorInvalidResourceHandle);
    EXPECT_INT(cudaFree(memory[0]), cudaErrorInvalidValue);
    cudaGetLastError();
    EXPECT_INT(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
    EXPECT(sim_now_ns() - start_ns >= (int64_t)sim_profile()->context_ns); /* a new context */
    EXPECT_INT(free_bytes, total_bytes);
    EXPECT_INT(cudaMemset(memory[1], 1, BYTES), cudaSuccess); /* the other device has kept its */
}

int main(void) {
    setenv("SIM_GPUS", "2", 1);
    static const struct tap_test tests[] = {
        {"choosing a device", choosing_a_device},
        {"asking wrongly", asking_wrongly},
        {"peer access: staged without, direct with it", peer_access},
        {"staged copies both ways at once", staged_copies_both_ways},
        {"peer copies overlap kernels of other streams", peer_copies_overlap},
        {"events between devices", events_between_devices},
        {"a cuBLAS handle on another device", cublas_on_another_device},
        {"reset", reset},
    };
    return TAP_RUN(tests);
}
