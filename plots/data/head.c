/* The words above a chart: title at the left, which run at the right, what was computed below
 * them, and a timeline's legend. What is too long for the picture goes on in another line. */
#include "plot_data.h"

#include <math.h>
#include <string.h>

static const double TITLE_EM = 18.67, LABEL_EM = 13.33; /* 14 and 10 pt at 96 dpi */
enum { TITLE_LINE_PX = 24, LINE_PX = 18, LEGEND_LINE_PX = 20, SIDE_PX = 22, SWATCH_PX = 22 };

static double widest_line(const char *text) {
    double widest = 0;
    char line[HEAD_TEXT];
    while (*text) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        widest = fmax(widest, text_width(line, LABEL_EM));
        text += length + (text[length] == '\n');
    }
    return widest;
}

void head_wrap(struct head *head, double width_px) {
    int labels = wrap_text(head->label, sizeof head->label, width_px / 2, LABEL_EM);
    double room = width_px - widest_line(head->label) - 2 * TITLE_EM;
    int titles = wrap_text(head->title, sizeof head->title, room, TITLE_EM);
    head->summary_px = fmax(TITLE_LINE_PX * (titles - 1), LINE_PX * (labels - 1));
    int lines = wrap_text(head->summary, sizeof head->summary, width_px, LABEL_EM);
    head->px = head->summary_px + LINE_PX * (lines - 1);
}

void head_emit(const struct head *head) {
    printf("title = ");
    emit_text(head->title);
    printf("\nlabel = ");
    emit_text(head->label);
    printf("\nsummary = ");
    emit_text(head->summary);
    printf("\nsimulated = %d; summary_px = %g; head_px = %g\n", head->simulated, head->summary_px,
           head->px);
}

void head_of_runs(const char *title, const char *summary, int runs, char **dirs) {
    static struct about about[MAX_RUNS];
    static struct head head;
    double width_px = picture_px() - 2 * SIDE_PX, lines_px = 0, widest = 0;
    abouts_read(about, runs, dirs);
    printf("array run_text[%d]; array run_px[%d]; array run_y[%d]; array run_simulated[%d]\n", runs,
           runs, runs, runs);
    for (int i = 0; i < runs; i++) {
        char text[HEAD_TEXT];
        snprintf(text, sizeof text, "%s", about[i].label);
        if (runs > 1)
            snprintf(text, sizeof text, "run %d: %s", i + 1, about[i].label);
        int lines = wrap_text(text, sizeof text, 0.4 * width_px, LABEL_EM);
        printf("run_y[%d] = %.1f; run_px[%d] = %.1f; run_simulated[%d] = %d; run_text[%d] = ",
               i + 1, 20 + lines_px, i + 1, widest_line(text), i + 1, about[i].simulated, i + 1);
        emit_text(text);
        puts("");
        widest = fmax(widest, widest_line(text));
        lines_px += LINE_PX * lines;
    }
    snprintf(head.title, sizeof head.title, "%s", title);
    snprintf(head.summary, sizeof head.summary, "%s", summary);
    int titles = wrap_text(head.title, sizeof head.title, width_px - widest - 50, TITLE_EM);
    int summaries = wrap_text(head.summary, sizeof head.summary, width_px, LABEL_EM);
    head.summary_px = fmax(TITLE_LINE_PX * (titles - 1), lines_px - LINE_PX);
    head.px = head.summary_px + LINE_PX * (summaries - 1);
    head_emit(&head);
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
                                                 "copy H→H"};

double legend_emit(const struct bars *bars, double width_px) {
    bool has[CLASSES] = {false}; /* has[0]: a widened bar */
    int n = 0;
    double x = 0, y = 0;
    for (size_t i = 0; i < bars->count; i++) {
        has[bars->at[i].class] = true;
        has[0] |= bars->at[i].widened;
    }
    static const char *const arrays[] = {"class", "x", "y", "word"};
    for (int i = 0; i < 4; i++)
        printf("array legend_%s[%d]\n", arrays[i], CLASSES);
    for (int i = 1; i <= CLASSES; i++) {
        int class = i % CLASSES; /* the mark for widened bars comes last */
        const char *text = class ? class_words[class] : "under 3 px, drawn wider";
        if (!has[class])
            continue;
        double width = SWATCH_PX + text_width(text, LABEL_EM);
        if (x + width > width_px) {
            x = 0;
            y += LEGEND_LINE_PX;
        }
        n++;
        printf("legend_class[%d] = %d; legend_x[%d] = %.1f; legend_y[%d] = %.1f; "
               "legend_word[%d] = '%s'\n",
               n, class, n, x, n, y, n, text);
        x += width + SIDE_PX;
    }
    printf("legend_n = %d\n", n);
    return y;
}
