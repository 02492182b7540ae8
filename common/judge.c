#include "judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "error.h"
#include "mix.h"
#include "report.h"
#include "results.h"
#include "spans.h"
#include "text.h"
#include "tracer.h"

void random_words(uint32_t *words, size_t n) {
    uint64_t state;
    if (getrandom(&state, sizeof state, 0) != (ssize_t)sizeof state)
        die(EXIT_ENVIRONMENT, "no random numbers (getrandom: %s); run on Linux 3.17 or later",
            strerror(errno));
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)mix64(state += MIX_STEP);
}

bool transformed_right(const uint32_t *out, const uint32_t *in, size_t n,
                       const struct transform *transform) {
    for (size_t i = 0; i < n; i++) {
        if (out[i] != transformed(in[i], transform))
            return false;
    }
    return true;
}

void check_kernel_work(const char *id, const char *part, int64_t required_ns) {
    double share = (double)total_ns(part, SPAN_KERNEL) / (double)required_ns;
    check(id, share >= 0.8, show_percent(share), "at least 80 % of the kernel time asked for",
          "the kernels run as long as the exercise says: no work is left out");
}

void check_copies(const char *id, const char *part, int64_t bytes) {
    int64_t in = total_bytes(part, SPAN_H2D), out = total_bytes(part, SPAN_D2H);
    char measured[80];
    snprintf(measured, sizeof measured, "%s in, %s out", show_bytes((double)in),
             show_bytes((double)out));
    check(id, in >= bytes && out >= bytes, measured, "all of the data, each way",
          "the device did the work, and the host did not do it instead");
}

const char *counted(const char *measured, bool counts, const char *why_not) {
    return counts ? measured : text("%s, %s", measured, why_not);
}

bool judged_on_timeline(const char *id) {
    if (!tracer_works())
        check_cannot_show(id, tracer_name());
    return tracer_works();
}
