/* sim_api.c - the calls of the simulated CUDA runtime wait for what the manual says they wait for,
 * and the bytes move. What they answer to misuse is in sim_errors_*.c. */
#include <stdlib.h>

#include "clock.h"
#include "core.h"
#include "kernels.h"
#include "tap.h"

enum { BYTES = 1 << 20, SLEEP_NS = 10 * 1000 * 1000 };

/* ---- a kernel that sleeps -------------------------------------------------------------------- */

static void sleeper_plan(struct sim_launch *launch, struct sim_plan *plan) {
    plan->block_ns = (double)SIM_ARG(launch, 0, int64_t);
}

static void sleeper_plan_1us(struct sim_launch *launch, struct sim_plan *plan) {
    (void)launch;
    plan->block_ns = 1000;
}

SIM_KERNEL_MODEL(sleeper, .arg_bytes = {sizeof(int64_t)}, .registers = 16, .plan = sleeper_plan);

static cudaError_t sleep_in(cudaStream_t stream) {
    dim3 one = {1, 1, 1};
    int64_t ns = SLEEP_NS;
    void *args[] = {&ns};
    cudaError_t error = sim_library_enter("launch");
    if (error)
        return error;
    error = sim_launch(&sim_model_sleeper, one, one, args, 0, stream);
    sim_library_leave(1000);
    return error;
}

/* ---- and one that fails --------------------------------------------------------------------- */

static void wild_effect(struct sim_launch *launch) {
    sim_fault(launch, cudaErrorIllegalAddress);
}

SIM_KERNEL_MODEL(wild, .registers = 16, .plan = sleeper_plan_1us, .effect = wild_effect);

static char *pinned, *device, *device2, *pageable;
static cudaStream_t stream;

static void prepare(void) {
    if (stream)
        return;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocHost((void **)&pinned, BYTES);
    cudaMalloc((void **)&device, BYTES);
    cudaMalloc((void **)&device2, BYTES);
    pageable = malloc(BYTES);
    memset(pageable, 1, BYTES);
    sleep_in(stream);
    cudaDeviceSynchronize();
}

/* ---- host functions ---------------------------------------------------------------------------
 */

static cudaError_t in_function;

static void call_cuda(void *data) {
    (void)data;
    in_function = cudaStreamSynchronize(NULL);
}

static void a_host_function_must_not_call_cuda(void) {
    prepare();
    EXPECT_INT(cudaLaunchHostFunc(stream, call_cuda, NULL), cudaSuccess);
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_INT(in_function, cudaErrorNotPermitted);
    EXPECT_INT(cudaLaunchHostFunc(stream, NULL, NULL), cudaErrorInvalidValue);
}

/* ---- what waits
 * ---------------------------------------------------------------------------------- */

/* Runs the call behind a kernel of 10 ms in the stream it uses. True if it waited for it. */
#define WAITED(busy_stream, call)                                                                  \
    (cudaDeviceSynchronize(), sleep_in(busy_stream), from_ns = sim_now_ns(),                       \
     failed += (call) != cudaSuccess, sim_now_ns() - from_ns > SLEEP_NS / 2)

static void what_waits(void) {
    int64_t from_ns;
    int failed = 0;
    void *fresh;
    prepare();
    const enum cudaMemcpyKind any = cudaMemcpyDefault;
    EXPECT(!WAITED(stream, cudaMemcpyAsync(device, pinned, BYTES, any, stream)));
    EXPECT(!WAITED(stream, cudaMemcpyAsync(pinned, device, BYTES, any, stream)));
    EXPECT(!WAITED(stream, cudaMemcpyAsync(device, device2, BYTES, any, stream)));
    EXPECT(!WAITED(stream, cudaMemcpyAsync(device, pageable, BYTES, any, stream)));
    EXPECT(WAITED(stream, cudaMemcpyAsync(pageable, device, 4, any, stream)));
    EXPECT(WAITED(stream, cudaMemcpyAsync(pinned, pageable, 4, any, stream)));
    EXPECT(!WAITED(stream, cudaMemsetAsync(device, 0, BYTES, stream)));
    EXPECT(!WAITED(stream, cudaMemsetAsync(pinned, 0, BYTES, stream)));
    EXPECT(WAITED(NULL, cudaMemcpy(device, pinned, 4, any)));
    EXPECT(WAITED(NULL, cudaMemcpy(pinned, device, 4, any)));
    EXPECT(WAITED(NULL, cudaMemcpy(device, pageable, 4, any)));
    EXPECT(WAITED(NULL, cudaMemcpy(pageable, device, 4, any)));
    EXPECT(!WAITED(NULL, cudaMemcpy(device, device2, BYTES, any)));
    EXPECT(!WAITED(NULL, cudaMemset(device, 0, BYTES)));
    EXPECT(WAITED(NULL, cudaMemset(pinned, 0, BYTES)));
    EXPECT(!WAITED(stream, cudaMemcpy(device, pinned, 4, any))); /* another, non-blocking stream */
    EXPECT(!WAITED(stream, cudaMalloc(&fresh, 4096)));
    EXPECT(WAITED(stream, cudaFree(fresh)));
    EXPECT(!WAITED(stream, cudaMallocAsync(&fresh, 4096, stream)));
    EXPECT(!WAITED(stream, cudaFreeAsync(fresh, stream)));
    EXPECT(!WAITED(stream, cudaStreamSynchronize(NULL)));
    EXPECT(WAITED(stream, cudaStreamSynchronize(stream)));
    EXPECT(WAITED(stream, cudaDeviceSynchronize()));
    EXPECT_INT(failed, 0);
}

static void clocks(void) {
    prepare();
    for (int blocking = 0; blocking < 2; blocking++) {
        cudaSetDeviceFlags(blocking ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleSpin);
        sleep_in(stream);
        int64_t wall = wall_ns(), cpu = cpu_ns();
        cudaStreamSynchronize(stream);
        int64_t waited_cpu = cpu_ns() - cpu, waited_wall = wall_ns() - wall;
        EXPECT(waited_wall > SLEEP_NS * 9 / 10);
        EXPECT(blocking ? waited_cpu < waited_wall / 10 : waited_cpu > waited_wall * 9 / 10);
    }
    cudaSetDeviceFlags(cudaDeviceScheduleAuto);
}

/* ---- bytes move
 * ---------------------------------------------------------------------------------- */

static void pageable_source_may_change_after_the_call(void) {
    static const size_t sizes[] = {1000, 65536, 65537, BYTES};
    prepare();
    for (int i = 0; i < 4; i++) {
        memset(pageable, 5, sizes[i]);
        sleep_in(stream);
        cudaMemcpyAsync(device, pageable, sizes[i], cudaMemcpyDefault, stream);
        memset(pageable, 6, sizes[i]); /* the device still sleeps, the data is staged */
        cudaMemcpyAsync(pinned, device, sizes[i], cudaMemcpyDefault, stream);
        cudaStreamSynchronize(stream);
        EXPECT_INT(pinned[0], 5);
        EXPECT_INT(pinned[sizes[i] - 1], 5);
    }
}

/* What is queued before a copy sees the device's memory as it was, though the call has staged. */
static void staged_bytes_arrive_in_stream_order(void) {
    prepare();
    memset(pageable, 5, BYTES);
    EXPECT_INT(cudaMemset(device, 9, BYTES), cudaSuccess);
    EXPECT_INT(cudaDeviceSynchronize(), cudaSuccess);
    sleep_in(stream);
    cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(device, pageable, BYTES, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    EXPECT_INT(pinned[0], 9);
    EXPECT_INT(pinned[BYTES - 1], 9);
}

static void bytes_arrive_whole(void) {
    enum { LARGE = 9 * 1000 * 1000 + 1 };
    unsigned char *in = malloc(LARGE), *out = malloc(LARGE), *on_device;
    prepare();
    EXPECT_INT(cudaMalloc((void **)&on_device, LARGE), cudaSuccess);
    for (size_t i = 0; i < LARGE; i++)
        in[i] = (unsigned char)(i * 2654435761u >> 13);
    memset(out, 0, LARGE);
    for (int busy = 0; busy < 2; busy++) {
        if (busy)
            sleep_in(stream);
        EXPECT_INT(cudaMemcpyAsync(on_device, in, LARGE, cudaMemcpyDefault, stream), cudaSuccess);
        EXPECT_INT(cudaMemcpyAsync(out, on_device, LARGE, cudaMemcpyDefault, stream), cudaSuccess);
        EXPECT(memcmp(in, out, LARGE) == 0);
        EXPECT_INT(cudaMemset(on_device, 0, LARGE), cudaSuccess);
        memset(out, 1, LARGE);
    }
    /* Device memory that was zeroed, and some that was never written, comes back as zeros. */
    EXPECT_INT(cudaMemcpy(out, on_device, LARGE, cudaMemcpyDefault), cudaSuccess);
    for (size_t i = 0; i < LARGE; i++)
        if (out[i])
            out[0] = 1;
    EXPECT_INT(out[0], 0);
    EXPECT_INT(cudaMemcpy2D(on_device, 100, in, 50, 30, 1000, cudaMemcpyDefault), cudaSuccess);
    EXPECT_INT(cudaMemcpy2D(out, 30, on_device, 100, 30, 1000, cudaMemcpyDefault), cudaSuccess);
    EXPECT(memcmp(&out[29970], &in[49950], 30) == 0);
    cudaFree(on_device);
    free(in);
    free(out);
}

static int64_t copy_out_ns(void *to, const void *from, size_t bytes) {
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), cudaSuccess);
    return sim_now_ns() - start_ns;
}

static long resident_kib(void) {
    long kib = -1;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib;
}

/* A buffer that was never written costs page faults once, and the simulator no memory. */
static void untouched_memory(void) {
    const size_t bytes = (size_t)2 << 30;
    prepare();
    void *on_device, *fresh = malloc(bytes);
    long before_kib = resident_kib();
    EXPECT_INT(cudaMalloc(&on_device, bytes), cudaSuccess);
    int64_t first_ns = copy_out_ns(fresh, on_device, bytes);
    int64_t second_ns = copy_out_ns(fresh, on_device, bytes);
    double faults_ns = (double)bytes / PAGE_BYTES * sim_profile()->write_fault_ns;
    EXPECT_NEAR((double)(first_ns - second_ns), faults_ns, 0.01 * faults_ns);
    free(fresh);
    fresh = malloc(bytes); /* new pages, maybe at the same place */
    EXPECT_NEAR((double)copy_out_ns(fresh, on_device, bytes), (double)first_ns,
                0.01 * (double)first_ns);
    EXPECT(resident_kib() - before_kib < 65536);
    free(fresh);
    EXPECT_INT(cudaFree(on_device), cudaSuccess);
}

/* ---- gates
 * --------------------------------------------------------------------------------------- */

static void wait_for_a_closed_gate(void *state) {
    (void)state;
    kernels_init();
    struct gate *gate = gate_new();
    gate_close(gate, stream);
    cudaStreamSynchronize(stream);
}

/* Asks again and again instead: then the gate gives up after its time, as on a GPU. */
static void poll_a_closed_gate(void *state) {
    (void)state;
    kernels_init();
    spin_guard()->limit_ns = 1000000;
    struct gate *gate = gate_new();
    gate_close(gate, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    spin_check();
}

static void gates(void) {
    prepare();
    cudaGetLastError(); /* left by other tests */
    EXPECT_DIES(wait_for_a_closed_gate, NULL, 1, "gate_kernel in stream");
    EXPECT_DIES(poll_a_closed_gate, NULL, 1, "gate_kernel gave up");
    kernels_init();
    struct gate *gate = gate_new();
    gate_close(gate, stream);
    sim_host_work(SLEEP_NS, true);
    EXPECT_INT(cudaStreamQuery(stream), cudaErrorNotReady);
    gate_open(gate);
    int64_t start_ns = sim_now_ns();
    EXPECT_INT(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT(sim_now_ns() - start_ns < 10000);
    gate_free(gate);
    kernels_free();
}

static void queue_depth(void) {
    int depth = (int)sim_profile()->launch_queue_depth;
    prepare();
    cudaDeviceSynchronize();
    for (int i = 0; i < depth; i++) {
        int64_t start_ns = sim_now_ns();
        sleep_in(stream);
        EXPECT(sim_now_ns() - start_ns < SLEEP_NS / 10);
    }
    int64_t start_ns = sim_now_ns();
    sleep_in(stream);
    EXPECT(sim_now_ns() - start_ns > SLEEP_NS / 2);
    cudaDeviceSynchronize();
}

static void launch_wild(void *state) {
    dim3 one = {1, 1, 1};
    void *memory;
    int *wrong = state;
    sim_library_enter("launch");
    *wrong += sim_launch(&sim_model_wild, one, one, NULL, 0, NULL) != cudaSuccess;
    sim_library_leave(1000);
    *wrong += cudaDeviceSynchronize() != cudaErrorIllegalAddress;
    *wrong += cudaMalloc(&memory, 16) != cudaErrorIllegalAddress;
    *wrong += cudaStreamSynchronize(NULL) != cudaErrorIllegalAddress;
    *wrong += cudaDeviceReset() != cudaSuccess;
    *wrong += cudaMalloc(&memory, 16) != cudaSuccess;
    _exit(*wrong);
}

static void a_kernels_fault_stays(void) {
    int wrong = 0;
    prepare();
    EXPECT_INT(tap_child(launch_wild, &wrong), 0);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a host function must not call CUDA", a_host_function_must_not_call_cuda},
        {"which calls wait for earlier work", what_waits},
        {"the CPU clock stands still in a blocking wait", clocks},
        {"a kernel's fault stays until the device is reset", a_kernels_fault_stays},
        {"a pageable source may change after the call", pageable_source_may_change_after_the_call},
        {"staged bytes arrive in stream order", staged_bytes_arrive_in_stream_order},
        {"bytes arrive whole", bytes_arrive_whole},
        {"memory never written: page faults once, no room", untouched_memory},
        {"gates: opened, waited for in vain, polled in vain", gates},
        {"a launch waits when the stream's queue is full", queue_depth},
    };
    return TAP_RUN(tests);
}
