/* A chart of results drawn with letters, for a terminal with no pictures: a line for each row. */
#include "plot_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE = 10, MANY = 40, FEW = 12 };

struct scale { /* of the bars of one unit */
    double low, high;
    bool log;
    int columns;
};

static struct scale scale_of(const struct point *p, int count, const char *unit) {
    struct scale s = {.low = INFINITY, .log = strcmp(unit, "share") != 0};
    if (!s.log)
        return (struct scale){.high = 1};
    for (int i = 0; i < count; i++)
        if (strcmp(p[i].unit, unit) == 0 && p[i].median > 0) {
            s.low = fmin(s.low, fmin(p[i].median, p[i].partner > 0 ? p[i].partner : INFINITY));
            s.high = fmax(s.high, fmax(p[i].max, p[i].partner > 0 ? p[i].partner : 0));
        }
    s.low = pow(10, floor(log10(s.low)));
    s.high = pow(10, ceil(log10(s.high)));
    return s;
}

static int column(const struct scale *s, double value) {
    double share = s->log ? log(value / s->low) / log(s->high / s->low) : value;
    return (int)lround(fmin(fmax(share, 0), 1) * (s->columns - 1));
}

static void print_bar(const struct scale *s, const struct point *p) {
    char bar[TERMINAL_COLUMNS + 1];
    int median = column(s, p->median), most = column(s, p->max), length = s->columns;
    memset(bar, ' ', length);
    memset(bar, '=', median + (p->median > 0));
    memset(bar + median + 1, '-', most > median ? most - median : 0);
    if (p->partner == p->partner)
        bar[column(s, p->partner)] = '|';
    while (length > 0 && bar[length - 1] == ' ')
        length--;
    if (length > 0)
        printf(" %.*s", length, bar);
}

static const char *class_name(double class) {
    static const char *const names[] = {"launch-bound", "concurrent", "tail-only", "serial"};
    return class >= 0 && class < 4 ? names[(int)class] : "?";
}

static const char *value_text(const struct point *p) {
    static char text[40];
    if (strcmp(p->unit, "ns") == 0)
        return show_ns(p->median);
    if (strcmp(p->unit, "share") == 0)
        snprintf(text, sizeof text, "%.0f %%", 100 * p->median);
    else
        snprintf(text, sizeof text, strcmp(p->unit, "bytes/ns") == 0 ? "%.4g GB/s" : "%.10g",
                 p->median);
    return text;
}

static const char *name_of(const struct point *p, int runs) {
    static char name[300];
    *name = '\0';
    if (runs > 1)
        snprintf(name, sizeof name, "%d ", p->run + 1);
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s. %s", p->part, p->name);
    if (p->x == p->x)
        snprintf(name + strlen(name), sizeof name - strlen(name), " %.10g", p->x);
    if (strlen(name) > 50)
        memcpy(name + 48, "..", 3);
    return name;
}

static void print_row(const struct point *p, const struct scale *s, const char *name, int width) {
    printf("%-*s ", width, name);
    if (strcmp(p->unit, "class") == 0) {
        printf("%s", class_name(p->median));
        if (p->partner == p->partner)
            printf(" (predicted %s)", class_name(p->partner));
    } else {
        const char *value = value_text(p);
        printf("%*s", VALUE + (strstr(value, "µ") ? 1 : 0), value);
        bool share = strcmp(p->unit, "share") == 0;
        if (share && p->partner == p->partner)
            printf(" %s", class_name(p->partner));
        else if (share || strcmp(p->unit, "ns") == 0 || strcmp(p->unit, "bytes/ns") == 0)
            print_bar(s, p);
    }
    puts("");
}

/* Of a long series some, with its first two and its last two. */
static void print_rows(const struct point *p, int count, int runs) {
    int left_out = 0, width = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(name_of(&p[i], runs));
        width = length > width ? length : width;
    }
    for (int i = 0, from = 0, to = 0; i < count; i++) {
        if (i == to)
            for (from = i; to < count && p[to].order == p[i].order && p[to].run == p[i].run; to++)
                ;
        if (to - from > MANY && i - from >= 2 && to - i > 2 && (i - from) % ((to - from) / FEW)) {
            left_out++;
            continue;
        }
        struct scale scale = scale_of(p, count, p[i].unit);
        scale.columns = TERMINAL_COLUMNS - width - VALUE - 2;
        print_row(&p[i], &scale, name_of(&p[i], runs), width);
    }
    if (left_out)
        printf("(%d rows between them are left out)\n", left_out);
}

void results_text(const char *title, const char *summary, int fits, char **fit, int runs,
                  char **dirs) {
    static struct about about[MAX_RUNS];
    abouts_read(about, runs, dirs);
    print_wrapped(title);
    for (int i = 0; i < runs; i++) {
        if (runs > 1)
            printf("run %d: ", i + 1);
        print_wrapped(about[i].label);
    }
    print_wrapped(summary);
    for (int i = 0; i < fits; i++, fit += 3) {
        struct point *points;
        series_of_rows = false;
        int count = results_read(&points, fit[0], fit[1], fit[2], runs, dirs);
        print_rows(points, count, runs);
    }
    puts("bars (log scale, but for %): = to the median, - to the most; | to compare with");
}
