/* Lab 2: the CUDA runtime API's section "API synchronization behavior", in our words (CUDA 12 and
 * 13). Registered memory counts as pinned. The section adds that any call may wait for reasons of
 * its own, and that only the documented behaviour should be relied on.
 *
 * Older editions (to CUDA 11) promised more for asynchronous copies of pageable memory: out of the
 * device they return when complete, and into it a thread of the driver does the staging. */
#include "rules.h"

#include <stddef.h>

#define ANY_HOST (PAGEABLE_MEMORY | PINNED_MEMORY)

const struct rule rules[] = {
    {"b-memcpy-pageable-to-device-waits", H2D, PAGEABLE_MEMORY, false, WAITS,
     "waits, returns once staged", "The stream is synchronised before the copy begins."},
    {"b-memcpy-pinned-to-device-completes", H2D, PINNED_MEMORY, false, COMPLETES,
     "returns when done", "Synchronous for the host."},
    {"b-memcpy-to-host-completes", D2H, ANY_HOST, false, COMPLETES, "returns when done",
     "Returns when the copy is complete, whatever the host memory."},
    {"b-memcpy-on-device-only-queues", D2D, DEVICE_MEMORY, false, QUEUES, "only queues",
     "In spite of its name cudaMemcpy does not wait for a copy inside the device."},
    {"b-memcpy-host-to-host-completes", H2H, ANY_HOST, false, COMPLETES, "returns when done",
     "Fully synchronous."},
    {"b-async-host-to-host-completes", H2H, ANY_HOST, true, COMPLETES, "returns when done",
     "Fully synchronous, in spite of its name."},
    {NULL, H2D | D2H, PAGEABLE_MEMORY, true, MAY_WAIT, "may wait", NULL},
    {"b-async-pinned-only-queues", H2D | D2H, PINNED_MEMORY, true, QUEUES, "only queues",
     "With pinned memory the copy is asynchronous."},
    {"b-async-on-device-only-queues", D2D, DEVICE_MEMORY, true, QUEUES, "only queues",
     "A copy inside the device is asynchronous."},
    {"b-memset-of-device-only-queues", MEMSET, DEVICE_MEMORY, false, QUEUES, "only queues",
     "cudaMemset of device memory is asynchronous."},
    {"b-memset-of-pinned-completes", MEMSET, PINNED_MEMORY, false, COMPLETES, "returns when done",
     "The host sees pinned memory, so cudaMemset waits for it."},
    {"b-async-memset-only-queues", MEMSET, PINNED_MEMORY | DEVICE_MEMORY, true, QUEUES,
     "only queues", "cudaMemsetAsync is asynchronous for any memory."},
};
const int rules_count = (int)(sizeof rules / sizeof *rules);

const struct rule *rule_for(enum operation operation, enum memory_class memory, bool async) {
    for (int i = 0; i < rules_count; i++)
        if ((rules[i].operations & operation) && (rules[i].memory & memory) &&
            rules[i].async == async)
            return &rules[i];
    return NULL;
}
