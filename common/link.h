/* link.h - the fastest a copy can possibly be. */
#ifndef LINK_H
#define LINK_H

#ifdef __cplusplus
extern "C" {
#endif

/* A check that a copy of this many bytes between the host and the selected device, done in this
 * many ns, was not faster than what carries it: if it was, the time is not that of the copy. The
 * limit is that of the PCIe link if the system tells its generation and lanes, else of the device's
 * memory bus; cannot-show if neither is known. */
void check_within_link(const char *id, double bytes, double ns);

/* The same against a limit in bytes per ns, 0 if it is not known, of what carries the bytes. */
void check_within_limit(const char *id, double bytes, double ns, double limit, const char *what);

/* Limits in bytes per ns, 0 if not known: of the PCIe link between the host and the selected
 * device, each way; of the memory of that device, for what is read and written together. */
double pcie_limit(void);
double memory_limit(int gpu);

#ifdef __cplusplus
}
#endif
#endif
