/* sim_h200.c - the simulated H200 against what was measured on one (driver 580.159.04, CUDA 13.0,
 * 2026-11-30): calls, copies, clocks. Every figure below is a measurement; the simulator has to
 * come near it. */
#include <stdlib.h>

#include "clock.h"
#include "kernels.h"
#include "tap.h"

#define MIB ((size_t)1 << 20)
enum { BUSY_NS = 10100000 };

static cudaStream_t stream;
static unsigned char *device, *pinned, *pageable, *other;

/* A quarter off at most, and half a microsecond for the shortest calls. */
#define EXPECT_US(got_us, measured_us) EXPECT_NEAR(got_us, measured_us, 0.25 * (measured_us) + 0.5)

static void begin(void) {
    cudaFree(0);
    kernels_init();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&device, 64 * MIB);
    cudaMallocHost((void **)&pinned, 64 * MIB);
    pageable = malloc(64 * MIB);
    other = malloc(64 * MIB);
    if (!pageable || !other)
        exit(1);
    memset(pageable, 1, 64 * MIB);
    memset(other, 2, 64 * MIB);
    cudaMemcpy(device, pageable, 64 * MIB, cudaMemcpyDefault); /* what follows is warm */
    cudaDeviceSynchronize();
}

/* Microseconds until the copy's call returned. busy: a kernel of 10.1 ms runs in the stream; for
 * cudaMemcpy in a blocking stream, which the NULL stream waits for. */
static double copy_us(void *to, const void *from, size_t bytes, bool async, bool busy) {
    cudaStream_t before = stream;
    if (!async)
        cudaStreamCreate(&before);
    launch_sleep(1, 32, 0, before); /* the first call after a long wait would take longer */
    cudaDeviceSynchronize();
    if (busy)
        launch_sleep(1, 32, BUSY_NS, before);
    int64_t start_ns = wall_ns();
    if (async)
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    else
        cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
    double us = (double)(wall_ns() - start_ns) / 1000;
    cudaDeviceSynchronize();
    if (!async)
        cudaStreamDestroy(before);
    return us;
}

/* ---- copies -----------------------------------------------------------------------------------
 */

struct measured {
    size_t bytes;
    double async_idle, async_busy, sync_idle, sync_busy; /* us; 0: not measured */
};

static void expect_copies(void *to, const void *from, const struct measured *rows, int n) {
    for (int i = 0; i < n; i++) {
        size_t bytes = rows[i].bytes;
        printf("# %zu bytes\n", bytes);
        EXPECT_US(copy_us(to, from, bytes, true, false), rows[i].async_idle);
        EXPECT_US(copy_us(to, from, bytes, false, false), rows[i].sync_idle);
        EXPECT_US(copy_us(to, from, bytes, false, true), rows[i].sync_busy);
        EXPECT_US(copy_us(to, from, bytes, true, true), rows[i].async_busy);
    }
}

static void pageable_in(void) {
    static const struct measured rows[] = {
        {65536, 14.7, 16.3, 14.3, 10142},
        {MIB, 58, 58, 55, 10264},
        {64 * MIB, 9535, 17950, 8085, 18459},
    };
    expect_copies(device, pageable, rows, 3);
    /* Shorter ones differ more between idle and busy than the model knows of. */
    EXPECT_US(copy_us(device, pageable, 4, true, false), 1.4);
    EXPECT_US(copy_us(device, pageable, 4, false, false), 1.7);
    EXPECT_US(copy_us(device, pageable, 65537, true, false), 6.3);
    EXPECT_US(copy_us(device, pageable, 65537, false, false), 6.8);
    EXPECT(copy_us(device, pageable, 65537, true, true) < 15);
    EXPECT(copy_us(device, pageable, 4, true, true) < 5);
}

static void pageable_out(void) {
    static const struct measured rows[] = {
        {4, 6.8, 10117, 7.0, 10119},
        {64 * MIB, 4339, 14202, 4247, 14220},
    };
    expect_copies(pageable, device, rows, 2);
}

static void pinned_calls_only_queue(void) {
    size_t sizes[] = {4, MIB, 64 * MIB};
    for (int i = 0; i < 3; i++)
        for (int busy = 0; busy < 2; busy++) {
            EXPECT_NEAR(copy_us(device, pinned, sizes[i], true, busy), 2.6, 1.4);
            EXPECT_NEAR(copy_us(pinned, device, sizes[i], true, busy), 2.6, 1.4);
        }
    EXPECT(copy_us(device, pinned, 64 * MIB, false, true) > 10000);
    EXPECT(copy_us(pinned, device, 64 * MIB, false, true) > 10000);
}

static void device_copies_never_wait(void) {
    for (int busy = 0; busy < 2; busy++) {
        EXPECT_NEAR(copy_us(device, device + 32 * MIB, MIB, true, busy), 4, 1.6);
        EXPECT_NEAR(copy_us(device, device + 32 * MIB, MIB, false, busy), 4.5, 2.1);
    }
}

static void host_copies_wait(void) {
    EXPECT(copy_us(other, pageable, 4, true, true) > 10000);
    EXPECT(copy_us(other, pageable, 4, false, true) > 10000);
    EXPECT(copy_us(other, pageable, 4, true, false) < 20);
}

/* The copy's call is back while the stream is not: only the staging is done. */
static void staged_is_not_copied(void) {
    cudaMemcpy(device, pageable, MIB, cudaMemcpyDefault);
    EXPECT_INT(cudaStreamQuery(NULL), cudaErrorNotReady);
    cudaGetLastError();
    cudaDeviceSynchronize();
    EXPECT_INT(cudaStreamQuery(NULL), cudaSuccess);
}

static double gb_per_s(void *to, const void *from) {
    cudaEvent_t start, end;
    float ms = 0;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start, stream);
    cudaMemcpyAsync(to, from, 64 * MIB, cudaMemcpyDefault, stream);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return 64.0 * (double)MIB / ((double)ms * 1e6);
}

static void link_rates(void) {
    EXPECT_NEAR(gb_per_s(device, pinned), 55.5, 0.5);
    EXPECT_NEAR(gb_per_s(pinned, device), 55.4, 0.5);
}

/* ---- two GiB, never touched --------------------------------------------------------------------
 */

static void first_touch(void) {
    size_t bytes = 2048 * MIB;
    unsigned char *to, *untouched = malloc(bytes);
    EXPECT_INT(cudaMalloc((void **)&to, bytes), cudaSuccess);
    EXPECT_US(copy_us(to, untouched, bytes, true, false) / 1000, 540);
    EXPECT_US(copy_us(untouched, to, bytes, true, false) / 1000, 1885);
    EXPECT_US(copy_us(to, untouched, bytes, true, false) / 1000, 299);
    EXPECT_US(copy_us(untouched, to, bytes, true, false) / 1000, 191);
    cudaFree(to);
    free(untouched);
}

/* ---- calls and clocks --------------------------------------------------------------------------
 */

static void first_calls(void *state) {
    (void)state;
    int64_t start_ns = wall_ns();
    cudaFree(0);
    double first_ms = (double)(wall_ns() - start_ns) / 1e6;
    start_ns = wall_ns();
    cudaFree(0);
    double second_us = (double)(wall_ns() - start_ns) / 1e3;
    /* 200 to 216 ms where nothing else used the GPU; this is what it takes beside another context.
     */
    if (fabs(first_ms - 125) > 10 || fabs(second_us - 0.8) > 0.3)
        _exit(1);
}

/* Of a child that ran before this process had a context. */
static int first_calls_status;

static void first_and_second_calls(void) {
    EXPECT_INT(first_calls_status, 0);
    launch_sleep(1, 32, 0, stream);
    cudaDeviceSynchronize();
    int64_t start_ns = wall_ns();
    launch_sleep(1, 32, 1000, stream);
    EXPECT_US((double)(wall_ns() - start_ns) / 1000, 4.3);
    cudaDeviceSynchronize();
}

static void clocks(void) {
    int64_t wall = wall_ns();
    EXPECT_INT(wall_ns() - wall, 38);
    int64_t cpu = cpu_ns();
    EXPECT_INT(cpu_ns() - cpu, 361);
}

/* Spinning costs CPU time, sleeping does not: 50.6 of 50.7 ms, and 0.23 of 51.2 ms. */
static void spinning_and_blocking(void) {
    for (int blocking = 0; blocking < 2; blocking++) {
        cudaSetDeviceFlags(blocking ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleSpin);
        launch_sleep(1, 32, 50600000, stream);
        int64_t wall = wall_ns(), cpu = cpu_ns();
        cudaStreamSynchronize(stream);
        double cpu_ms = (double)(cpu_ns() - cpu) / 1e6, wall_ms = (double)(wall_ns() - wall) / 1e6;
        EXPECT_NEAR(wall_ms, 50.8, 0.5);
        EXPECT_NEAR(cpu_ms, blocking ? 0.23 : 50.6, blocking ? 0.2 : 0.5);
    }
    cudaSetDeviceFlags(cudaDeviceScheduleAuto);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"copies from pageable memory", pageable_in},
        {"copies to pageable memory", pageable_out},
        {"copies from and to pinned memory only queue", pinned_calls_only_queue},
        {"copies on the device never wait", device_copies_never_wait},
        {"copies on the host wait for the stream", host_copies_wait},
        {"a staged copy is still to be done", staged_is_not_copied},
        {"the link's rates", link_rates},
        {"2 GiB never touched, and touched", first_touch},
        {"first and later calls", first_and_second_calls},
        {"reading the clocks", clocks},
        {"spinning and blocking waits", spinning_and_blocking},
    };
    setenv("GPU", "h200", 1);
    unsetenv("SIM_HOST");
    first_calls_status = tap_child(first_calls, NULL);
    begin();
    return TAP_RUN(tests);
}
