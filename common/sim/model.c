/* model.c - the timing models of kernels: found by the kernel's name, loaded at its first launch,
 * and how many of a kernel's blocks an SM holds. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "error.h"

static struct sim_kernel_model *models;

void sim_register_model(struct sim_kernel_model *model) {
    model->next = models;
    models = model;
}

static struct sim_kernel_model *model_called(const char *name) {
    for (struct sim_kernel_model *model = models; model; model = model->next)
        if (strcmp(model->name, name) == 0)
            return model;
    die(EXIT_ENVIRONMENT,
        "the simulated GPU has no timing model for the kernel %s: add one to the sim.c beside the "
        "lab, with SIM_KERNEL_MODEL(%s, ...) of common/sim/sim.h",
        name, name);
}

/* The host's stand-in for kernel<<<...>>>() is a function __device_stub__kernel, or in C++
 * _Z<length>__device_stub__kernel<argument types>; its symbol tells the kernel's name. */
static void kernel_name_of(const char *symbol, char *name, size_t room) {
    static const char prefix[] = "__device_stub__";
    const char *found = strstr(symbol, prefix);
    size_t length = strlen(found) - (sizeof prefix - 1);
    const char *digits = found;
    while (digits > symbol && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits < found)
        length = strtoul(digits, NULL, 10) - (sizeof prefix - 1);
    snprintf(name, room, "%.*s", (int)length, found + sizeof prefix - 1);
}

static struct sim_kernel_model *look_up(const void *function) {
    Dl_info info;
    char name[256];
    if (!dladdr(function, &info) || !info.dli_sname || info.dli_saddr != function ||
        !strstr(info.dli_sname, "__device_stub__"))
        die(EXIT_ENVIRONMENT,
            "the simulated GPU was given a kernel without a name: a static kernel has none, "
            "declare it without static (and link with -rdynamic)");
    kernel_name_of(info.dli_sname, name, sizeof name);
    return model_called(name);
}

struct sim_kernel_model *model_of(const void *function) {
    enum { CACHE = 64 };
    static struct {
        const void *function;
        struct sim_kernel_model *model;
    } cache[CACHE];
    size_t slot = ((uintptr_t)function >> 4) % CACHE;
    if (cache[slot].function != function) {
        cache[slot].model = look_up(function);
        cache[slot].function = function;
    }
    return cache[slot].model;
}

/* Programming guide, lazy loading: a kernel's code is loaded at its first use, and that may wait
 * until the device is idle, so that a kernel which waits for the host can stop it for good. */
void load_module(struct sim_device *device, struct sim_kernel_model *model) {
    const struct sim_profile *profile = sim_profile();
    enum { NOT_LOADED, LOADED, USED };
    unsigned char was = model->loaded[device->index];
    model->loaded[device->index] = USED;
    if (was == LOADED) /* recorded: as the first call of a function */
        call_cost(profile->first_call_ns);
    if (was != NOT_LOADED)
        return;
    if (profile->lazy_load_waits != 0)
        host_wait(device_idle, device, false);
    call_cost(profile->kernel_load_ns + first_ns(device, FIRST_MODULE));
}

void load_all_modules(struct sim_device *device) {
    for (struct sim_kernel_model *model = models; model; model = model->next) {
        model->loaded[device->index] = 1;
        call_cost(sim_profile()->eager_load_ns);
    }
}

void unload_modules(struct sim_device *device) {
    for (struct sim_kernel_model *model = models; model; model = model->next)
        model->loaded[device->index] = 0;
}

static long rounded_up(long value, long unit) {
    return (value + unit - 1) / unit * unit;
}

/* Granularity of allocation on an SM (programming guide and the occupancy calculator): threads by
 * warps of 32, registers by 256 for each warp, shared memory by 128 bytes after the system's. */
int block_thread_slots(int threads) {
    return (int)rounded_up(threads, WARP);
}

int block_registers(const struct sim_kernel_model *model, int threads) {
    enum { UNIT = 256 };
    int warps = block_thread_slots(threads) / WARP;
    return warps * (int)rounded_up((long)model->registers * WARP, UNIT);
}

size_t block_shared_bytes(const struct sim_kernel_model *model, size_t dynamic_bytes) {
    enum { UNIT = 128 };
    size_t bytes = model->static_shared_bytes + dynamic_bytes;
    return (size_t)rounded_up((long)bytes + (long)sim_profile()->reserved_shared_bytes, UNIT);
}

int sim_resident_blocks(const struct sim_kernel_model *model, int threads, size_t dynamic_bytes) {
    const struct sim_profile *profile = sim_profile();
    int registers = block_registers(model, threads);
    size_t shared_bytes = block_shared_bytes(model, dynamic_bytes);
    double blocks =
        fmin(profile->sm_blocks, floor(profile->sm_threads / block_thread_slots(threads)));
    if (registers > 0)
        blocks = fmin(blocks, floor(profile->sm_registers / registers));
    if (shared_bytes > 0)
        blocks = fmin(blocks, floor(profile->sm_shared_bytes / (double)shared_bytes));
    return (int)blocks;
}
