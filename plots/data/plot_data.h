/* plot_data.h - turns a run's CSV files into what a gnuplot script draws: which lanes, which bars,
 * which zooms. Plain C with no CUDA, so that charts need a C compiler and gnuplot, nothing else.
 * Everything lives until the program ends: one call prepares one chart. */
#ifndef PLOT_DATA_H
#define PLOT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- messages.c ---- */

/* Prints "plots: <message>" to stderr, makes gnuplot exit with 1 if it reads our stdout, exits. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
extern bool gnuplot_reads;                      /* false for the commands that print for people */
void *need_memory(void *pointer, size_t bytes); /* realloc that fails with a message */

/* ---- csv_file.c ---- */

struct csv_file {
    char path[4096];
    char *text, *next; /* the whole file, and where reading stands */
    int columns;
    char **header;
    long line; /* of the row read last, from 1 */
    char **field;
};

/* Reads dir/name and its header. Fails if it is missing, empty, or has no rows. */
void csv_open(struct csv_file *csv, const char *dir, const char *name);
/* The same, but rows are not asked for: some parts of a lab trace nothing. */
void csv_open_any(struct csv_file *csv, const char *dir, const char *name);
/* The column with this heading, or fails naming the headings there are. */
int csv_column(const struct csv_file *csv, const char *heading);
/* The next row in csv->field, unquoted; false at the end. Fails on a row of another length. */
bool csv_next(struct csv_file *csv);
int64_t csv_integer(const struct csv_file *csv, int column);
double csv_number(const struct csv_file *csv, int column);

/* ---- about.c ---- */

/* What run.csv says of a run, and how its charts must name it. */
struct about {
    const char *dir;
    bool recorded, simulated;
    char lab[64], title[64], device[128], date[32], invalid[256];
    char label[640]; /* "SIMULATED NVIDIA H200", "RECORDED on NVIDIA H200, 2026-11-30" */
};
/* dir may begin with "recorded:"; a folder below one named recorded is a recorded run too. */
void about_read(struct about *about, const char *dir);
enum { MAX_RUNS = 8 };
void abouts_read(struct about *about, int runs, char **dirs); /* each with a label of its own */
void about_emit(int runs, char **dirs);                       /* gnuplot: runs, run_label[], lab */

/* ---- part_words.c ---- */

/* "e, blocking streams" for "e-blocking"; the name itself if no word of it is known. The text
 * stands until the next call. */
const char *part_words(const char *part);

/* ---- spans.c ---- */

enum span_class { /* what a bar's colour says; style.gp has the same list */
                  CLASS_CALL = 1,
                  CLASS_HELD, /* a queueing call that the device held up */
                  CLASS_WAIT, /* a call made to wait: ...Synchronize */
                  CLASS_H2D,
                  CLASS_KERNEL,
                  CLASS_GATE,
                  CLASS_D2H,
                  CLASS_ON_DEVICE, /* d2d and peer */
                  CLASS_MEMSET,
                  CLASS_H2H,
                  CLASSES
};

struct span {
    int64_t start_ns, end_ns; /* since the first record of the part in its own run */
    const char *name;
    uint64_t bytes;
    uint32_t correlation;
    int run, device, stream; /* stream: the SM for a block */
    int lane, row;           /* row: within the lane, where work of one lane overlaps */
    uint8_t class;
    bool queues; /* a host call with device work of its own */
    char kind;   /* first letters differ enough: a k h d D p H m b */
};

struct spans {
    size_t count, blocks; /* blocks: block records, kept apart */
    struct span *at, *block;
    int64_t end_ns; /* the last end of all */
    int runs;
    struct about about[MAX_RUNS];
};

/* Reads one part of each run's timeline.csv. Fails if a run has no such part. */
void spans_read(struct spans *spans, const char *part, int runs, char **dirs);
/* Moves all times so that the first record starts at 0, and sets end_ns. */
void spans_start_at_zero(struct spans *spans);
void spans_list_parts(const char *dir); /* text: part, records, block records */
bool class_on_host(int class);

/* Makespan, overlap and so on of one run, as a line of text. */
void spans_summary(const struct spans *spans, int run, char *text, size_t size);

/* ---- text.c ---- */

double text_width(const char *text, double em_px); /* of DejaVu Sans */
/* The longest form of a name that fits: whole, without arguments, cut; "" if none does. */
const char *name_that_fits(const char *name, double width_px, double em_px);
const char *short_name(const char *name);
/* Puts a newline where each line must end; returns the number of lines. */
int wrap_text(char *text, size_t size, double width_px, double em_px);
const char *show_ns(double ns);      /* "8.33 ms"; one of 16 rotating buffers */
const char *show_count(long long n); /* "12 345" */
void emit_text(const char *text);    /* as a quoted gnuplot string */
void emit_field(const char *text);   /* as a field between tabs */
enum { TERMINAL_COLUMNS = 80 };
void print_wrapped(const char *text); /* for a terminal */

/* ---- head.c ---- */

enum { HEAD_TEXT = 800 };
struct head {
    char title[HEAD_TEXT], label[HEAD_TEXT], summary[HEAD_TEXT];
    bool simulated;
    double summary_px, px; /* how far the summary, and the rest of the picture, move down */
};
void head_wrap(struct head *head, double width_px);
void head_emit(const struct head *head); /* gnuplot: title, label, summary, ... */
/* The same for a chart of results, whose runs stand below each other at the right. */
void head_of_runs(const char *title, const char *summary, int runs, char **dirs);

/* ---- layout.c ---- */

enum { MOST_PX = 4000, MIN_BAR_PX = 3, HEADING_LINE_PX = 17, MAX_LANES = 96, MAX_ZOOMS = 2 };

/* How wide a picture is: 1400 px, or PLOT_WIDTH. A narrower one has larger letters on paper. */
int picture_px(void);

struct lane {
    char label[64];
    int run, device, order, stream; /* what it holds; order: its place within a device */
    int rows;                       /* more than 1 where its work overlaps */
    bool host, heading;
    char text[HEAD_TEXT]; /* of a heading: which run it is, and its figures */
    int lines;
    double height; /* in px, in the panel of the whole */
};

struct panel {
    int64_t from_ns, to_ns;
    double left, right, top, bottom; /* px in the picture, from its top left */
    int lanes, lane[MAX_LANES];
    double lane_top[MAX_LANES], lane_px[MAX_LANES], least_lane_px;
    char title[200];
    int run; /* of a zoom */
};

struct layout {
    struct spans *spans;
    int lanes;
    struct lane lane[MAX_LANES];
    double label_px; /* the widest lane label */
    int panels;
    struct panel panel[1 + MAX_ZOOMS]; /* 0 is the whole; the rest are zooms */
    int height;
    size_t folded; /* streams that share a lane because there are too many */
};

void layout_make(struct layout *layout, struct spans *spans);
void layout_move_down(struct layout *layout, double px);
double panel_ns_per_px(const struct panel *panel); /* axis.c */

/* ---- zoom.c ---- */
void zooms_choose(struct layout *layout);

/* ---- bars.c ---- */

struct bar {
    int panel, class, merged; /* merged: records in it; 1 for an ordinary bar */
    double x0, x1, y0, y1;    /* px within the panel's plotting area */
    bool widened;
    const char *name;
    int64_t ns;
};
struct bars {
    size_t count, room;
    struct bar *at;
    size_t records, drawn, merged, merged_into; /* of the whole picture's panel */
    double merge_px;
};
extern size_t bars_limit; /* more bars than this are merged further */
void bars_make(struct bars *bars, const struct layout *layout);
/* Returns how far the panels move down for the second row of the legend (head.c). */
double legend_emit(const struct bars *bars, double width_px);

/* ---- names.c ---- */

#define NAME_EM 12 /* 9 pt at 96 dpi */
/* What stands in a bar: its name and time, or what of them it has room for; "" if nothing. */
const char *bar_text(const struct bar *bar);
/* The line at the picture's foot: names that no bar has room for, and what was merged. Returns how
 * much taller it makes the picture, in px. */
double note_emit(const struct layout *layout, const struct bars *bars);

/* ---- the commands: timeline.c, blocks.c, series.c, file.c ---- */
void timeline_emit(const char *title, const char *part, int runs, char **dirs);
void timeline_text(const char *title, const char *part, int runs, char **dirs);
void blocks_emit(const char *title, const char *part, const char *dir);

struct point {        /* a row of results.csv */
    const char *name; /* without the value */
    int run;
    long order; /* of first appearance, so that series keep the lab's order */
    double x, median, min, max, cov;
    double partner; /* the median of the row that has `partner` for this one's first word */
    const char *part, *unit, *n;
};
extern bool series_of_rows; /* each row is a series of its own, whatever its name ends with */
/* The rows of all runs whose part and name fit, in the order of their series. */
int results_read(struct point **points, const char *part, const char *pattern, const char *partner,
                 int runs, char **dirs);
/* For a terminal with no pictures: results that fit each of part, pattern and partner in turn. */
void results_text(const char *title, const char *summary, int fits, char **fit, int runs,
                  char **dirs);
void series_emit(const char *name, const char *part, const char *pattern, const char *partner,
                 int runs, char **dirs);
void file_begin(const char *out);
int file_finish(const char *temporary, const char *out);

/* An axis of time, px wide: gnuplot's commands that set its ticks (at px) and its label. */
struct axis {
    char text[2048];
};
void axis_make(struct axis *axis, int64_t from_ns, int64_t to_ns, double px);

#endif
