/* Lab 3, dgemm-streams: when do two matrix products run at the same time?
 *
 * cublasDgemm returns before its product is done. So do two calls overlap on the device? In one
 * stream never. In a stream each it depends on three figures: how long a product runs, how long
 * the host takes to queue the next one, and how many blocks a product has against how many the
 * device holds. This lab measures the three with one product at a time, says what should happen,
 * and then looks. */
#include <math.h>

#include "lab.h"
#include "methods.h"
#include "study.h"
#include "tables.h"
#include "text.h"
#include "verdicts.h"

static int64_t count = 2, n_products = 32, seed = 1;
static struct int_list dims = {4, {16, 64, 256, 8192}};
static struct int_list sweep = {
    16, {16, 32, 64, 128, 256, 384, 512, 640, 768, 896, 1024, 1280, 1536, 2048, 3072, 4096}};
static struct int_list product_dims = {3, {64, 256, 1024}};

static const struct option_spec options[] = {
    {"dims", OPTION_INT_LIST, &dims, 1, 32768, NULL, "dims m = n = k of parts a, b and d"},
    {"count", OPTION_INT, &count, 2, MAX_COUNT, NULL, "products queued together in parts a to d"},
    {"sweep", OPTION_INT_LIST, &sweep, 1, 32768, NULL, "dims of part c"},
    {"products", OPTION_INT, &n_products, 2, MAX_PRODUCTS, NULL, "products of part e"},
    {"product-dims", OPTION_INT_LIST, &product_dims, 1, 8192, NULL, "dims of part e"},
    {"seed", OPTION_INT, &seed, 0, INT32_MAX, NULL, "of the random matrices"},
    {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
};

/* The dims of parts a, b and d, each measured alone once. */
static struct study study[MAX_INT_LIST];
static int studies;

static void refuse_twice(const char *option, const struct int_list *list) {
    for (int i = 1; i < list->n; i++)
        for (int j = 0; j < i; j++)
            if (list->value[i] == list->value[j])
                die(EXIT_USAGE, "--%s: %d is there twice; leave one out", option,
                    (int)list->value[i]);
}

static bool studied(int dim) {
    for (int i = 0; i < studies; i++)
        if (study[i].dim == dim)
            return true;
    return false;
}

static void prepare(char part) {
    if (studies > 0)
        return;
    for (int i = 0; i < dims.n; i++) {
        int dim = fitting_dim((int)dims.value[i]);
        if (dim > 0 && !studied(dim))
            study_begin(&study[studies++], part, dim);
    }
    if (studies == 0)
        die(EXIT_ENVIRONMENT, "--dims: not even the smallest fits the free device memory; end "
                              "other programs on this GPU");
}

static int rounds_of(const struct study *s, int n) {
    return repeats((int64_t)(median_of(&s->alone_total) * n));
}

static void predict(const enum mode *modes, int n) {
    for (int i = 0; i < studies; i++)
        for (int m = 0; m < n; m++)
            study_predict(&study[i], modes[m]);
    print_predicted(study, studies, modes, n);
}

static void measure(char part, const enum mode *modes, int n, struct tally *tally) {
    for (int i = 0; i < studies; i++)
        for (int m = 0; m < n; m++)
            study_run(&study[i], part, modes[m], rounds_of(&study[i], (int)count), tally);
    print_observed(study, studies, modes, n);
}

/* ---- a: queued as the documents did ---------------------------------------------------------- */

static void part_a(void) {
    static const enum mode modes[] = {DEFAULT_STREAM, ONE_STREAM, TWO_STREAMS};
    static struct tally tally;
    prepare('a');
    say("One product at a time:");
    print_alone(study, studies);
    predict(modes, 3);
    measure('a', modes, 3, &tally);
    say("\nA call returns long before a large product is done, yet in one stream, the default one "
        "too, products run in the order queued. A stream each lets them overlap if the second "
        "comes in time and finds room. Behind a small product it comes too late. Behind a large "
        "one it finds no room: the first has more blocks (its grid, as any profiler shows it) than "
        "the device holds at once, and only its last wave leaves places free.");
    verdict_calls_return_early("a-calls-return-early", study, studies);
    verdict_never_overlap("a-default-stream-never-overlaps", study, studies, DEFAULT_STREAM);
    verdict_never_overlap("a-one-stream-never-overlaps", study, studies, ONE_STREAM);
    verdict_classes("a-class-default-stream", study, studies, DEFAULT_STREAM);
    verdict_classes("a-class-one-stream", study, studies, ONE_STREAM);
    verdict_classes("a-class-two-streams", study, studies, TWO_STREAMS);
    verdict_physics("a-physical-limit", study, studies);
    verdict_products('a', &tally);
}

/* ---- b: launch time taken out ---------------------------------------------------------------- */

static void part_b(void) {
    static const enum mode modes[] = {ONE_STREAM_GATED, TWO_STREAMS_GATED};
    static struct tally tally;
    prepare('b');
    say("A one-thread kernel holds the device until the host has queued all products. What stays "
        "apart now is kept apart by the device.");
    if (release_ns() > 0)
        say("The gate lets two streams go up to %s apart.", show_time(release_ns()));
    predict(modes, 2);
    measure('b', modes, 2, &tally);
    say("\nWhat was launch-bound in part a and overlaps here was kept apart by the time to launch, "
        "not by the device. One stream keeps its order behind a gate too, and a product that fills "
        "the device still leaves only its tail.");
    verdict_never_overlap("b-one-stream-never-overlaps", study, studies, ONE_STREAM_GATED);
    verdict_classes("b-class-one-stream-gated", study, studies, ONE_STREAM_GATED);
    verdict_classes("b-class-two-streams-gated", study, studies, TWO_STREAMS_GATED);
    verdict_gate("b-gate-removes-launch-time", study, studies);
    verdict_products('b', &tally);
}

/* ---- c: which dims overlap on this GPU ------------------------------------------------------- */

static void say_window(const struct study *swept, int n) {
    int from = 0, to = 0;
    for (int i = 0; i < n; i++)
        if (swept[i].outcome[TWO_STREAMS].seen.is == PAIR_CONCURRENT &&
            swept[i].outcome[TWO_STREAMS].rounds > 0) {
            from = from ? from : swept[i].dim;
            to = swept[i].dim;
        }
    if (from == 0) {
        say("\nNo dim of this sweep is concurrent without a gate. On a Tesla K40 256 was.");
        return;
    }
    result_value("c", "window from", "count", from);
    result_value("c", "window to", "count", to);
    say("\nThis GPU's window: dim %d to %d, concurrent without a gate. Below, launch time keeps "
        "the products apart; above, the first one's blocks leave room only at their tail. On "
        "a Tesla K40, where this was first asked, 16 and 64 were below the window, 256 in it and "
        "8192 above. A faster GPU "
        "finishes the same product sooner and holds more blocks: its window lies higher.",
        from, to);
}

static void part_c(void) {
    static struct study swept[MAX_INT_LIST];
    static struct tally tally;
    int n = 0;
    for (int i = 0; i < sweep.n; i++) {
        int dim = (int)sweep.value[i];
        if (!dim_fits(dim)) {
            say("dim %d is left out: too large for this device's memory or its FP64 units.", dim);
            continue;
        }
        study_begin(&swept[n], 'c', dim);
        study_predict(&swept[n], TWO_STREAMS);
        study_predict(&swept[n], TWO_STREAMS_GATED);
        study_run(&swept[n], 'c', TWO_STREAMS, rounds_of(&swept[n], (int)count), &tally);
        study_run(&swept[n], 'c', TWO_STREAMS_GATED, rounds_of(&swept[n], (int)count), &tally);
        study_end(&swept[n++]);
    }
    print_sweep(swept, n);
    if (tracer_works())
        say_window(swept, n);
    verdict_classes("c-class-two-streams", swept, n, TWO_STREAMS);
    verdict_classes("c-class-two-streams-gated", swept, n, TWO_STREAMS_GATED);
    verdict_products('c', &tally);
}

/* ---- d: the tail ----------------------------------------------------------------------------- */

/* The largest dim of which only the tail should overlap, for sure; or NULL. */
static struct study *tail_study(void) {
    struct study *found = NULL;
    for (struct study *s = study; s < study + studies; s++) {
        study_predict(s, TWO_STREAMS);
        if (s->outcome[TWO_STREAMS].predicted.possible == 1U << PAIR_TAIL_ONLY &&
            (!found || s->dim > found->dim))
            found = s;
    }
    return found;
}

static void no_tail(void) {
    const char *why = tracer_works()
                          ? "no dim of --dims fills this device and leaves places free "
                            "in its last wave: add another large one"
                          : "without a tracer nobody knows how many blocks a product has";
    check_cannot_show("d-tail-in-two-streams", why);
    check_cannot_show("d-no-tail-in-one-stream", why);
}

static void part_d(void) {
    static const enum mode modes[] = {ONE_STREAM, TWO_STREAMS};
    static struct tally tally;
    prepare('d');
    struct study *s = tail_study();
    if (!s) {
        no_tail();
        return;
    }
    int all = waves(s->facts.blocks, s->facts.capacity);
    long last = s->facts.blocks - (long)(all - 1) * s->facts.capacity;
    say("Dim %d: %ld blocks, of which the device holds %d at once, so %d waves. The last wave has "
        "%ld blocks and leaves %ld places free: there the second product can start, about %s "
        "before the first ends.",
        s->dim, s->facts.blocks, s->facts.capacity, all, last, s->facts.capacity - last,
        show_time(s->facts.kernel_ns / all));
    for (int m = 0; m < 2; m++) {
        study_predict(s, modes[m]);
        study_run(s, 'd', modes[m], 3, &tally);
    }
    print_tail(s, modes, 2);
    result_value("d", "tail", "ns", (double)-s->outcome[TWO_STREAMS].seen.gap_ns);
    result_value("d", "predicted-tail", "ns", s->facts.kernel_ns / all);
    say("\nThe figure assumes that all waves take equally long. The blocks of the last one have "
        "their SMs to themselves and may be faster; those before it drift apart.");
    verdict_tail(s);
    verdict_products('d', &tally);
}

/* ---- e: what to do instead ------------------------------------------------------------------- */

static void measure_methods(int dim, struct tally *tally) {
    static struct study alone;
    static struct method_run run[METHODS];
    study_begin(&alone, 'e', dim);
    struct products *products = experiment_products((int)n_products, dim);
    for (int m = 0; m < METHODS; m++) {
        double expected_ns = method_expected_ns((enum method)m, &alone, (int)n_products);
        method_measure((enum method)m, products, &run[m], tally);
        result_value("e", text("predicted-total %s %d", method_name((enum method)m), dim), "ns",
                     expected_ns);
        table_cell("%d", dim);
        table_cell("%s", method_name((enum method)m));
        table_cell("%s", show_time(expected_ns));
        table_cell("%s", show_times(&run[m].total));
        table_cell("%s", show_time(run[m].makespan_ns));
    }
    verdict_one_launch(&alone, run);
    products_free(products);
    study_end(&alone);
}

static void part_e(void) {
    static struct tally tally;
    methods_begin((int)n_products);
    table_begin(5, "dim", "method", "predicted", "all done after (no tracer)", "device, traced");
    for (int i = 0; i < product_dims.n; i++) {
        int dim = (int)product_dims.value[i];
        if ((double)products_bytes((int)(n_products + count), dim) <
            0.9 * (double)device_free_bytes())
            measure_methods(dim, &tally);
        else
            check_cannot_show("e-products-fit",
                              "the device memory is too small for a dim of part e");
    }
    table_end();
    say("\n%d products. Streams do not help where launching is the bottleneck: the host still "
        "launches one product after another. A graph is launched once and its nodes depend on "
        "nothing; a batch is one kernel. Where a product fills the device there is little to gain "
        "by any of them.",
        (int)n_products);
    verdict_products('e', &tally);
    methods_end();
}

int main(int argc, char **argv) {
    static const char *const parts[] = {
        "products in one stream, and in a stream each",    "the same behind a gate",
        "the window: which dims overlap on this GPU",      "the tail",
        "what to do instead: many small products at once", NULL};
    static const struct lab lab = {
        "lab-3", "dgemm-streams",
        "Two cublasDgemm calls in one stream, in a stream each, and behind a gate: when do they "
        "run at the same time? Predicted from launch time, kernel time and blocks, then observed.",
        parts, options};
    lab_begin(&lab, argc, argv);
    refuse_twice("dims", &dims);
    refuse_twice("sweep", &sweep);
    refuse_twice("product-dims", &product_dims);
    experiment_begin((int)count, (uint64_t)seed);
    if (part_begin('a'))
        part_a();
    if (part_begin('b'))
        part_b();
    if (part_begin('c'))
        part_c();
    if (part_begin('d'))
        part_d();
    if (part_begin('e'))
        part_e();
    for (int i = 0; i < studies; i++)
        study_end(&study[i]);
    experiment_end();
    return lab_end();
}
