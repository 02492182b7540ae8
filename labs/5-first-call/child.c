/* child.c - this program started again as a fresh process. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "error.h"

static const char child_option[] = "--child"; /* not an option for people: not in --help */

bool child_is(int argc, char **argv) {
    return argc == 4 && strcmp(argv[1], child_option) == 0;
}

void numbers_add(struct numbers *numbers, int64_t value) {
    if (numbers->n == MAX_NUMBERS)
        die(EXIT_FAIL, "child: more than %d numbers; ask for less", MAX_NUMBERS);
    numbers->value[numbers->n++] = value;
}

void child_main(const struct child_experiment *experiments, char **argv) {
    static struct numbers out;
    while (experiments->name && strcmp(experiments->name, argv[2]) != 0)
        experiments++;
    if (!experiments->name)
        die(EXIT_USAGE, "child: no experiment \"%s\"", argv[2]);
    experiments->run(&out, argv[3]);
    for (int i = 0; i < out.n; i++)
        printf("%lld ", (long long)out.value[i]);
    puts("end");
    fflush(stdout);
    _exit(0);
}

static pid_t spawn(char **argv, int from_child[2]) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (pipe(from_child) != 0)
        die(EXIT_ENVIRONMENT, "child: no pipe (%s); close other programs", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, from_child[0]);
    posix_spawn_file_actions_addclose(&actions, from_child[1]);
    int error = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(from_child[1]);
    if (error != 0)
        die(EXIT_ENVIRONMENT, "child: cannot start this program again (%s); is /proc mounted?",
            strerror(error));
    return pid;
}

/* A whole line ends with "end": one that was cut off counts for nothing. */
static struct numbers read_line(int fd) {
    struct numbers numbers = {0, {0}};
    char word[32];
    FILE *file = fdopen(fd, "r");
    if (!file)
        die(EXIT_ENVIRONMENT, "child: cannot read its answer (%s)", strerror(errno));
    while (fscanf(file, "%31s", word) == 1 && strcmp(word, "end") != 0)
        numbers_add(&numbers, strtoll(word, NULL, 10));
    if (strcmp(word, "end") != 0)
        numbers.n = 0;
    fclose(file);
    return numbers;
}

/* Puts "NAME=value" into the environment and returns what NAME was, or NULL; the caller frees it.
 */
static char *set_variable(char *name, const char *setting) {
    const char *equals = strchr(setting, '=');
    snprintf(name, 64, "%.*s", (int)(equals - setting), setting);
    const char *now = getenv(name);
    char *before = now ? strdup(now) : NULL;
    setenv(name, equals + 1, 1);
    return before;
}

struct numbers child_run(const char *experiment, const char *argument, const char *setting) {
    char *argv[] = {(char *)"lab-5", (char *)child_option, (char *)experiment, (char *)argument,
                    NULL};
    char name[64], *before = setting ? set_variable(name, setting) : NULL;
    int from_child[2], status = 0;
    fflush(stdout);
    pid_t pid = spawn(argv, from_child);
    if (setting && before)
        setenv(name, before, 1);
    else if (setting)
        unsetenv(name);
    free(before);
    struct numbers numbers = read_line(from_child[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        numbers.n = 0;
    return numbers;
}
