/* hidden.c - how much of a part's copies between GPUs passed while kernels ran on both. */
#include <string.h>

#include "hidden.h"

/* The kernel of that GPU that runs at that time and ends last, or else the next to start. */
static const struct span *kernel_at(const char *part, int gpu, int64_t at_ns) {
    const struct span *running = NULL, *next = NULL;
    for (int i = 0; i < timeline_count_of(part, SPAN_KERNEL); i++) {
        const struct span *kernel = timeline_find(part, SPAN_KERNEL, i);
        if (kernel->device != gpu || kernel->end_ns <= at_ns)
            continue;
        if (kernel->start_ns > at_ns)
            next = !next || kernel->start_ns < next->start_ns ? kernel : next;
        else
            running = !running || kernel->end_ns > running->end_ns ? kernel : running;
    }
    return running ? running : next;
}

static int64_t beside_kernels_ns(const struct span *copy, int gpu) {
    int64_t ns = 0, at_ns = copy->start_ns;
    while (at_ns < copy->end_ns) {
        const struct span *kernel = kernel_at(copy->part, gpu, at_ns);
        if (!kernel || kernel->start_ns >= copy->end_ns)
            break;
        int64_t start_ns = kernel->start_ns > at_ns ? kernel->start_ns : at_ns;
        at_ns = kernel->end_ns < copy->end_ns ? kernel->end_ns : copy->end_ns;
        ns += at_ns - start_ns;
    }
    return ns;
}

struct hidden hidden_copies(const char *part, int gpu, int other_gpu) {
    struct hidden all = {0, 0, 0};
    for (int i = 0; i < timeline_count_of(part, SPAN_PEER); i++) {
        const struct span *copy = timeline_find(part, SPAN_PEER, i);
        int64_t here_ns = beside_kernels_ns(copy, gpu);
        int64_t there_ns = beside_kernels_ns(copy, other_gpu);
        all.copies_ns += span_ns(copy);
        all.hidden_ns += here_ns < there_ns ? here_ns : there_ns;
        all.bytes += (int64_t)copy->bytes;
    }
    return all;
}
