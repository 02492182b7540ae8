/* host.c - what the labs ask of the host, where the GPU is simulated. */
#include <string.h>

#include "host_memory.h"
#include "run_range.h"
#include "sim.h"

/* Touching large memory in the model alone takes no room. */
void host_touch(void *memory, size_t bytes) {
    enum { LARGE_BYTES = 1 << 26 };
    if (bytes >= LARGE_BYTES)
        sim_touch(memory, bytes);
    else
        memset(memory, 1, bytes);
}

/* The modelled host has as much as is asked for; of this machine's memory little is used. */
size_t host_available_bytes(void) {
    return 0;
}

/* The model's page faults are of 4 KiB pages. */
const char *host_huge_pages(void) {
    return NULL;
}

/* No profiler looks at virtual time. */
void range_begin(const char *name) {
    (void)name;
}

void range_end(void) {
}
