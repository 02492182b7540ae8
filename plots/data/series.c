/* Picks rows of results.csv by name and part: a series for each kind of row and each run.
 * A row's name is words with the swept value last: "return h2d pageable busy 65536". */
#include "plot_data.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool series_of_rows;
static struct point *points;
static int count;

/* Cuts the number off the end of the name; rows without one get x = NaN. */
static double cut_value(char *name) {
    if (series_of_rows)
        return 0.0 / 0.0;
    char *space = strrchr(name, ' '), *end;
    if (!space)
        return 0.0 / 0.0;
    double value = strtod(space + 1, &end);
    if (*end || end == space + 1)
        return 0.0 / 0.0;
    *space = '\0';
    return value;
}

/* "class two-streams" is the partner of "overlap two-streams" at the same value, part and run. */
static bool is_partner(const struct csv_file *csv, const struct point *p, const char *word,
                       char *name, int c_part, int c_name) {
    size_t length = strlen(word);
    const char *rest = strchr(p->name, ' ');
    if (!rest || strcmp(csv->field[c_part], p->part) != 0 ||
        strncmp(csv->field[c_name], word, length) != 0)
        return false;
    snprintf(name, 300, "%s", csv->field[c_name]);
    double x = cut_value(name);
    return strcmp(name + length, rest) == 0 && (x == p->x || (x != x && p->x != p->x));
}

static void find_partners(int run, const char *dir, const char *word) {
    struct csv_file csv;
    char name[300];
    csv_open(&csv, dir, "results.csv");
    int c_part = csv_column(&csv, "part"), c_name = csv_column(&csv, "name");
    int c_median = csv_column(&csv, "median");
    while (csv_next(&csv))
        for (int i = 0; i < count; i++)
            if (points[i].run == run && is_partner(&csv, &points[i], word, name, c_part, c_name))
                points[i].partner = csv_number(&csv, c_median);
}

static void read_run(int run, const char *dir, const char *part, const char *pattern) {
    struct csv_file csv;
    csv_open(&csv, dir, "results.csv");
    int c_part = csv_column(&csv, "part"), c_name = csv_column(&csv, "name");
    int c_unit = csv_column(&csv, "unit"), c_n = csv_column(&csv, "n");
    int c_median = csv_column(&csv, "median"), c_min = csv_column(&csv, "min");
    int c_max = csv_column(&csv, "max"), c_cov = csv_column(&csv, "cov");
    while (csv_next(&csv)) {
        if (fnmatch(part, csv.field[c_part], 0) != 0 || fnmatch(pattern, csv.field[c_name], 0) != 0)
            continue;
        points = (struct point *)need_memory(points, sizeof *points * (count + 1));
        double x = cut_value(csv.field[c_name]);
        points[count++] = (struct point){.name = csv.field[c_name],
                                         .run = run,
                                         .part = csv.field[c_part],
                                         .partner = 0.0 / 0.0,
                                         .x = x,
                                         .median = csv_number(&csv, c_median),
                                         .min = csv_number(&csv, c_min),
                                         .max = csv_number(&csv, c_max),
                                         .cov = csv_number(&csv, c_cov),
                                         .unit = csv.field[c_unit],
                                         .n = csv.field[c_n]};
    }
}

static int by_series(const void *left, const void *right) {
    const struct point *a = (const struct point *)left, *b = (const struct point *)right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->run != b->run)
        return a->run - b->run;
    return (a->x > b->x) - (a->x < b->x);
}

static void sort_points(void) {
    for (int i = 0; i < count; i++) {
        points[i].order = i;
        for (int j = 0; j < i; j++)
            if (strcmp(points[j].name, points[i].name) == 0 &&
                (!series_of_rows || strcmp(points[j].part, points[i].part) == 0)) {
                points[i].order = points[j].order;
                break;
            }
    }
    if (count > 0)
        qsort(points, count, sizeof *points, by_series);
}

static bool new_series(int i) {
    return i == 0 || points[i].order != points[i - 1].order || points[i].run != points[i - 1].run;
}

/* After a tab or a sign of equality. */
static void emit_number(double value) {
    printf(value != value ? "\tNaN" : "\t%.17g", value);
}

int results_read(struct point **all, const char *part, const char *pattern, const char *partner,
                 int runs, char **dirs) {
    points = NULL;
    count = 0;
    for (int run = 0; run < runs; run++) {
        struct about about;
        about_read(&about, dirs[run]);
        read_run(run, about.dir, part, pattern);
        if (*partner)
            find_partners(run, about.dir, partner);
    }
    sort_points();
    *all = points;
    return count;
}

/* "n 11", or "n 1 to 11" where not all have as many samples. */
static void emit_samples(const char *name) {
    int least = count ? atoi(points[0].n) : 0, most = least;
    for (int i = 0; i < count; i++) {
        int n = atoi(points[i].n);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    printf("%s_samples = 'n %d", name, least);
    printf(least < most ? " to %d'\n" : "'\n", most);
}

/* gnuplot: NAME_n, NAME_samples, NAME_rows, NAME_key[], NAME_run[], and $NAME with one index a
 * series and the columns x median min max cov name unit n partner part. NAME_y[], _least[] and
 * _most[] are of each series' first row. No row at all gives NAME_n = 0. */
void series_emit(const char *name, const char *part, const char *pattern, const char *partner,
                 int runs, char **dirs) {
    int series = 0;
    results_read(&points, part, pattern, partner, runs, dirs);
    for (int i = 0; i < count; i++)
        series += new_series(i);
    printf("%s_n = %d; %s_rows = %d\n", name, series, name, count);
    static const char *const arrays[] = {"key", "run", "y", "least", "most", "partner", "part"};
    for (int i = 0; i < 7; i++)
        printf("array %s_%s[%d]\n", name, arrays[i], series ? series : 1);
    printf("$%s << EOD\n", name);
    if (!count)
        puts("NaN\tNaN\tNaN\tNaN\tNaN\t\t\t0\tNaN\t");
    for (int i = 0; i < count; i++) {
        if (i && new_series(i))
            puts("\n");
        printf(points[i].x != points[i].x ? "NaN" : "%.17g", points[i].x);
        emit_number(points[i].median);
        emit_number(points[i].min);
        emit_number(points[i].max);
        emit_number(points[i].cov);
        putchar('\t');
        emit_field(points[i].name);
        printf("\t%s\t%s", points[i].unit, points[i].n);
        emit_number(points[i].partner);
        printf("\t%s\n", points[i].part);
    }
    puts("EOD");
    emit_samples(name);
    for (int i = 0, at = 0; i < count; i++) {
        if (!new_series(i))
            continue;
        at++;
        printf("%s_run[%d] = %d; %s_y[%d] =", name, at, points[i].run + 1, name, at);
        emit_number(points[i].median);
        printf("; %s_least[%d] =", name, at);
        emit_number(points[i].min);
        printf("; %s_most[%d] =", name, at);
        emit_number(points[i].max);
        printf("; %s_partner[%d] =", name, at);
        emit_number(points[i].partner);
        printf("; %s_part[%d] = '%s'; %s_key[%d] = ", name, at, points[i].part, name, at);
        emit_text(points[i].name);
        puts("");
    }
}
