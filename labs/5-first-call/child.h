/* child.h - this program started again as a fresh process, which answers with a line of numbers. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_NUMBERS = 64 };

/* A child's answer, in ns or as its experiment says. n is 0 if it failed; it has said why. */
struct numbers {
    int n;
    int64_t value[MAX_NUMBERS];
};

/* ---- in the child ---------------------------------------------------------------------------- */

/* True if this process was started by child_run: main then calls child_main and nothing else. */
bool child_is(int argc, char **argv);

/* What an experiment does: measures, adds numbers. argument is the text given to child_run. */
typedef void child_fn(struct numbers *out, const char *argument);

/* By name; the list ends with a NULL name. */
struct child_experiment {
    const char *name;
    child_fn *run;
};

/* Runs the experiment that argv names and prints its line. Does not return: leaves without the
 * program's clean-up, as the system takes everything back. */
void child_main(const struct child_experiment *experiments, char **argv) __attribute__((noreturn));

void numbers_add(struct numbers *numbers, int64_t value);

/* ---- in the parent --------------------------------------------------------------------------- */

/* Starts this program with one more environment variable ("NAME=value", or NULL), and reads what
 * it answers. A child that prints nothing of use, or fails, gives n = 0. */
struct numbers child_run(const char *experiment, const char *argument, const char *setting);

#ifdef __cplusplus
}
#endif
#endif
