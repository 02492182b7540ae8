/* device.c - the simulated GPUs, their contexts, and choosing one. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "error.h"

static struct sim_device *devices;
static int count = -1, current;
static unsigned first_flags; /* cudaSetDeviceFlags before the context exists */

const struct sim_profile *sim_profile(void) {
    static struct sim_profile profile;
    static bool loaded;
    if (!loaded) {
        loaded = true;
        profile_load(&profile);
    }
    return &profile;
}

static int wanted_devices(void) {
    const char *text = getenv("SIM_GPUS");
    char *end;
    if (!text || !*text)
        return (int)sim_profile()->gpus;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < 0 || number > MAX_DEVICES)
        die(EXIT_USAGE, "SIM_GPUS: \"%s\" is not a number of GPUs from 0 to %d", text, MAX_DEVICES);
    return (int)number;
}

int device_count(void) {
    if (count >= 0)
        return count;
    int wanted = wanted_devices();
    devices = need_memory((size_t)wanted + 1, sizeof *devices);
    for (int i = 0; i < wanted; i++) {
        devices[i].index = i;
        sm_init(&devices[i]);
    }
    count = wanted;
    for (int i = 0; i < wanted; i++)
        stream_init_null(&devices[i]);
    return count;
}

struct sim_device *device_at(int index) {
    return index >= 0 && index < device_count() ? &devices[index] : NULL;
}

struct sim_device *current_device(void) {
    return device_at(current);
}

/* Until CUDA 12.2 all kernels were loaded with the context; since then each at its first launch
 * (programming guide: lazy loading). CUDA_MODULE_LOADING says otherwise. */
static bool loads_eagerly(void) {
    const char *mode = getenv("CUDA_MODULE_LOADING");
    if (mode && strcmp(mode, "EAGER") == 0)
        return true;
    if (mode && strcmp(mode, "LAZY") == 0)
        return false;
    return sim_profile()->runtime_version < 12020;
}

/* The runtime makes a device's primary context at the first call that needs one (manual:
 * initialization; cudaFree(0) is the customary way to force it). */
cudaError_t device_need_context(struct sim_device *device) {
    if (device->context)
        return cudaSuccess;
    device->context = true;
    device->contexts++;
    device->flags = first_flags;
    call_cost(sim_profile()->context_ns);
    if (loads_eagerly())
        load_all_modules(device);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *number) {
    if (call_enter_no_context("cudaGetDeviceCount"))
        return call_leave();
    call_cost(sim_profile()->call_ns);
    if (!number)
        return call_done(cudaErrorInvalidValue);
    *number = device_count();
    return call_done(device_count() ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device) {
    if (call_enter_no_context("cudaGetDevice"))
        return call_leave();
    if (!device)
        return call_done(cudaErrorInvalidValue);
    if (device_count() == 0)
        return call_done(cudaErrorNoDevice);
    *device = current;
    return call_done(cudaSuccess);
}

static cudaError_t use_device(int index) {
    if (device_count() == 0)
        return cudaErrorNoDevice;
    if (!device_at(index))
        return cudaErrorInvalidDevice;
    current = index;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (call_enter_no_context("cudaSetDevice"))
        return call_leave();
    cudaError_t error = use_device(device);
    if (error)
        return call_done(error);
    call_cost(sim_profile()->call_ns);
    /* Since CUDA 12.0 this initialises the runtime on that device (manual: cudaSetDevice). */
    if (sim_profile()->runtime_version >= 12000)
        error = device_need_context(current_device());
    return call_done(error);
}

static bool flags_valid(unsigned flags) {
    unsigned schedule = flags & cudaDeviceScheduleMask;
    return !(flags & ~(unsigned)cudaDeviceMask) && !(schedule & (schedule - 1));
}

cudaError_t cudaInitDevice(int device, unsigned flags, unsigned which) {
    if (call_enter_no_context("cudaInitDevice"))
        return call_leave();
    if (!device_at(device))
        return call_done(cudaErrorInvalidDevice);
    if ((which & ~(unsigned)cudaInitDeviceFlagsAreValid) || (which && !flags_valid(flags)))
        return call_done(cudaErrorInvalidValue);
    cudaError_t error = device_need_context(device_at(device));
    if (which & cudaInitDeviceFlagsAreValid)
        device_at(device)->flags = flags;
    return call_done(error);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    if (call_enter_no_context("cudaSetDeviceFlags"))
        return call_leave();
    if (!flags_valid(flags))
        return call_done(cudaErrorInvalidValue);
    struct sim_device *device = current_device();
    if (!device)
        return call_done(cudaErrorNoDevice);
    call_cost(sim_profile()->call_ns);
    if (device->context)
        device->flags = flags; /* manual: takes effect on the current device's context */
    else
        first_flags = flags;
    return call_done(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    if (call_enter("cudaGetDeviceFlags"))
        return call_leave();
    if (!flags)
        return call_done(cudaErrorInvalidValue);
    *flags = current_device()->flags | cudaDeviceMapHost;
    return call_done(cudaSuccess);
}

/* Does a wait sleep on a lock instead of spinning? */
bool waits_block(const struct sim_device *device) {
    return (device->flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync;
}

bool device_idle(const void *device) {
    return ((const struct sim_device *)device)->pending == 0;
}

cudaError_t cudaDeviceSynchronize(void) {
    if (call_enter("cudaDeviceSynchronize"))
        return call_leave();
    cudaError_t error = capture_forbids();
    if (error)
        return call_done(error);
    struct sim_device *device = current_device();
    call_cost(sim_profile()->device_sync_ns);
    host_wait(device_idle, device, waits_block(device));
    return call_done(device->broken);
}

cudaError_t cudaDeviceReset(void) {
    if (call_enter_no_context("cudaDeviceReset"))
        return call_leave();
    struct sim_device *device = current_device();
    if (!device)
        return call_done(cudaErrorNoDevice);
    host_wait(device_idle, device, waits_block(device));
    call_cost(sim_profile()->call_ns);
    captures_reset(device);
    streams_reset(device);
    memory_reset(device);
    unload_modules(device);
    device->context = false;
    device->broken = cudaSuccess;
    device->peers = 0;
    for (int i = 0; i < FIRSTS; i++)
        device->used[i] = false;
    for (int i = 0; i < POOLS; i++)
        device->pool_bytes[i] = 0;
    return call_done(cudaSuccess);
}
