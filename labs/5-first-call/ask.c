/* ask.c - the same question to one fresh process after another. */
#include <string.h>

#include "ask.h"
#include "report.h"
#include "results.h"
#include "run.h"
#include "text.h"

enum { PROCESS_NS = 300 * 1000 * 1000 }; /* what a process that makes a context takes, about */

struct samples answers[MAX_NUMBERS];

double median(int i) {
    return median_of(&answers[i]);
}

bool ask(const char *part, const char *experiment, const char *argument, const char *setting,
         int want) {
    memset(answers, 0, sizeof answers);
    for (int round = repeats(PROCESS_NS); round > 0; round--) {
        struct numbers numbers = child_run(experiment, argument, setting);
        if (numbers.n != want) {
            check_cannot_show(text("%s-%s-process", part, experiment),
                              "A fresh process could not measure this (its message is above). Is "
                              "the GPU in exclusive mode (nvidia-smi -q -d COMPUTE)?");
            return false;
        }
        for (int i = 0; i < want; i++)
            samples_add(&answers[i], (double)numbers.value[i]);
    }
    return true;
}

struct samples sum_of(int i, int n) {
    struct samples sum = {0};
    for (int child = 0; child < answers[i].n; child++) {
        double total = 0;
        for (int j = i; j < i + n; j++)
            total += answers[j].value[child];
        samples_add(&sum, total);
    }
    return sum;
}

const char *times_as_long(double ratio) {
    return text(ratio < 100 ? "%.3g" : "%.0f", ratio);
}

void first_and_second(const char *part, const char *thing, int i) {
    result(part, text("first %s", thing), "ns", &answers[i]);
    result(part, text("second %s", thing), "ns", &answers[i + 1]);
    table_cell("%s", thing);
    table_cell("%s", show_times(&answers[i]));
    table_cell("%s", show_time(median(i + 1)));
    table_cell("%s", times_as_long(median(i) / median(i + 1)));
}

void check_products(const char *id, int want) {
    double checked = stats_of(&answers[want - 2]).min, wrong = stats_of(&answers[want - 1]).max;
    if (checked < 1)
        check_cannot_show(id, "This device only models products of this size.");
    else
        check(id, wrong <= 0, text("%.0f of %.0f wrong", wrong, checked), "0 wrong",
              "Every product is compared with one computed otherwise; NaN is wrong.");
}
