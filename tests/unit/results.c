#include "results.h"

#include <stdlib.h>

#include "error.h"
#include "folder.h"
#include "tap.h"

static void results_file(void) {
    struct samples s = {0};
    char name[32] = "h2d call";
    samples_add(&s, 8.5);
    samples_add(&s, 7.5);
    samples_add(&s, 9.5);
    result("b", name, "ns", &s);
    strcpy(name, "overwritten"); /* it was copied */
    result_value("a", "return h2d, pageable 65536", "ns", 14700);
    result_value("a", "nothing", "share", NAN);
    folder_new();
    results_write(folder);
    EXPECT_TEXT(folder_read("results.csv"), "part,name,unit,n,median,min,max,cov\n"
                                            "b,h2d call,ns,3,8.5,7.5,9.5,0.11764705882352941\n"
                                            "a,\"return h2d, pageable 65536\",ns,1,14700,14700,"
                                            "14700,0\n"
                                            "a,nothing,share,1,,,,\n");
    folder_remove();
}

static void the_largest_of_a_name(void) {
    result_value("a", "tracer slow-down", "ratio", 1.5);
    result_value("b", "tracer slow-down", "ratio", 2.5);
    result_value("c", "tracer slow-down", "ratio", NAN);
    EXPECT_NEAR(results_largest("tracer slow-down"), 2.5, 0);
    EXPECT_NEAR(results_largest("no such name"), 0, 0);
}

static void cold_result(void *first) {
    struct samples s = {0};
    samples_add(&s, *(double *)first);
    samples_add(&s, 10);
    samples_add(&s, 10);
    result("a", "launch call", "ns", &s);
}

static void a_cold_start_warns(void) {
    double warm = 400, cold = 600;
    EXPECT_INT(tap_child(cold_result, &warm), 0);
    EXPECT_TEXT(tap_messages, "");
    EXPECT_INT(tap_child(cold_result, &cold), 0);
    EXPECT_PART(tap_messages, "warning: part a: the first 'launch call' took 60 times the median");
}

static void checks_file(void) {
    check("a-one", true, "1 ms", "under 2 ms", "it is short");
    check("b-two", false, "3 ms, or more", "under 2 ms", "it is \"long\"");
    check_cannot_show("c-three", "one GPU only");
    folder_new();
    checks_write(folder);
    EXPECT_TEXT(folder_read("checks.csv"),
                "id,verdict,measured,required,why\n"
                "a-one,pass,1 ms,under 2 ms,it is short\n"
                "b-two,fail,\"3 ms, or more\",under 2 ms,\"it is \"\"long\"\"\"\n"
                "c-three,cannot-show,,,one GPU only\n");
    folder_remove();
    EXPECT_INT(checks_count(VERDICT_PASS), 1);
    EXPECT_INT(checks_count(VERDICT_FAIL), 1);
    EXPECT_INT(checks_count(VERDICT_CANNOT_SHOW), 1);
}

static void print_checks(void *unused) {
    (void)unused;
    dup2(STDERR_FILENO, STDOUT_FILENO);
    checks_print();
}

static void checks_are_printed(void) {
    EXPECT_INT(tap_child(print_checks, NULL), 0);
    EXPECT_PART(tap_messages, "  pass         a-one: 1 ms (required: under 2 ms)\n");
    EXPECT_PART(tap_messages, "  fail         b-two: 3 ms, or more (required: under 2 ms)\n");
    EXPECT_PART(tap_messages, "               one GPU only\n");
    EXPECT_PART(tap_messages, "1 passed, 1 failed, 1 cannot be shown here\n");
    EXPECT(strchr(tap_messages, '\033') == NULL); /* no colours where no terminal is */
}

/* Last: there is no way back to valid. */
static void nothing_counts_in_an_invalid_run(void) {
    EXPECT(run_invalid_reason() == NULL);
    run_invalid("first reason");
    run_invalid("second reason");
    check("d-four", true, "", "", "later");
    EXPECT_TEXT(run_invalid_reason(), "first reason");
    EXPECT_INT(checks_count(VERDICT_PASS), 0);
    EXPECT_INT(checks_count(VERDICT_FAIL), 0);
    EXPECT_INT(checks_count(VERDICT_CANNOT_SHOW), 4);
    folder_new();
    checks_write(folder);
    EXPECT_PART(folder_read("checks.csv"), "a-one,cannot-show,1 ms,under 2 ms,first reason\n");
    folder_remove();
}

int main(void) {
    static const struct tap_test tests[] = {
        {"results.csv", results_file},
        {"the largest of a name", the_largest_of_a_name},
        {"a cold start warns", a_cold_start_warns},
        {"checks.csv", checks_file},
        {"checks are printed", checks_are_printed},
        {"nothing counts in an invalid run", nothing_counts_in_an_invalid_run},
    };
    return TAP_RUN(tests);
}
