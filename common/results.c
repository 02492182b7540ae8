#include "results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "error.h"
#include "text.h"

struct result_row {
    char *part, *name, *unit;
    struct stats stats;
};

static struct result_row *rows;
static size_t row_count, row_room;

static struct result_row *new_row(void) {
    if (row_count == row_room) {
        row_room = row_room == 0 ? 64 : 2 * row_room;
        rows = realloc(rows, row_room * sizeof *rows);
        if (rows == NULL)
            die(EXIT_ENVIRONMENT, "out of memory for the results");
    }
    return &rows[row_count++];
}

void result(const char *part, const char *name, const char *unit, const struct samples *samples) {
    struct result_row *row = new_row();
    row->part = text_copy(part);
    row->name = text_copy(name);
    row->unit = text_copy(unit);
    row->stats = stats_of(samples);
    if (stats_cold_start(&row->stats))
        warn("part %s: the first '%s' took %.0f times the median; something was not warmed up",
             part, name, row->stats.first / row->stats.median);
}

void result_value(const char *part, const char *name, const char *unit, double value) {
    struct samples one = {0};
    samples_add(&one, value);
    result(part, name, unit, &one);
}

static void write_row(struct csv *csv, const struct result_row *row) {
    csv_text(csv, row->part);
    csv_text(csv, row->name);
    csv_text(csv, row->unit);
    csv_int(csv, row->stats.n);
    csv_real(csv, row->stats.median);
    csv_real(csv, row->stats.min);
    csv_real(csv, row->stats.max);
    csv_real(csv, row->stats.cov);
    csv_end_row(csv);
}

void results_write(const char *dir) {
    static const char *const columns[] = {"part",   "name", "unit", "n",
                                          "median", "min",  "max",  "cov"};
    struct csv *csv = csv_create(dir, "results.csv");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        csv_text(csv, columns[i]);
    csv_end_row(csv);
    for (size_t i = 0; i < row_count; i++)
        write_row(csv, &rows[i]);
    csv_commit(csv);
}

double results_largest(const char *name) {
    double largest = 0;
    for (size_t i = 0; i < row_count; i++) {
        if (strcmp(rows[i].name, name) == 0 && rows[i].stats.median > largest)
            largest = rows[i].stats.median;
    }
    return largest;
}
