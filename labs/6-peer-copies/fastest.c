/* fastest.c - what no copy of lab 6 can beat. */
#include "fastest.h"

#include "link.h"

static double host, memory;
static const char *host_what;

/* Where the system does not tell the link's limit: a plain copy to pinned memory leaves a link
 * nearly full, so that nothing crosses it at twice the rate. */
void limits_init(const struct gpu *a, const struct gpu *b, double host_rate) {
    double pcie = pcie_limit();
    host = pcie > 0 ? pcie : 2 * host_rate;
    host_what = pcie > 0 ? "PCIe link" : "twice the rate of a copy to pinned memory";
    memory = memory_limit(a->index);
    if (b && memory_limit(b->index) < memory)
        memory = memory_limit(b->index);
}

double limit_of(enum span_kind kind, const char **what) {
    const char *name = host_what;
    double limit = host;
    if (kind == SPAN_PEER || kind == SPAN_D2D) {
        name = kind == SPAN_D2D ? "memory bus, each byte read and written" : "memory bus";
        limit = kind == SPAN_D2D ? memory / 2 : memory;
    }
    if (what)
        *what = name;
    return limit;
}

bool within_limit(enum span_kind kind, double bytes, double ns) {
    double limit = limit_of(kind, NULL);
    return limit <= 0 || bytes <= limit * ns;
}
