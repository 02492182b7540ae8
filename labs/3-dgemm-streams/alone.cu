/* alone.cu - one product of lab 3 at a time: the facts that a prediction needs. */
#include <string.h>

#include "experiment.h"
#include "lab.h"
#include "study.h"
#include "text.h"

struct alone {
    struct study *study;
    struct samples traced_call;
};

/* Twice, but never two at a time. */
static void alone_round(void *state) {
    struct alone *alone = (struct alone *)state;
    for (int i = 0; i < 2; i++) {
        int64_t entered_ns = wall_ns();
        multiply(alone->study->products, 0, experiment_stream(0));
        int64_t returned_ns = wall_ns();
        CUDA_CHECK(cudaStreamSynchronize(experiment_stream(0)));
        keep(&alone->study->call, (double)(returned_ns - entered_ns));
        keep(&alone->study->alone_total, (double)(wall_ns() - entered_ns));
        if (tracing())
            samples_add(&alone->traced_call, (double)(returned_ns - entered_ns));
    }
}

static long blocks_of(const struct span *kernel) {
    return (long)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

/* The facts about the first product's longest kernel, and all kernel times. */
static void read_alone(struct study *study, const char *part, double spacing_ns) {
    static struct samples kernel_ns;
    struct queued_work work[2];
    kernel_ns.n = 0;
    for (int i = 0; i < TRACED_ALONE; i++) {
        study->kernels = trace_work_of_calls(traced_part(part, i), 2, work);
        for (int k = 0; study->kernels > 0 && k < 2; k++)
            samples_add(&kernel_ns, (double)(work[k].end_ns - work[k].start_ns));
    }
    const struct span *longest = trace_kernel(part, 0);
    for (int i = 1; i < study->kernels; i++)
        if (span_ns(trace_kernel(part, i)) > span_ns(longest))
            longest = trace_kernel(part, i);
    memset(&study->facts, 0, sizeof study->facts);
    study->facts.kernel_ns = median_of(&kernel_ns);
    study->facts.spacing_ns = spacing_ns;
    study->facts.sms = device()->sms;
    if (longest && tracer_works()) {
        study->facts.blocks = blocks_of(longest);
        study->facts.capacity = device_capacity_of(longest);
    }
}

static void store_alone(const struct study *study, const char *part) {
    result_value(part, text("kernel %d", study->dim), "ns", study->facts.kernel_ns);
    result(part, text("call %d", study->dim), "ns", &study->call);
    if (study->facts.capacity > 0) {
        result_value(part, text("blocks %d", study->dim), "count", (double)study->facts.blocks);
        result_value(part, text("capacity %d", study->dim), "count", study->facts.capacity);
    }
}

/* A first use of a shape, or of a stream by cuBLAS, may wait for the device: never behind a gate.
 */
static void warm_every_stream(struct products *products) {
    multiply(products, 0, NULL);
    for (int i = 0; i < experiment_count(); i++)
        multiply(products, i, experiment_stream(i));
    CUDA_CHECK(cudaDeviceSynchronize());
}

void study_begin(struct study *study, char part, int dim) {
    static struct alone alone;
    const char *name = timeline_name(text("%c-alone-%d", part, dim));
    memset(study, 0, sizeof *study);
    study->dim = dim;
    study->products = experiment_products(experiment_count(), dim);
    warm_every_stream(study->products);
    alone.study = study;
    alone.traced_call.n = 0;
    int64_t start_ns = wall_ns();
    alone_round(&alone);
    int64_t round_ns = wall_ns() - start_ns;
    study->call.n = study->alone_total.n = 0;
    quiet_rounds(name, repeats(round_ns), TRACED_ALONE, alone_round, &alone);
    read_alone(study, name, median_of(&alone.traced_call));
    store_alone(study, text("%c", part));
}

void study_end(struct study *study) {
    products_free(study->products);
    study->products = NULL;
}
