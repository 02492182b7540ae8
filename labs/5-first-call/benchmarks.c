/* benchmarks.c - part e: a naive benchmark beside a right one. */
#include <math.h>

#include "ask.h"
#include "lab.h"
#include "parts.h"
#include "text.h"

enum { STARTED, PARTS = 5, TOTAL, NAIVE_NUMBERS = TOTAL + 3 };
enum { FIRST, MEDIAN, RIGHT_NUMBERS = MEDIAN + 3 };
static const char *const parts[PARTS] = {"allocation", "copy-in", "cublasCreate", "product",
                                         "copy-out"};

static struct samples right_first, right_median; /* ns a product */

static void naive_timeline(void) {
    struct span call = {};
    int last = answers[STARTED].n - 1;
    call.part = "e";
    call.kind = SPAN_API;
    call.stream = -1;
    call.start_ns = (int64_t)answers[STARTED].value[last];
    for (int i = 0; i < PARTS; i++) {
        call.name = parts[i];
        call.end_ns = call.start_ns + (int64_t)answers[1 + i].value[last];
        call.correlation = (uint32_t)i + 1;
        timeline_add(&call);
        call.start_ns = call.end_ns;
    }
}

/* Process by process, so that one which the host held up is one of several. */
static double median_ratio(const struct samples *above, const struct samples *below) {
    struct samples ratio = {0};
    for (int child = 0; child < above->n; child++)
        samples_add(&ratio, above->value[child] / below->value[child]);
    return median_of(&ratio);
}

/* On a busy host the right answers of several processes differ by a third and more: only orders of
 * magnitude are judged. */
static void check_benchmarks(void) {
    struct samples sum = sum_of(1, PARTS);
    double parts_share = median_ratio(&sum, &answers[TOTAL]);
    double naive = stats_of(&answers[TOTAL]).min, right = stats_of(&right_median).max;
    double first = median_ratio(&right_first, &right_median);
    check("e-parts-add-up", fabs(parts_share - 1) < 0.01, show_percent(parts_share), "99 to 101 %",
          "The parts explain all of the naive time.");
    check("e-naive-is-wrong", naive > right, show_time(naive), text("over %s", show_time(right)),
          "The shortest naive answer is outside the spread of the right ones: over the longest.");
    check("e-right-is-warm", first < 3, text("%.2f", first), "under 3",
          "The right benchmark's first reading over its median: nothing was left to do first.");
    check_products("e-naive-product-right", NAIVE_NUMBERS);
}

static bool ask_right(int dim) {
    if (!ask("e", "right", text("%d", dim), NULL, RIGHT_NUMBERS))
        return false;
    right_first = answers[FIRST];
    right_median = answers[MEDIAN];
    check_products("e-right-product-right", RIGHT_NUMBERS);
    return true;
}

void benchmarks(int dim) {
    if (!ask_right(dim) || !ask("e", "naive", text("%d", dim), NULL, NAIVE_NUMBERS))
        return;
    int dearest = 0;
    double total = median(TOTAL), right = median_of(&right_median);
    table_begin(3, "naive benchmark", "time", "share");
    for (int i = 0; i < PARTS; i++) {
        dearest = median(1 + i) > median(1 + dearest) ? i : dearest;
        result("e", text("naive %s", parts[i]), "ns", &answers[1 + i]);
        table_cell("%s", parts[i]);
        table_cell("%s", show_times(&answers[1 + i]));
        table_cell("%s", show_percent(median(1 + i) / total));
    }
    table_end();
    result("e", "naive total", "ns", &answers[TOTAL]);
    result("e", "right product", "ns", &right_median);
    result("e", "right first reading", "ns", &right_first);
    result_value("e", "naive ratio", "ratio", total / right);
    say("One product of dim %d. Naive, everything inside the timer, one shot: %s. Right, all made "
        "and warmed before, 50 products to a reading, the median of 11: %s. The naive answer is "
        "%s times too long. %s of it is %s, %s the product's own first call.",
        dim, show_time(total), show_times(&right_median), times_as_long(total / right),
        show_percent(median(1 + dearest) / total),
        dearest == 0 ? "the first allocation, which makes the context" : parts[dearest],
        show_percent(median(4) / total));
    naive_timeline();
    check_benchmarks();
}
