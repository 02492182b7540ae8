/* Writes a timeline as gnuplot reads it: the picture's size, its panels, and a data block each for
 * bars, names, marks and stripes. All positions are px from a panel's top left. */
#include "plot_data.h"

#include <math.h>
#include <string.h>

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
            printf("%d\t%.2f\t%s\n", i + 1, middle, room ? lane->label : "");
        }
    }
    end_block("lanes", l->panels);
}

static void emit_headings(const struct layout *l) {
    const struct panel *all = &l->panel[0];
    begin_block("headings");
    for (int j = 0; j < all->lanes; j++) {
        const struct lane *lane = &l->lane[all->lane[j]];
        const char *line = lane->text; /* empty for other lanes */
        for (int i = 0; *line; i++) {
            char text[HEAD_TEXT];
            size_t length = strcspn(line, "\n");
            snprintf(text, sizeof text, "%.*s", (int)length, line);
            printf("1\t%.2f\t%d\t", all->lane_top[j] + 13 + HEADING_LINE_PX * i,
                   l->spans->about[lane->run].simulated);
            emit_field(text);
            puts("");
            line += length + (line[length] == '\n');
            rows_of[0]++;
        }
    }
    end_block("headings", l->panels);
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

/* Where a zoom lies in the panel of the whole, from the first lane of its run down. */
static struct bar frame_of(const struct layout *l, const struct panel *zoom) {
    const struct panel *all = &l->panel[0];
    double per_px = panel_ns_per_px(all);
    int first = 0, last = zoom->lane[zoom->lanes - 1];
    while (l->lane[first].heading || l->lane[first].run != zoom->run)
        first++;
    struct bar frame = {.x0 = (double)zoom->from_ns / per_px, .x1 = (double)zoom->to_ns / per_px};
    if (frame.x1 - frame.x0 < 6) { /* seen, not exact */
        frame.x0 -= 3;
        frame.x1 += 3;
    }
    frame.x0 = fmax(frame.x0, 0);
    frame.y0 = all->lane_top[first] + 1;
    frame.y1 = all->lane_top[last] + all->lane_px[last] - 1;
    return frame;
}

/* The middle of the bar, or of what a frame leaves of it, so that no frame crosses the name. */
static double name_place(const struct layout *l, const struct bar *b, double width) {
    double x0 = b->x0, x1 = b->x1, room = width + 12;
    for (int i = 1; i < l->panels && b->panel == 0; i++) {
        struct bar frame = frame_of(l, &l->panel[i]);
        double middle = (x0 + x1) / 2;
        if (frame.y1 < b->y0 || frame.y0 > b->y1 || frame.x1 < middle - room / 2 ||
            frame.x0 > middle + room / 2)
            continue;
        if (frame.x0 - x0 >= fmax(room, x1 - frame.x1))
            x1 = frame.x0;
        else if (x1 - frame.x1 >= room)
            x0 = frame.x1;
    }
    return (x0 + x1) / 2;
}

static void emit_names(const struct layout *l, const struct bars *bars) {
    begin_block("names");
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *b = &bars->at[i];
        const char *text = bar_text(b);
        if (!*text)
            continue;
        printf("%d\t%.2f\t%.2f\t%d\t", b->panel + 1, name_place(l, b, text_width(text, NAME_EM)),
               (b->y0 + b->y1) / 2, b->class);
        emit_field(text);
        puts("");
        rows_of[b->panel]++;
    }
    end_block("names", l->panels);
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

/* A zoom's letter stands above its frame, where no bar is; letters stay apart. */
static void emit_frames(const struct layout *l) {
    struct bar frame[1 + MAX_ZOOMS];
    double x[1 + MAX_ZOOMS];
    begin_block("frames");
    for (int i = 1; i < l->panels; i++) {
        frame[i] = frame_of(l, &l->panel[i]);
        x[i] = fmax((frame[i].x0 + frame[i].x1) / 2, 5);
        if (i > 1 && frame[i].y0 == frame[i - 1].y0 && fabs(x[i] - x[i - 1]) < 14)
            x[i] = x[i - 1] + (x[i] < x[i - 1] && x[i - 1] > 19 ? -14 : 14);
        printf("1\t%.2f\t%.2f\t%.2f\t%.2f\n", frame[i].x0, frame[i].x1, frame[i].y0, frame[i].y1);
        rows_of[0]++;
    }
    end_block("frames", l->panels);
    printf("array letter_x[%d]; array letter_y[%d]\n", 1 + MAX_ZOOMS, 1 + MAX_ZOOMS);
    for (int i = 1; i < l->panels; i++)
        printf("letter_x[%d] = %.2f; letter_y[%d] = %.2f\n", i, x[i], i, frame[i].y0 - 8);
}

static void head_make(struct head *head, const char *title, const char *part,
                      const struct spans *spans) {
    const struct about *about = &spans->about[0];
    bool one = spans->runs == 1;
    memset(head, 0, sizeof *head);
    if (*title)
        snprintf(head->title, sizeof head->title, "%s", title);
    else
        snprintf(head->title, sizeof head->title, "%s%s%s, part %s", about->lab,
                 *about->title ? " " : "", about->title, part_words(part));
    snprintf(head->label, sizeof head->label, "%s", one ? about->label : "comparison");
    snprintf(head->summary, sizeof head->summary,
             "one axis of time; each run counts from its own first record");
    if (one)
        spans_summary(spans, 0, head->summary, sizeof head->summary);
    head->simulated = about->simulated && one;
}

void timeline_emit(const char *title, const char *part, int runs, char **dirs) {
    static struct spans spans;
    static struct layout layout;
    static struct bars bars;
    static struct head head;
    spans_read(&spans, part, runs, dirs);
    layout_make(&layout, &spans);
    bars_make(&bars, &layout);
    double width_px = layout.panel[0].right - layout.panel[0].left;
    head_make(&head, title, part, &spans);
    head_wrap(&head, width_px);
    head_emit(&head);
    layout_move_down(&layout, head.px + legend_emit(&bars, width_px));
    layout.height += (int)note_emit(&layout, &bars);
    printf("W = %d; H = %d; panels = %d\n", picture_px(), layout.height, layout.panels);
    static const char *const arrays[] = {"left",   "right", "top",  "bottom", "width",
                                         "height", "title", "axis", "stripes"};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        printf("array P_%s[%d]\n", arrays[i], layout.panels);
    for (int i = 0; i < layout.panels; i++)
        emit_panel(&layout, i);
    emit_lanes(&layout);
    emit_headings(&layout);
    emit_bars("bars", &bars, layout.panels, false);
    emit_bars("widened", &bars, layout.panels, true);
    emit_names(&layout, &bars);
    emit_marks(&bars, layout.panels);
    emit_frames(&layout);
    printf("rows = %zu; drawn = %zu; merged = %zu\n", bars.records, bars.drawn, bars.merged);
    puts("ready = 1");
}
