/* The verdicts of results.h: checks.csv and the table at the end of a run. */
#include "results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "error.h"
#include "report.h"
#include "text.h"

struct check_row {
    char *id, *measured, *required, *why;
    enum verdict verdict; /* as the lab judged; see verdict_of */
};

static struct check_row *rows;
static size_t row_count, row_room;
static char *invalid;

static void add(const char *id, enum verdict verdict, const char *measured, const char *required,
                const char *why) {
    if (row_count == row_room) {
        row_room = row_room == 0 ? 16 : 2 * row_room;
        rows = realloc(rows, row_room * sizeof *rows);
        if (rows == NULL)
            die(EXIT_ENVIRONMENT, "out of memory for the checks");
    }
    struct check_row row = {text_copy(id), text_copy(measured), text_copy(required), text_copy(why),
                            verdict};
    rows[row_count++] = row;
}

void check(const char *id, bool passed, const char *measured, const char *required,
           const char *why) {
    add(id, passed ? VERDICT_PASS : VERDICT_FAIL, measured, required, why);
}

void check_cannot_show(const char *id, const char *why) {
    add(id, VERDICT_CANNOT_SHOW, "", "", why);
}

void run_invalid(const char *reason) {
    if (invalid == NULL)
        invalid = text_copy(reason);
}

const char *run_invalid_reason(void) {
    return invalid;
}

/* Judged when written, not when checked: the run may be found invalid later than the check. */
static enum verdict verdict_of(const struct check_row *row) {
    return invalid != NULL ? VERDICT_CANNOT_SHOW : row->verdict;
}

static const char *why_of(const struct check_row *row) {
    return invalid != NULL ? invalid : row->why;
}

int checks_count(enum verdict verdict) {
    int n = 0;
    for (size_t i = 0; i < row_count; i++)
        n += verdict_of(&rows[i]) == verdict;
    return n;
}

static const char *verdict_name(enum verdict verdict) {
    static const char *const names[] = {"pass", "fail", "cannot-show"};
    return names[verdict];
}

void checks_write(const char *dir) {
    static const char *const columns[] = {"id", "verdict", "measured", "required", "why"};
    struct csv *csv = csv_create(dir, "checks.csv");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        csv_text(csv, columns[i]);
    csv_end_row(csv);
    for (size_t i = 0; i < row_count; i++) {
        csv_text(csv, rows[i].id);
        csv_text(csv, verdict_name(verdict_of(&rows[i])));
        csv_text(csv, rows[i].measured);
        csv_text(csv, rows[i].required);
        csv_text(csv, why_of(&rows[i]));
        csv_end_row(csv);
    }
    csv_commit(csv);
}

static const char *colour(enum verdict verdict) {
    static const char *const colours[] = {"\033[32m", "\033[31m", "\033[33m"};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool plain = (no_color != NULL && *no_color != '\0') || !isatty(STDOUT_FILENO) ||
                 (term != NULL && strcmp(term, "dumb") == 0);
    return plain ? "" : colours[verdict];
}

enum { WHY_COLUMN = 15 };

static void print_check(const struct check_row *row) {
    enum verdict verdict = verdict_of(row);
    const char *on = colour(verdict);
    char *text;
    if (asprintf(&text, "%s%s%s%s%s%s", row->id, row->measured[0] != '\0' ? ": " : "",
                 row->measured, row->required[0] != '\0' ? " (required: " : "", row->required,
                 row->required[0] != '\0' ? ")" : "") < 0)
        die(EXIT_ENVIRONMENT, "out of memory for the checks");
    printf("  %s%-11s%s  ", on, verdict_name(verdict), *on != '\0' ? "\033[0m" : "");
    say_from(WHY_COLUMN, text);
    say_indented(WHY_COLUMN, why_of(row));
    free(text);
}

void checks_print(void) {
    printf("\nChecks\n");
    for (size_t i = 0; i < row_count; i++)
        print_check(&rows[i]);
    printf("%d passed, %d failed, %d cannot be shown here\n", checks_count(VERDICT_PASS),
           checks_count(VERDICT_FAIL), checks_count(VERDICT_CANNOT_SHOW));
}
