/* Lab 5, first-call: what the first use of each thing costs, and how it spoils a benchmark.
 *
 * A first use happens once in a process, so this program starts itself again for each measurement,
 * --repeats times, and reads one line of numbers from each child (child.c; what a child does is in
 * first.cu and products.cu). a. The context: which call pays for it. b. The first launch of a
 * kernel, loaded lazily or eagerly. c. Other first times. d. The clock. e. A naive benchmark beside
 * a right one (benchmarks.c). f. A first launch while another kernel spins (behind.c).
 *
 * For charts. Results in ns unless said, n = children. a, <order> = cudaFree-first,
 * cudaSetDevice-first, cudaMalloc-first: "first context <order>" and "second context <order>" (all
 * three calls), "call <cudaFree|cudaSetDevice|cudaMalloc> <order>" (one of them). b, <mode> = lazy,
 * eager: "context <mode>", "first|second launch <mode>", "first|second other-launch <mode>".
 * c: "first|second <event|pinned|callback|cublasCreate>", "first|second product <dim>".
 * d: "clock first", "clock settled" (unit "cycles/ns"), "clock ramp". e: "naive <part>" with
 * <part> = allocation, copy-in, cublasCreate, product, copy-out, total; "right product" (its
 * median), "right first reading"; "naive ratio" (unit "ratio"). f: "loaded launch <mode>", "first
 * launch <mode>", "spin <mode>", "limit". Timeline: part e, five host calls (kind api) of one naive
 * benchmark. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "first.h"
#include "lab.h"
#include "parts.h"
#include "text.h"

static int64_t dim = 256;
static struct int_list dims = {3, {64, 256, 1024}};
static const struct option_spec options[] = {
    {"dims", OPTION_INT_LIST, &dims, 1, 4096, NULL, "part c: dims of the products, in this order"},
    {"dim", OPTION_INT, &dim, 1, 4096, NULL, "part e: dim of the product that is benchmarked"},
    {}};

/* ---- a: the context -------------------------------------------------------------------------- */

static const char *const calls[ORDERS] = {"cudaFree", "cudaSetDevice", "cudaMalloc"};

/* Where a call's time is among the answers, if `first` was called first. */
static int place_of(int call, int first) {
    return call == first ? 0 : call < first ? call + 1 : call;
}

static void context(void) {
    double least_total = INFINITY, most_total = 0, most_again = 0, payer_share = INFINITY;
    double cheapest = INFINITY, dearest = 0; /* of each order the process that was fastest */
    table_begin(6, "called first", "cudaFree(0)", "cudaSetDevice", "cudaMalloc", "all three",
                "again");
    for (int first = 0; first < ORDERS; first++) {
        const char *order = order_names[first];
        if (!ask("a", "context", order, NULL, 2 * ORDERS))
            break;
        struct samples once = sum_of(0, ORDERS), again = sum_of(ORDERS, ORDERS);
        double total = median_of(&once), total_again = median_of(&again);
        result("a", text("first context %s", order), "ns", &once);
        result("a", text("second context %s", order), "ns", &again);
        table_cell("%s", calls[first]);
        for (int call = 0; call < ORDERS; call++) {
            int i = place_of(call, first);
            result("a", text("call %s %s", calls[call], order), "ns", &answers[i]);
            table_cell("%s", show_time(median(i)));
        }
        table_cell("%s", show_times(&once));
        table_cell("%s", show_time(total_again));
        least_total = fmin(least_total, total);
        most_total = fmax(most_total, total);
        cheapest = fmin(cheapest, stats_of(&once).min);
        dearest = fmax(dearest, stats_of(&once).min);
        most_again = fmax(most_again, total_again / total);
        if (strcmp(calls[first], "cudaSetDevice") != 0)
            payer_share = fmin(payer_share, median(0) / total);
    }
    table_end();
    if (!(most_total > 0))
        return;
    say("Whichever call needs the context first pays for it, here %s to %s, and once: the same "
        "three calls then take %s of that at most. cudaSetDevice pays since CUDA 12.0; before, it "
        "only noted the device. This program's own context is open meanwhile, so the driver is "
        "awake: without it (and without persistence mode) the first program pays more.",
        show_time(least_total), show_time(most_total), show_percent(most_again));
    check("a-first-call-pays", payer_share >= 0.5, show_percent(payer_share), "at least 50 %",
          "Share of the three calls' time that the first one takes, if it is cudaFree(0) or "
          "cudaMalloc: both need a context.");
    check("a-once", most_again < 0.05, show_percent(most_again), "under 5 %",
          "The same calls again, as a share of the first time: a context is made once.");
    check("a-any-order", dearest < 2 * cheapest, text("%.2f", dearest / cheapest), "under 2",
          "The dearest order over the cheapest one, by the fastest process of each: who pays does "
          "not change the price.");
}

/* ---- b: the first launch --------------------------------------------------------------------- */

static void first_launch(void) {
    double ratio[2] = {NAN, NAN}, first_ns[2] = {NAN, NAN}, context_ns[2] = {NAN, NAN};
    table_begin(4, "loading", "first time", "second time", "ratio");
    for (int mode = 0; mode < 2; mode++) {
        if (!ask("b", "launch", loading_modes[mode], loading_settings[mode], 5))
            break;
        result("b", text("context %s", loading_modes[mode]), "ns", &answers[0]);
        first_and_second("b", text("launch %s", loading_modes[mode]), 1);
        first_and_second("b", text("other-launch %s", loading_modes[mode]), 3);
        context_ns[mode] = median(0);
        first_ns[mode] = median(1);
        ratio[mode] = median(1) / median(2);
    }
    table_end();
    if (isnan(ratio[1]))
        return;
    say("Lazily, a kernel's code goes to the GPU with its first launch: %s, %.0f times a later "
        "one. Eagerly, all code goes there with the context (%s against %s), and the first launch "
        "takes %s. The other kernel's first launch shows what is left to load then.",
        show_time(first_ns[0]), ratio[0], show_time(context_ns[1]), show_time(context_ns[0]),
        show_time(first_ns[1]));
    check("b-first-launch", ratio[0] > 2, text("%.1f", ratio[0]), "over 2",
          "The first launch of a kernel over the second, loaded lazily.");
}

/* ---- c: other first times -------------------------------------------------------------------- */

static void products(void) {
    char list[512] = "", *end = list;
    for (int i = 0; i < dims.n; i++)
        end += sprintf(end, "%s%d", i ? "," : "", (int)dims.value[i]);
    int want = 2 + 2 * dims.n + 2;
    if (!ask("c", "products", list, NULL, want))
        return;
    first_and_second("c", "cublasCreate", 0);
    for (int i = 0; i < dims.n; i++)
        first_and_second("c", text("product %lld", (long long)dims.value[i]), 2 + 2 * i);
    check("c-first-product", median(2) > median(3), text("%.1f", median(2) / median(3)), "over 1",
          "The first product of the first shape over the second.");
    check_products("c-products-right", want);
}

static void other_first_times(void) {
    static const char *const things[] = {"event", "pinned", "callback"};
    table_begin(4, "thing", "first time", "second time", "ratio");
    for (int i = 0; i < 3; i++)
        if (ask("c", things[i], "-", NULL, 2))
            first_and_second("c", things[i], 0);
    products();
    table_end();
    say("event: create, record, wait. pinned: 1 MiB. callback: until a host function has run. "
        "product: until the device is idle. A warm-up with another shape does not do: where cuBLAS "
        "takes another kernel, its first launch loads it.");
}

/* ---- d: the clock ---------------------------------------------------------------------------- */

static void clock_ramp(void) {
    if (!ask("d", "clock", "-", NULL, 3))
        return;
    struct samples ghz[2] = {};
    for (int i = 0; i < 2; i++)
        for (int round = 0; round < answers[i].n; round++)
            samples_add(&ghz[i], answers[i].value[round] * 1e-6);
    double first = median_of(&ghz[0]), settled = median_of(&ghz[1]);
    int most_khz = 0;
    result("d", "clock first", "cycles/ns", &ghz[0]);
    result("d", "clock settled", "cycles/ns", &ghz[1]);
    result("d", "clock ramp", "ns", &answers[2]);
    say("The SMs ran at %.0f MHz under the first kernel and at %.0f MHz after 150 more; it took %s "
        "to come within 2 %% of that. A GPU that was idle for long starts lower (nvidia-smi -q -d "
        "CLOCK shows it), and one that gets hot ends lower.",
        first * 1e3, settled * 1e3, show_time(median(2)));
    if (cudaDeviceGetAttribute(&most_khz, cudaDevAttrClockRate, device()->index) != cudaSuccess ||
        most_khz <= 0)
        check_cannot_show("d-below-maximum", "The driver does not tell the highest clock.");
    else
        check("d-below-maximum", fmax(first, settled) * 1e6 < 1.02 * most_khz,
              text("%.0f MHz", fmax(first, settled) * 1e3),
              text("at most %.0f MHz", most_khz * 1e-3),
              "A clock read by a kernel is one that the GPU can have.");
    if (first < 0.98 * settled)
        check("d-ramp", true, text("%.0f %%", 100 * first / settled), "under 98 %",
              "The first kernel ran at a lower clock than those after it.");
    else
        check_cannot_show("d-ramp", "The clock was up already: something had kept the GPU awake, "
                                    "or it is a simulated one, whose clock stays as it is.");
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"the context: who pays, and when",
                                        "the first launch of a kernel",
                                        "other first times",
                                        "the clock",
                                        "a naive benchmark beside a right one",
                                        "a first launch while another kernel spins",
                                        NULL};
    const struct lab lab = {"lab-5", "first-call",
                            "What the first use of each thing costs, each in a fresh process, and "
                            "how it spoils a benchmark.",
                            parts, options};
    error_program("lab-5");
    if (child_is(argc, argv))
        child_main(first_experiments, argv);
    lab_begin(&lab, argc, argv);
    if (device()->index != 0) /* children use the first GPU they see */
        setenv("CUDA_VISIBLE_DEVICES", device()->uuid, 1);

    if (part_begin('a'))
        context();
    if (part_begin('b'))
        first_launch();
    if (part_begin('c'))
        other_first_times();
    if (part_begin('d'))
        clock_ramp();
    if (part_begin('e'))
        benchmarks((int)dim);
    if (part_begin('f'))
        behind_a_spin();
    return lab_end();
}
