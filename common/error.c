#include "error.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_AT_DIE = 8 };

static const char *program = "lab";
static void (*at_die_fn[MAX_AT_DIE])(void);
static volatile sig_atomic_t at_die_count;
static volatile sig_atomic_t dying;

void error_program(const char *name) {
    program = name;
}

void at_die(void (*fn)(void)) {
    for (int i = 0; i < at_die_count; i++) {
        if (at_die_fn[i] == fn)
            return;
    }
    if (at_die_count == MAX_AT_DIE)
        die(EXIT_FAIL, "at_die: more than %d functions; raise MAX_AT_DIE in error.c", MAX_AT_DIE);
    at_die_fn[at_die_count] = fn;
    at_die_count = at_die_count + 1;
}

void run_at_die(void) {
    while (at_die_count > 0) {
        at_die_count = at_die_count - 1;
        at_die_fn[at_die_count]();
    }
}

/* What a message quotes (a path, an option's value) may hold a newline or the code of a terminal.
 */
static void make_one_line(char *line) {
    for (; *line != '\0'; line++) {
        if (iscntrl((unsigned char)*line))
            *line = '?';
    }
}

/* One write, so that lines of two processes do not mix. */
static void print_line(const char *prefix, const char *format, va_list arguments) {
    char line[2048];
    int used = snprintf(line, sizeof line, "%s: %s", program, prefix);
    if (used < 0 || (size_t)used >= sizeof line - 2)
        used = 0;
    vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    make_one_line(line);
    size_t length = strlen(line);
    line[length] = '\n';
    fwrite(line, 1, length + 1, stderr);
}

/* _exit, not exit: the CUDA runtime's own exit handlers may wait for a kernel that still spins,
 * and die may be called from a callback thread. */
void die(enum exit_status status, const char *format, ...) {
    fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
    if (!dying) {
        dying = 1;
        run_at_die();
    }
    fflush(stderr);
    _exit(status);
}

void warn(const char *format, ...) {
    fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

static void write_text(const char *text) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static const char *signal_text(int number) {
    switch (number) {
    case SIGINT:
        return "interrupted (SIGINT)";
    case SIGTERM:
        return "terminated (SIGTERM)";
    default:
        return "hung up (SIGHUP)";
    }
}

/* Only functions that POSIX calls async-signal-safe. */
static void stop_on_signal(int number) {
    if (!dying) {
        dying = 1;
        run_at_die();
        if (number != SIGPIPE) { /* whoever closed the pipe knows */
            write_text(program);
            write_text(": ");
            write_text(signal_text(number));
            write_text("; unfinished files were removed, run it again\n");
        }
    }
    _exit(128 + number);
}

void error_catch_signals(void) {
    static const int stop[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop_on_signal;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stop / sizeof stop[0]; i++) {
        struct sigaction old;
        /* A signal that the caller ignores (nohup) stays ignored. */
        if (sigaction(stop[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN && stop[i] != SIGPIPE)
            continue;
        sigaction(stop[i], &action, NULL);
    }
    /* A file over the size limit is then an error of write, reported like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
}
