#include "error.h"

#include <signal.h>
#include <stdlib.h>

#include "tap.h"

static void die_plainly(void *unused) {
    (void)unused;
    error_program("lab-1");
    die(EXIT_ENVIRONMENT, "what %d, where, what to do", 12);
}

static void a_message_is_one_line_with_the_program(void) {
    EXPECT_INT(tap_child(die_plainly, NULL), 3);
    EXPECT_TEXT(tap_messages, "lab-1: what 12, where, what to do\n");
}

static void warn_then_go_on(void *unused) {
    (void)unused;
    error_program("lab-1");
    warn("%s", "careful");
}

static void a_warning_goes_on(void) {
    EXPECT_INT(tap_child(warn_then_go_on, NULL), 0);
    EXPECT_TEXT(tap_messages, "lab-1: warning: careful\n");
}

static void die_at_length(void *unused) {
    (void)unused;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    die(EXIT_FAIL, "%s", text);
}

static void a_very_long_message_is_cut(void) {
    EXPECT_DIES(die_at_length, NULL, EXIT_FAIL, "xxxx");
}

static void die_of_a_path(void *unused) {
    (void)unused;
    error_program("lab-1");
    die(EXIT_ENVIRONMENT, "cannot make %s", "a\nb\033[31m\tgr\303\274n");
}

static void what_a_message_quotes_cannot_break_its_line(void) {
    EXPECT_INT(tap_child(die_of_a_path, NULL), 3);
    EXPECT_TEXT(tap_messages, "lab-1: cannot make a?b?[31m?gr\303\274n\n");
}

static void say_one(void) {
    (void)!write(STDERR_FILENO, "one ", 4);
}

static void say_two(void) {
    (void)!write(STDERR_FILENO, "two ", 4);
}

static void die_in_die(void) {
    die(EXIT_USAGE, "again");
}

static void register_and_die(void *unused) {
    (void)unused;
    at_die(say_one);
    at_die(say_two);
    at_die(say_one); /* known already */
    die(EXIT_FAIL, "end");
}

static void functions_run_once_the_last_first(void) {
    EXPECT_INT(tap_child(register_and_die, NULL), EXIT_FAIL);
    EXPECT_PART(tap_messages, "end\ntwo one ");
}

static void die_while_dying(void *unused) {
    (void)unused;
    at_die(say_one);
    at_die(die_in_die);
    die(EXIT_FAIL, "first");
}

static void dying_twice_ends(void) {
    EXPECT_INT(tap_child(die_while_dying, NULL), EXIT_USAGE);
    EXPECT_PART(tap_messages, "first\n");
    EXPECT_PART(tap_messages, "again\n");
}

static void take_a_signal(void *number) {
    error_catch_signals();
    at_die(say_one);
    raise(*(int *)number);
}

static void a_signal_runs_them_too(void) {
    int number = SIGTERM;
    EXPECT_INT(tap_child(take_a_signal, &number), 128 + SIGTERM);
    EXPECT_PART(tap_messages, "one ");
    EXPECT_PART(tap_messages, "terminated (SIGTERM)");
    number = SIGPIPE; /* whoever closed the pipe knows */
    EXPECT_INT(tap_child(take_a_signal, &number), 128 + SIGPIPE);
    EXPECT_TEXT(tap_messages, "one ");
}

static void ignore_then_raise(void *unused) {
    (void)unused;
    signal(SIGHUP, SIG_IGN);
    error_catch_signals();
    raise(SIGHUP);
}

static void nohup_stays_in_force(void) {
    EXPECT_INT(tap_child(ignore_then_raise, NULL), 0);
}

static cudaError_t failing(cudaError_t error) {
    return error;
}

static void check_call(void *error) {
    CUDA_CHECK(failing(*(cudaError_t *)error));
}

static void check_cublas_call(void *unused) {
    (void)unused;
    CUBLAS_CHECK(CUBLAS_STATUS_NOT_INITIALIZED);
}

static void a_failed_call_says_all_about_it(void) {
    cudaError_t error = cudaSuccess;
    EXPECT_INT(tap_child(check_call, &error), 0);
    error = cudaErrorInvalidValue;
    EXPECT_DIES(check_call, &error, EXIT_FAIL,
                "failing(*(cudaError_t *)error) failed: cudaErrorInvalidValue (");
    EXPECT_PART(tap_messages, "unit/error.c:");
    error = cudaErrorMemoryAllocation;
    EXPECT_DIES(check_call, &error, EXIT_ENVIRONMENT, "choose smaller sizes");
    error = cudaErrorInsufficientDriver;
    EXPECT_DIES(check_call, &error, EXIT_ENVIRONMENT, "update the driver");
    error = cudaErrorUnsupportedPtxVersion;
    EXPECT_DIES(check_call, &error, EXIT_ENVIRONMENT, "nothing was timed");
    EXPECT_DIES(check_cublas_call, NULL, EXIT_ENVIRONMENT,
                "CUBLAS_STATUS_NOT_INITIALIZED failed: CUBLAS_STATUS_NOT_INITIALIZED (");
}

static void every_error_has_advice(void) {
    for (int i = 0; i < 1000; i++)
        EXPECT(cuda_advice((cudaError_t)i)[0] != '\0');
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a message is one line with the program's name", a_message_is_one_line_with_the_program},
        {"a warning goes on", a_warning_goes_on},
        {"a very long message is cut", a_very_long_message_is_cut},
        {"what a message quotes cannot break its line",
         what_a_message_quotes_cannot_break_its_line},
        {"functions run once, the last one first", functions_run_once_the_last_first},
        {"dying twice ends", dying_twice_ends},
        {"a signal runs them too", a_signal_runs_them_too},
        {"nohup stays in force", nohup_stays_in_force},
        {"a failed call says all about it", a_failed_call_says_all_about_it},
        {"every error has advice", every_error_has_advice},
    };
    return TAP_RUN(tests);
}
