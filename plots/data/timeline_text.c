/* A timeline drawn with letters, for a terminal with no pictures. */
#include "plot_data.h"

#include <stdlib.h>
#include <string.h>

/* The lanes' labels take what they need, the bars the rest of the terminal. */
static int label_columns, columns;

static int columns_of(const char *text) {
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

/* One letter a class; in the order of enum span_class. */
static const char letters[] = " =x.>#:<~o-";
static const char *const words[] = {"",
                                    "host call",
                                    "call held by the device",
                                    "call made to wait",
                                    "copy H to D",
                                    "kernel",
                                    "gate",
                                    "copy D to H",
                                    "copy on the device",
                                    "memset",
                                    "copy host to host"};

static void print_line(const struct layout *l, const struct panel *p, int lane, int row,
                       bool *used) {
    char line[TERMINAL_COLUMNS + 1];
    double per_column = (double)(p->to_ns - p->from_ns) / columns;
    memset(line, ' ', columns);
    line[columns] = '\0';
    for (size_t i = 0; i < l->spans->count; i++) {
        const struct span *s = &l->spans->at[i];
        if (s->lane != lane || s->row != row || s->start_ns >= p->to_ns || s->end_ns < p->from_ns)
            continue;
        int from = (int)((double)(s->start_ns - p->from_ns) / per_column);
        int to = (int)((double)(s->end_ns - p->from_ns) / per_column);
        from = from < 0 ? 0 : from >= columns ? columns - 1 : from;
        to = to > columns ? columns : to <= from ? from + 1 : to;
        used[s->class] = true;
        memset(line + from, letters[s->class], (size_t)(to - from));
        const char *name = short_name(s->name);
        int length = (int)strlen(name);
        if (to - from >= length + 4)
            memcpy(line + from + (to - from - length) / 2, name, (size_t)length);
    }
    const char *label = row == 0 ? l->lane[lane].label : "";
    if (l->lane[lane].heading) {
        print_wrapped(l->spans->about[l->lane[lane].run].label);
        return;
    }
    printf("%*s%s |%s|\n", label_columns - columns_of(label), "", label, line);
}

/* Times along the panel, counted from from_ns: far from 0 those of a zoom would all read alike. */
static void print_axis(const struct panel *p, int64_t from_ns) {
    char text[TERMINAL_COLUMNS + 40];
    memset(text, ' ', sizeof text);
    for (int i = 0; i <= 3; i++) {
        int64_t ns = p->from_ns - from_ns + (p->to_ns - p->from_ns) / 4 * i;
        const char *show = show_ns((double)ns);
        const char *ascii = strstr(show, "µ"); /* two bytes, so shift by hand */
        char plain[40];
        snprintf(plain, sizeof plain, "%.*s%s%s", ascii ? (int)(ascii - show) : 30, show,
                 ascii ? "u" : "", ascii ? ascii + strlen("µ") : "");
        memcpy(text + columns * i / 4, plain, strlen(plain));
    }
    text[columns] = '\0';
    printf("%*s  %s\n", label_columns, "", text);
}

void timeline_text(const char *title, const char *part, int runs, char **dirs) {
    static struct spans spans;
    static struct layout layout;
    bool used[CLASSES] = {false};
    char summary[400];
    spans_read(&spans, part, runs, dirs);
    layout_make(&layout, &spans);
    for (int i = 0; i < layout.lanes; i++)
        label_columns = columns_of(layout.lane[i].label) > label_columns
                            ? columns_of(layout.lane[i].label)
                            : label_columns;
    columns = TERMINAL_COLUMNS - label_columns - 3;
    for (int run = 0; run < runs; run++) {
        const struct about *about = &spans.about[run];
        spans_summary(&spans, run, summary, sizeof summary);
        printf("%s, part %s\n", *title && !run ? title : about->lab, part);
        print_wrapped(about->label);
        print_wrapped(summary);
    }
    for (int i = 0; i < layout.panels; i++) {
        struct panel *p = &layout.panel[i];
        if (i) {
            char text[HEAD_TEXT];
            snprintf(text, sizeof text, "\n%s, counted from %s on", p->title,
                     show_ns((double)p->from_ns));
            print_wrapped(text);
        }
        for (int j = 0; j < p->lanes; j++)
            for (int row = 0; row < layout.lane[p->lane[j]].rows; row++)
                print_line(&layout, p, p->lane[j], row, used);
        print_axis(p, i ? p->from_ns : 0);
    }
    for (int class = 1, at = 0; class < CLASSES; class ++) {
        if (!used[class])
            continue;
        int width = (int)strlen(words[class]) + 5;
        if (at + width > TERMINAL_COLUMNS)
            puts("");
        at = at + width > TERMINAL_COLUMNS ? width : at + width;
        printf("%c %s   ", letters[class], words[class]);
    }
    puts("");
}
