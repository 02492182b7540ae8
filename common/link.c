#include "link.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "device.h"
#include "error.h"
#include "report.h"
#include "results.h"
#include "text.h"

/* The number at the start of /sys/bus/pci/devices/<device>/<file>; 0 if there is none. */
static double read_sys(const char *file) {
    char path[256];
    double number = 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", device()->pci, file);
    for (char *c = path; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    FILE *stream = fopen(path, "r");
    if (!stream)
        return 0;
    if (fscanf(stream, "%lf", &number) != 1)
        number = 0;
    fclose(stream);
    return number;
}

/* Transfers/s x lanes / 8, less the line code: 8b/10b up to 5 GT/s, 128b/130b above (PCI Express
 * base specification). The device's maximum, not what an idle link has been slowed down to. A GPU
 * that shares the host's page tables is on a faster link than the PCIe one it also reports. */
double pcie_limit(void) {
    if (device_simulated() || device()->pageable_access)
        return 0;
    double gigatransfers = read_sys("max_link_speed"), lanes = read_sys("max_link_width");
    if (lanes < 1 || lanes > 32)
        return 0;
    return gigatransfers * lanes / 8 * (gigatransfers > 5 ? 128.0 / 130 : 0.8);
}

/* Two transfers per clock. */
double memory_limit(int gpu) {
    int kilohertz = 0, bits = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, gpu));
    CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, gpu));
    return 2e-6 * kilohertz * bits / 8;
}

void check_within_limit(const char *id, double bytes, double ns, double limit, const char *what) {
    if (!(limit > 0) || isnan(ns)) {
        check_cannot_show(id, isnan(ns) ? "the copy was not recorded"
                                        : "this device tells neither its link nor its memory bus");
        return;
    }
    check(id, bytes / ns <= limit, show_rate(bytes, ns),
          text("at most %s, the %s", show_rate(limit, 1), what),
          "A copy faster than what carries it would mean that something else was timed.");
}

/* Every copy ends in device memory or starts there. */
void check_within_link(const char *id, double bytes, double ns) {
    double pcie = pcie_limit();
    check_within_limit(id, bytes, ns, pcie > 0 ? pcie : memory_limit(device()->index),
                       pcie > 0 ? "PCIe link" : "memory bus");
}
