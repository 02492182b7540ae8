/* peer.c - peer access between the simulated GPUs. */
#include "core.h"

static bool possible(int device, int peer) {
    return device != peer && sim_profile()->peer_rate > 0;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (call_enter_no_context("cudaDeviceCanAccessPeer"))
        return call_leave();
    if (!can)
        return call_done(cudaErrorInvalidValue);
    if (!device_at(device) || !device_at(peer))
        return call_done(cudaErrorInvalidDevice);
    call_cost(sim_profile()->call_ns);
    *can = possible(device, peer);
    return call_done(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int src,
                                      int dst) {
    if (call_enter_no_context("cudaDeviceGetP2PAttribute"))
        return call_leave();
    if (!value || attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
        return call_done(cudaErrorInvalidValue);
    if (!device_at(src) || !device_at(dst) || src == dst)
        return call_done(cudaErrorInvalidDevice);
    bool says_possible = attribute == cudaDevP2PAttrAccessSupported ||
                         attribute == cudaDevP2PAttrNativeAtomicSupported ||
                         attribute == cudaDevP2PAttrCudaArrayAccessSupported;
    *value = says_possible && possible(src, dst);
    return call_done(cudaSuccess);
}

/* Manual: gives the current device access to the peer's memory, in this direction only. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    if (call_enter("cudaDeviceEnablePeerAccess"))
        return call_leave();
    struct sim_device *device = current_device();
    if (flags)
        return call_done(cudaErrorInvalidValue);
    if (!device_at(peer) || peer == device->index)
        return call_done(cudaErrorInvalidDevice);
    /* The manual says InvalidDevice; what programs report is this. */
    if (!possible(device->index, peer))
        return call_done(cudaErrorPeerAccessUnsupported);
    if (device->peers >> peer & 1)
        return call_done(cudaErrorPeerAccessAlreadyEnabled);
    cudaError_t error = device_need_context(device_at(peer));
    call_cost(sim_profile()->peer_enable_ns);
    device->peers |= 1u << peer;
    return call_done(error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    if (call_enter("cudaDeviceDisablePeerAccess"))
        return call_leave();
    struct sim_device *device = current_device();
    if (!device_at(peer))
        return call_done(cudaErrorInvalidDevice);
    if (!(device->peers >> peer & 1))
        return call_done(cudaErrorPeerAccessNotEnabled);
    call_cost(sim_profile()->call_ns);
    device->peers &= ~(1u << peer);
    return call_done(cudaSuccess);
}
