/* properties.c - what the modelled GPU says about itself. */
#include <stdio.h>
#include <string.h>

#include "core.h"

enum { FIRST_BUS = 1 };

static void pci_bus_id(char *text, size_t room, int device) {
    snprintf(text, room, "0000:%02X:00.0", FIRST_BUS + device);
}

/* Made up, and plainly so: no real GPU's number. */
static void uuid_of(cudaUUID_t *uuid, int device) {
    memset(uuid->bytes, 0, sizeof uuid->bytes);
    memcpy(uuid->bytes, "SIMULATED", 9);
    uuid->bytes[15] = (char)device;
}

static void limits(struct cudaDeviceProp *prop) {
    const struct sim_profile *profile = sim_profile();
    prop->totalGlobalMem = (size_t)profile->memory_bytes;
    prop->sharedMemPerBlock = (size_t)profile->block_shared_bytes;
    prop->sharedMemPerBlockOptin = (size_t)profile->block_shared_optin_bytes;
    prop->sharedMemPerMultiprocessor = (size_t)profile->sm_shared_bytes;
    prop->reservedSharedMemPerBlock = (size_t)profile->reserved_shared_bytes;
    prop->regsPerBlock = prop->regsPerMultiprocessor = (int)profile->sm_registers;
    prop->warpSize = WARP;
    prop->maxThreadsPerBlock = (int)profile->block_threads;
    prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = 1024;
    prop->maxThreadsDim[2] = 64;
    prop->maxGridSize[0] = INT32_MAX;
    prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
    prop->totalConstMem = 65536;
    prop->l2CacheSize = (int)profile->l2_bytes;
    prop->maxThreadsPerMultiProcessor = (int)profile->sm_threads;
    prop->maxBlocksPerMultiProcessor = (int)profile->sm_blocks;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    const struct sim_profile *profile = sim_profile();
    if (call_enter_no_context("cudaGetDeviceProperties"))
        return call_leave();
    if (!prop)
        return call_done(cudaErrorInvalidValue);
    if (!device_at(device))
        return call_done(device_count() ? cudaErrorInvalidDevice : cudaErrorNoDevice);
    call_cost(profile->call_ns);
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "%s", profile->name);
    uuid_of(&prop->uuid, device);
    limits(prop);
    prop->major = (int)profile->cc_major;
    prop->minor = (int)profile->cc_minor;
    prop->multiProcessorCount = (int)profile->sms;
    prop->canMapHostMemory = prop->unifiedAddressing = prop->managedMemory = 1;
    prop->concurrentKernels = profile->concurrent_kernels > 1;
    prop->pciBusID = FIRST_BUS + device;
    prop->asyncEngineCount = (int)profile->copy_engines;
    prop->memoryBusWidth = (int)profile->memory_bus_bits;
    prop->streamPrioritiesSupported = profile->priority_levels > 1;
    prop->pageableMemoryAccess = (int)profile->pageable_access;
    prop->concurrentManagedAccess = profile->cc_major >= 6;
    prop->computePreemptionSupported = profile->cc_major >= 6;
    prop->canUseHostPointerForRegisteredMem = 1;
    prop->cooperativeLaunch = 1;
    prop->hostRegisterSupported = prop->memoryPoolsSupported = 1;
    return call_done(cudaSuccess);
}

/* False if the model has no such attribute. */
static bool size_attribute(enum cudaDeviceAttr attribute, double *value) {
    const struct sim_profile *profile = sim_profile();
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = profile->block_threads;
        return true;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        *value = 1024;
        return true;
    case cudaDevAttrMaxBlockDimZ:
        *value = 64;
        return true;
    case cudaDevAttrMaxGridDimX:
        *value = INT32_MAX;
        return true;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        *value = 65535;
        return true;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = profile->block_shared_bytes;
        return true;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = profile->block_shared_optin_bytes;
        return true;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = profile->sm_shared_bytes;
        return true;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = profile->reserved_shared_bytes;
        return true;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = profile->sm_registers;
        return true;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = profile->sm_threads;
        return true;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = profile->sm_blocks;
        return true;
    case cudaDevAttrMultiProcessorCount:
        *value = profile->sms;
        return true;
    case cudaDevAttrL2CacheSize:
        *value = profile->l2_bytes;
        return true;
    case cudaDevAttrTotalConstantMemory:
        *value = 65536;
        return true;
    case cudaDevAttrWarpSize:
        *value = WARP;
        return true;
    default:
        return false;
    }
}

static bool ability_attribute(enum cudaDeviceAttr attribute, int device, double *value) {
    const struct sim_profile *profile = sim_profile();
    switch (attribute) {
    case cudaDevAttrClockRate:
        *value = profile->sm_clock_ghz * 1e6; /* kHz */
        return true;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = profile->single_to_double_ratio;
        return true;
    case cudaDevAttrMemoryClockRate:
        *value = profile->memory_clock_ghz * 1e6;
        return true;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = profile->memory_bus_bits;
        return true;
    case cudaDevAttrAsyncEngineCount:
        *value = profile->copy_engines;
        return true;
    case cudaDevAttrGpuOverlap:
        *value = profile->copy_engines > 0;
        return true;
    case cudaDevAttrConcurrentKernels:
        *value = profile->concurrent_kernels > 1;
        return true;
    case cudaDevAttrStreamPrioritiesSupported:
        *value = profile->priority_levels > 1;
        return true;
    case cudaDevAttrComputeCapabilityMajor:
        *value = profile->cc_major;
        return true;
    case cudaDevAttrComputeCapabilityMinor:
        *value = profile->cc_minor;
        return true;
    case cudaDevAttrPageableMemoryAccess:
        *value = profile->pageable_access;
        return true;
    case cudaDevAttrPciBusId:
        *value = FIRST_BUS + device;
        return true;
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
        *value = profile->cc_major >= 6;
        return true;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
        *value = 1;
        return true;
    default:
        return false;
    }
}

/* Attributes that the model has no opinion about are 0: "not supported", "not so". */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    double number = 0;
    if (call_enter_no_context("cudaDeviceGetAttribute"))
        return call_leave();
    if (!value || attribute < 1 || attribute >= cudaDevAttrMax)
        return call_done(cudaErrorInvalidValue);
    if (!device_at(device))
        return call_done(device_count() ? cudaErrorInvalidDevice : cudaErrorNoDevice);
    if (!size_attribute(attribute, &number))
        ability_attribute(attribute, device, &number);
    *value = (int)number;
    return call_done(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device) {
    if (call_enter_no_context("cudaDeviceGetPCIBusId"))
        return call_leave();
    if (!text || room < 13)
        return call_done(cudaErrorInvalidValue);
    if (!device_at(device))
        return call_done(cudaErrorInvalidDevice);
    pci_bus_id(text, (size_t)room, device);
    return call_done(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    char own[32];
    if (call_enter_no_context("cudaDeviceGetByPCIBusId"))
        return call_leave();
    if (!device || !text)
        return call_done(cudaErrorInvalidValue);
    for (int i = 0; i < device_count(); i++) {
        pci_bus_id(own, sizeof own, i);
        if (strcasecmp(own, text) == 0) {
            *device = i;
            return call_done(cudaSuccess);
        }
    }
    return call_done(cudaErrorInvalidDevice);
}
