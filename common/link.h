/* link.h - the fastest a copy between host and device can possibly be. */
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

#ifdef __cplusplus
}
#endif
#endif
