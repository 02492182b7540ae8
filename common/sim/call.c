/* call.c - what every API call has in common: injected faults, the context made by the first
 * call, the cost, the span under the tracer, and the last error. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "core.h"
#include "error.h"

static struct {
    const char *function;
    int64_t start_ns;
    uint32_t correlation;
    cudaError_t error;
    bool library, library_launched;
    bool running;
} call = {.function = "the program"};

static uint32_t calls_made;
static cudaError_t kept_error;

const char *call_name(void) {
    return call.function;
}

uint32_t call_correlation(void) {
    return call.correlation;
}

/* Memory of the program that was given to a call and cannot be used: read-only, freed meanwhile.
 * Undefined behaviour, and a crash of the driver on a GPU. The program's own faults stay its own.
 * The simulator only reads and writes such memory, and holds no lock then: die may print here. */
static void bad_host_memory(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    if (call.running && !in_host_function())
        die(EXIT_FAIL,
            "%s: the host's memory at %p cannot be read or written: is it read-only, freed, or too "
            "short?",
            call.function, info->si_addr);
    signal(signal_number, SIG_DFL);
}

static void catch_bad_host_memory(void) {
    static bool tried;
    struct sigaction action = {.sa_sigaction = bad_host_memory, .sa_flags = SA_SIGINFO}, before;
    if (tried)
        return;
    tried = true;
    sigaction(SIGSEGV, NULL, &before);
    if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL) /* no sanitizer's */
        sigaction(SIGSEGV, &action, NULL);
}

static void begin(const char *function) {
    catch_bad_host_memory();
    call.running = true;
    call.function = function;
    call.start_ns = sim_now_ns();
    call.correlation = ++calls_made;
}

/* Recorded: even a call that does next to nothing takes microseconds the first time. The names are
 * literals, but each file may have its own: only a new one is compared letter by letter. */
static double first_call_ns(const char *function) {
    enum { FUNCTIONS = 256 };
    static const char *called[FUNCTIONS];
    static int count;
    for (int i = 0; i < count; i++)
        if (called[i] == function)
            return 0;
    for (int i = 0; i < count; i++)
        if (!strcmp(called[i], function))
            return 0;
    if (count < FUNCTIONS)
        called[count++] = function;
    return sim_profile()->first_call_ns;
}

cudaError_t call_enter_no_context(const char *function) {
    if (in_host_function()) /* manual: a host function must not make CUDA calls */
        return cudaErrorNotPermitted;
    grid_poll_waits();
    call.library = false;
    begin(function);
    call.error = fail_wanted(function);
    if (call.error == cudaSuccess)
        call_cost(first_call_ns(function));
    return call.error;
}

cudaError_t call_enter(const char *function) {
    if (call_enter_no_context(function))
        return call_leave();
    struct sim_device *device = current_device();
    if (!device)
        return call.error = cudaErrorNoDevice;
    call.error = device_need_context(device);
    if (call.error == cudaSuccess)
        call.error = device->broken; /* a kernel's fault stays until cudaDeviceReset */
    return call.error;
}

static cudaError_t finish(const char *function, cudaError_t error) {
    if (in_host_function())
        return cudaErrorNotPermitted;
    if (sim_now_ns() == call.start_ns)
        sim_host_work(1, true);
    call.running = false;
    if (tracer_on())
        tracer_call(function, call.correlation, call.start_ns, sim_now_ns());
    /* A query's "not yet" is not kept for cudaGetLastError (seen on an H200, CUDA 13.0). */
    if (error && error != cudaErrorNotReady)
        kept_error = error;
    return error;
}

cudaError_t call_done(cudaError_t error) {
    return finish(call.function, error);
}

cudaError_t call_leave(void) {
    if (in_host_function())
        return cudaErrorNotPermitted;
    return call_done(call.error);
}

void call_cost(double ns) {
    sim_host_work(ns, true);
}

static double cold_ns; /* extra, for the next call that queues work */

/* Recorded: the first call that queues work after the host has waited takes longer, the more so the
 * longer it was, be it that it slept or that it spun. */
void call_waited(int64_t ns) {
    const struct sim_profile *profile = sim_profile();
    double extra = ((double)ns - profile->cold_after_ns) * profile->cold_share;
    cold_ns = fmin(fmax(cold_ns, extra), profile->cold_most_ns);
}

void call_cost_queueing(double ns) {
    call_cost(ns + cold_ns);
    cold_ns = 0;
}

/* CUPTI shows a library's launches and not the library's own calls; so does this. */
cudaError_t sim_library_enter(const char *function) {
    if (call_enter(function))
        return call_leave();
    call.library = true;
    call.library_launched = false;
    return cudaSuccess;
}

void call_library_launches(void) {
    call.library_launched = call.library;
}

void sim_library_leave(double cost_ns) {
    call_cost(cost_ns);
    call.library = false;
    finish(call.library_launched ? "cudaLaunchKernel" : call.function, cudaSuccess);
}

cudaError_t last_error(bool clear) {
    cudaError_t error = kept_error;
    if (clear)
        kept_error = cudaSuccess;
    return error;
}
