/* clock.c - the host's clocks in virtual time. Host code between two calls takes no time at all;
 * calls, waits and reading a clock do. */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "clock.h"
#include "core.h"
#include "device.h"
#include "error.h"

const char device_kind[] = "sim";

/* Not 0: a time stamp of 0 means "never" in trace records. */
static int64_t now = 1000000000, cpu = 1000000;

/* While a host function runs, the driver's thread has a clock of its own. */
static bool in_function;
static int64_t function_passed;

int64_t sim_now_ns(void) {
    return now + (in_function ? function_passed : 0);
}

void clock_set_now(int64_t now_ns) {
    now = now_ns;
}

void sim_host_work(double ns, bool uses_cpu) {
    int64_t whole_ns = llround(ns);
    if (whole_ns <= 0)
        return;
    if (uses_cpu)
        cpu += whole_ns;
    if (in_function) {
        function_passed += whole_ns;
        return;
    }
    int64_t until = now + whole_ns;
    while (agenda_next_ns() <= until)
        agenda_run_next();
    now = until;
}

/* What is stuck: the kernels that run and that nothing can end, on the current device first. */
static void die_of_deadlock(void) {
    for (int i = 0; i < device_count(); i++) {
        int device = (current_device()->index + i) % device_count();
        const struct op *op = device_at(device)->running_list;
        if (op)
            die(EXIT_FAIL,
                "%s never returns: %s in stream %d of the simulated GPU waits for memory that "
                "nobody can write any more; open its gate before you wait for it",
                call_name(), op_name(op), op->lane);
    }
    die(EXIT_FAIL, "%s never returns: what it waits for was never queued", call_name());
}

void host_wait(over_fn *over, const void *what, bool blocking) {
    const struct sim_profile *profile = sim_profile();
    int64_t start = now;
    grid_poll_waits();
    if (over(what))
        return;
    while (!over(what)) {
        if (agenda_only_gives_up())
            die_of_deadlock();
        agenda_run_next();
        grid_poll_waits();
    }
    if (blocking) {
        /* The thread sleeps on a lock of the driver: waking takes the operating system's time,
         * and the CPU clock stands still meanwhile (manual: cudaDeviceScheduleBlockingSync). */
        sim_host_work(profile->block_wake_ns, false);
        cpu += llround(profile->block_wake_cpu_ns);
    } else {
        cpu += now - start;
        sim_host_work(profile->spin_wake_ns, true);
    }
    call_waited(now - start);
}

/* On a GPU the function has a thread of its own. Here the host stands still meanwhile, and what the
 * function waits for never comes: it is given so many seconds of real time. */
enum { HOST_FUNCTION_S = 5 };
static int function_lane;
static struct sigaction alarm_handler;
static unsigned alarm_s;

static void die_of_host_function(int signal) {
    (void)signal;
    die(EXIT_FAIL,
        "a host function in stream %d of the simulated GPU has not returned for %d s: it must not "
        "wait for the host, whose code stands still while it runs",
        function_lane, HOST_FUNCTION_S);
}

void host_function_begin(int lane) {
    struct sigaction action = {.sa_handler = die_of_host_function};
    in_function = true;
    function_passed = 0;
    function_lane = lane;
    sigaction(SIGALRM, &action, &alarm_handler);
    alarm_s = alarm(HOST_FUNCTION_S);
}

int64_t host_function_end(void) {
    alarm(alarm_s);
    sigaction(SIGALRM, &alarm_handler, NULL);
    in_function = false;
    return function_passed;
}

bool in_host_function(void) {
    return in_function;
}

/* Reading a clock takes time as well, so that a loop that polls one makes progress; and a gate
 * that the host has opened is seen as soon as it reads the time. */
int64_t wall_ns(void) {
    grid_poll_waits();
    sim_host_work(sim_profile()->wall_clock_ns, true);
    return sim_now_ns();
}

int64_t cpu_ns(void) {
    grid_poll_waits();
    sim_host_work(sim_profile()->cpu_clock_ns, true);
    return cpu;
}
