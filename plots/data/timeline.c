/* Writes a timeline as gnuplot reads it: the picture's size, its panels, and a data block each for
 * bars, names, marks and stripes. All positions are px from a panel's top left. */
#include "plot_data.h"

#include <math.h>
#include <string.h>

static const double NAME_EM = 12, LEGEND_EM = 13.33; /* 9 and 10 pt at 96 dpi */

/* A data block, and how many rows of it each panel has: gnuplot complains about drawing none. */
static int rows_of[1 + MAX_ZOOMS];
static void begin_block(const char *name) {
    memset(rows_of, 0, sizeof rows_of);
    printf("$%s << EOD\n", name);
}

static void end_block(const char *name, int panels) {
    printf("EOD\narray n_%s[%d] = [%d", name, panels, rows_of[0]);
    for (int i = 1; i < panels; i++)
        printf(", %d", rows_of[i]);
    puts("]");
}

static void emit_panel(const struct layout *l, int index) {
    const struct panel *p = &l->panel[index];
    struct axis axis;
    axis_make(&axis, p->from_ns, p->to_ns, p->right - p->left);
    int i = index + 1;
    printf("P_left[%d] = %.8f; P_right[%d] = %.8f; P_top[%d] = %.8f; P_bottom[%d] = %.8f\n", i,
           p->left / picture_px(), i, p->right / picture_px(), i, 1 - p->top / l->height, i,
           1 - p->bottom / l->height);
    printf("P_width[%d] = %.8f; P_height[%d] = %.8f\n", i, p->right - p->left, i,
           p->bottom - p->top);
    printf("P_title[%d] = ", i);
    emit_text(p->title);
    /* Stripes lie behind the grid, which only objects do. */
    printf("\nP_stripes[%d] = \"", i);
    for (int j = 0; j < p->lanes; j += 2)
        printf("set object %d rect from 0,%.2f to %.2f,%.2f behind fc rgb '#f3f3f3' fs solid "
               "noborder; ",
               1000 + MAX_LANES * index + j, p->lane_top[j], p->right - p->left,
               p->lane_top[j] + p->lane_px[j]);
    printf("\"\nP_axis[%d] = ", i);
    emit_text(axis.text);
    puts("");
}

/* Above the lanes of each of several runs: which run it is, and its figures. */
static void emit_heading(const struct spans *spans, int run) {
    char text[400];
    spans_summary(spans, run, text, sizeof text);
    emit_field(spans->about[run].label);
    printf(":  ");
    emit_field(text);
}

static void emit_lanes(const struct layout *l) {
    begin_block("lanes");
    for (int i = 0; i < l->panels; i++) {
        const struct panel *p = &l->panel[i];
        double labelled = -100;
        for (int j = 0; j < p->lanes; j++) {
            const struct lane *lane = &l->lane[p->lane[j]];
            double middle = p->lane_top[j] + p->lane_px[j] / 2;
            bool room = middle - labelled >= 12; /* thin lanes: every second or third is named */
            labelled = room ? middle : labelled;
            printf("%d\t%.2f\t%.2f\t%.2f\t%s\t%d\t", i + 1, p->lane_top[j],
                   p->lane_top[j] + p->lane_px[j], middle, room ? lane->label : "",
                   l->spans->about[lane->run].simulated);
            if (lane->heading)
                emit_heading(l->spans, lane->run);
            puts("");
            rows_of[i] += lane->heading; /* the others are never none */
        }
    }
    end_block("lanes", l->panels);
}

static void emit_bars(const char *name, const struct bars *bars, int panels, bool widened) {
    begin_block(name);
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *b = &bars->at[i];
        if (b->widened != widened)
            continue;
        printf("%d\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%d\n", b->panel + 1, b->x0, b->x1, b->y0, b->y1,
               b->class, b->merged);
        rows_of[b->panel]++;
    }
    end_block(name, panels);
}

static const char *bar_text(const struct bar *b) {
    static char text[256];
    double room = b->x1 - b->x0 - 12;
    if (b->widened || b->y1 - b->y0 < NAME_EM)
        return "";
    if (b->merged > 1) {
        snprintf(text, sizeof text, "%s merged", show_count(b->merged));
        return text_width(text, NAME_EM) <= room ? text : "";
    }
    snprintf(text, sizeof text, "%s  %s", short_name(b->name), show_ns((double)b->ns));
    if (text_width(text, NAME_EM) <= room)
        return text;
    return name_that_fits(b->name, room, NAME_EM);
}

static void emit_names(const struct bars *bars, int panels) {
    begin_block("names");
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *b = &bars->at[i];
        const char *text = bar_text(b);
        if (!*text)
            continue;
        printf("%d\t%.2f\t%.2f\t%d\t", b->panel + 1, (b->x0 + b->x1) / 2, (b->y0 + b->y1) / 2,
               b->class);
        emit_field(text);
        puts("");
        rows_of[b->panel]++;
    }
    end_block("names", panels);
}

/* A mark above each widened bar, thinned where they would touch. */
static void emit_marks(const struct bars *bars, int panels) {
    double x = -100, y = -1;
    begin_block("marks");
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *b = &bars->at[i];
        if (!b->widened || (b->y0 == y && fabs(b->x0 - x) < 7))
            continue;
        x = b->x0;
        y = b->y0;
        printf("%d\t%.2f\t%.2f\n", b->panel + 1, (b->x0 + b->x1) / 2, b->y0 - 2);
        rows_of[b->panel]++;
    }
    end_block("marks", panels);
}

/* Where the zooms lie in the panel of the whole. */
static void emit_frames(const struct layout *l) {
    const struct panel *all = &l->panel[0];
    double per_px = panel_ns_per_px(all);
    begin_block("frames");
    for (int i = 1; i < l->panels; i++) {
        const struct panel *zoom = &l->panel[i];
        double x0 = (double)zoom->from_ns / per_px, x1 = (double)zoom->to_ns / per_px;
        int last = zoom->lane[zoom->lanes - 1];
        if (x1 - x0 < 6) { /* seen, not exact */
            x0 -= 3;
            x1 += 3;
        }
        double y0 = all->lane_top[zoom->lane[0]] + 1;
        printf("%c\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", 'A' + i - 1, fmax(x0, 0), x1, y0,
               all->lane_top[last] + all->lane_px[last] - 1, x1 + 3,
               y0 + 6 + 11 * (i - 1)); /* letters of frames that lie close stay apart */
        rows_of[0]++;
    }
    end_block("frames", l->panels);
}

/* The words beside each colour, in the order of enum span_class. */
static const char *const class_words[CLASSES] = {"",
                                                 "host call",
                                                 "host call held by the device",
                                                 "call made to wait",
                                                 "copy H→D",
                                                 "kernel",
                                                 "gate",
                                                 "copy D→H",
                                                 "copy D→D",
                                                 "memset",
                                                 "copy host to host"};

static void emit_legend(const struct bars *bars) {
    bool has[CLASSES] = {false}; /* has[0]: a widened bar */
    int n = 0;
    double x = 0;
    for (size_t i = 0; i < bars->count; i++) {
        has[bars->at[i].class] = true;
        has[0] |= bars->at[i].widened;
    }
    printf("array legend_class[%d]; array legend_x[%d]; array legend_word[%d]\n", CLASSES, CLASSES,
           CLASSES);
    for (int i = 1; i <= CLASSES; i++) {
        int class = i % CLASSES; /* the mark for widened bars comes last */
        const char *text = class ? class_words[class] : "under 3 px, drawn wider";
        if (!has[class])
            continue;
        n++;
        printf("legend_class[%d] = %d; legend_x[%d] = %.1f; legend_word[%d] = '%s'\n", n, class, n,
               x, n, text);
        x += 44 + text_width(text, LEGEND_EM);
    }
    printf("legend_n = %d\n", n);
}

static void emit_note(const struct layout *l, const struct bars *bars) {
    char note[400] = "";
    if (bars->merged)
        snprintf(note, sizeof note,
                 "%s of %s records are shorter than %g px and closer than that: merged into %s "
                 "bar%s.  ",
                 show_count((long long)bars->merged), show_count((long long)bars->records),
                 bars->merge_px, show_count((long long)bars->merged_into),
                 bars->merged_into == 1 ? "" : "s");
    if (l->folded)
        snprintf(note + strlen(note), sizeof note - strlen(note),
                 "Neighbouring streams share a lane.  ");
    if (l->spans->blocks)
        snprintf(note + strlen(note), sizeof note - strlen(note),
                 "%s block records: see the chart of blocks.",
                 show_count((long long)l->spans->blocks));
    printf("note = ");
    emit_text(note);
    printf("\nrows = %zu; drawn = %zu; merged = %zu\n", bars->records, bars->drawn, bars->merged);
}

static void emit_titles(const char *title, const char *part, const struct spans *spans) {
    char text[400];
    const struct about *about = &spans->about[0];
    if (*title)
        snprintf(text, sizeof text, "%s", title);
    else
        snprintf(text, sizeof text, "%s%s%s, part %s", about->lab, *about->title ? " " : "",
                 about->title, part);
    printf("title = ");
    emit_text(text);
    printf("\nlabel = ");
    emit_text(spans->runs == 1 ? about->label : "comparison");
    printf("\nsimulated = %d\n", about->simulated && spans->runs == 1);
    if (spans->runs == 1)
        spans_summary(spans, 0, text, sizeof text);
    else
        snprintf(text, sizeof text, "one axis of time; each run counts from its own first record");
    printf("summary = ");
    emit_text(text);
    puts("");
}

void timeline_emit(const char *title, const char *part, int runs, char **dirs) {
    static struct spans spans;
    static struct layout layout;
    static struct bars bars;
    spans_read(&spans, part, runs, dirs);
    layout_make(&layout, &spans);
    bars_make(&bars, &layout);
    printf("W = %d; H = %d; panels = %d\n", picture_px(), layout.height, layout.panels);
    static const char *const arrays[] = {"left",   "right", "top",  "bottom", "width",
                                         "height", "title", "axis", "stripes"};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        printf("array P_%s[%d]\n", arrays[i], layout.panels);
    emit_titles(title, part, &spans);
    for (int i = 0; i < layout.panels; i++)
        emit_panel(&layout, i);
    emit_lanes(&layout);
    emit_bars("bars", &bars, layout.panels, false);
    emit_bars("widened", &bars, layout.panels, true);
    emit_names(&bars, layout.panels);
    emit_marks(&bars, layout.panels);
    emit_frames(&layout);
    emit_legend(&bars);
    emit_note(&layout, &bars);
    puts("ready = 1");
}
