/* tap.h - unit tests. A test is a function; it passes if it expected something and all of it was
 * so. Prints TAP: one line a test, "# ..." for what was not as expected.
 *
 *     static void median_of_three(void) { ... EXPECT_NEAR(s.median, 2, 0); }
 *     int main(void) {
 *         static const struct tap_test tests[] = {{"median of three", median_of_three}};
 *         return TAP_RUN(tests);
 *     }
 */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers change what things take: no limit of time holds then. gcc's macro, clang's test. */
#if defined(__SANITIZE_ADDRESS__)
#define TAP_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAP_SANITIZED true
#endif
#endif
#ifndef TAP_SANITIZED
#define TAP_SANITIZED false
#endif

struct tap_test {
    const char *name;
    void (*run)(void);
};

static int tap_expected, tap_failed;
static const char *tap_skipped; /* why the running test was skipped */

static inline bool tap_expect(bool as_expected) {
    tap_expected++;
    tap_failed += !as_expected;
    return as_expected;
}

/* Ends a test that cannot run here: TAP_SKIP("no such locale"); return; */
#define TAP_SKIP(reason) (tap_skipped = (reason))

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!tap_expect(condition))                                                                \
            printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                       \
    } while (0)

#define EXPECT_INT(got, wanted)                                                                    \
    do {                                                                                           \
        int64_t tap_got = (int64_t)(got), tap_wanted = (int64_t)(wanted);                          \
        if (!tap_expect(tap_got == tap_wanted))                                                    \
            printf("# %s:%d: %s is %" PRId64 ", not %" PRId64 "\n", __FILE__, __LINE__, #got,      \
                   tap_got, tap_wanted);                                                           \
    } while (0)

#define EXPECT_TEXT(got, wanted)                                                                   \
    do {                                                                                           \
        const char *tap_got = (got), *tap_wanted = (wanted);                                       \
        if (!tap_expect(strcmp(tap_got, tap_wanted) == 0))                                         \
            printf("# %s:%d: %s is\n#   '%s', not\n#   '%s'\n", __FILE__, __LINE__, #got, tap_got, \
                   tap_wanted);                                                                    \
    } while (0)

#define EXPECT_PART(text, wanted)                                                                  \
    do {                                                                                           \
        const char *tap_text = (text), *tap_wanted = (wanted);                                     \
        if (!tap_expect(strstr(tap_text, tap_wanted) != NULL))                                     \
            printf("# %s:%d: '%s' does not contain '%s'\n", __FILE__, __LINE__, tap_text,          \
                   tap_wanted);                                                                    \
    } while (0)

#define EXPECT_NEAR(got, wanted, tolerance)                                                        \
    do {                                                                                           \
        double tap_got = (got), tap_wanted = (wanted);                                             \
        if (!tap_expect(fabs(tap_got - tap_wanted) <= (tolerance)))                                \
            printf("# %s:%d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, #got, tap_got,         \
                   tap_wanted);                                                                    \
    } while (0)

/* ---- code that ends the process -------------------------------------------------------------- */

static char tap_messages[4096]; /* what the last child wrote to stderr */

/* Runs fn(state) in a child. Returns its exit status, or -signal; its stderr is in tap_messages. */
static inline int tap_child(void (*fn)(void *), void *state) {
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return -1000;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        fn(state);
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t n;
    while ((n = read(ends[0], tap_messages + used, sizeof tap_messages - 1 - used)) > 0)
        used += (size_t)n;
    tap_messages[used] = '\0';
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Dies with this status, one line, and a message that contains the text. */
#define EXPECT_DIES(fn, state, wanted_status, wanted_text)                                         \
    do {                                                                                           \
        EXPECT_INT(tap_child((fn), (state)), (wanted_status));                                     \
        EXPECT_PART(tap_messages, (wanted_text));                                                  \
        const char *tap_newline = strchr(tap_messages, '\n');                                      \
        EXPECT(tap_newline != NULL && tap_newline[1] == '\0');                                     \
    } while (0)

/* ---- running --------------------------------------------------------------------------------- */

static inline bool tap_run_one(int number, const struct tap_test *test) {
    tap_expected = tap_failed = 0;
    tap_skipped = NULL;
    test->run();
    bool ok = tap_failed == 0 && (tap_expected > 0 || tap_skipped != NULL);
    if (tap_expected == 0 && tap_skipped == NULL)
        printf("# the test expected nothing\n");
    printf("%sok %d - %s%s%s\n", ok ? "" : "not ", number, test->name,
           tap_skipped != NULL ? " # SKIP " : "", tap_skipped != NULL ? tap_skipped : "");
    fflush(stdout);
    return ok;
}

static inline int tap_run(const struct tap_test *tests, int n) {
    int failed = 0;
    printf("1..%d\n", n);
    for (int i = 0; i < n; i++)
        failed += !tap_run_one(i + 1, &tests[i]);
    return failed > 0;
}

#define TAP_RUN(tests) tap_run((tests), (int)(sizeof(tests) / sizeof(tests)[0]))

#endif
