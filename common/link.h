/* link.h - the fastest a copy between host and device can possibly be. */
#ifndef LINK_H
#define LINK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes per ns (GB/s) that no copy between host memory and the selected device can exceed, and in
 * *what where that comes from: the PCIe link if the system tells its generation and lanes, else
 * the device's memory bus. 0 if neither is known. */
double link_limit(const char **what);

/* A check that a copy of this many bytes, done in this many ns, was not faster than the limit: if
 * it was, the time is not that of the copy. */
void check_within_link(const char *id, double bytes, double ns);

#ifdef __cplusplus
}
#endif
#endif
