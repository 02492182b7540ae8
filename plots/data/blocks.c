/* Where and when each block ran: a row for each place on each SM, a bar for each block, and above
 * them how many blocks were at work. Positions are px from the top left of the bars' area. */
#include "plot_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT_PX = 86,
    RIGHT_PX = 22,
    USE_TOP_PX = 92,
    USE_PX = 80,
    ROWS_PX = 660,
    MAX_PLACES = 64,
    MAX_KERNELS = 8
};

struct blocks {
    struct span *at;
    size_t count;
    double ns_per_px, row_px;
    int sms, places; /* places: the most blocks that were on one SM at once */
    int most;        /* on the device at once */
    int kernels, blocks_of[MAX_KERNELS];
    const char *kernel[MAX_KERNELS];
    size_t bars, merged;
};

static int width_px(void) {
    return picture_px() - LEFT_PX - RIGHT_PX;
}

static int by_sm(const void *left, const void *right) {
    const struct span *a = (const struct span *)left, *b = (const struct span *)right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* A block takes the first place of its SM that is free: lane is the SM in order, row the place. */
static void find_places(struct blocks *b) {
    int64_t free_at[MAX_PLACES];
    int used = 0;
    qsort(b->at, b->count, sizeof *b->at, by_sm);
    for (size_t i = 0; i < b->count; i++) {
        struct span *span = &b->at[i];
        if (i == 0 || span->stream != span[-1].stream || span->device != span[-1].device) {
            b->sms++;
            used = 0;
        }
        int place = 0;
        while (place < used && free_at[place] > span->start_ns)
            place++;
        if (place == MAX_PLACES)
            fail("more than %d blocks at once on SM %d: are these records of blocks?", MAX_PLACES,
                 span->stream);
        used += place == used;
        free_at[place] = span->end_ns;
        b->places = used > b->places ? used : b->places;
        span->lane = b->sms - 1;
        span->row = place;
    }
}

static int by_place(const void *left, const void *right) {
    const struct span *a = (const struct span *)left, *b = (const struct span *)right;
    if (a->lane != b->lane)
        return a->lane - b->lane;
    if (a->row != b->row)
        return a->row - b->row;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Kernels in the order they started get the colours in order; past the last, the last. */
static void find_kernels(struct blocks *b) {
    int64_t first[MAX_KERNELS] = {0};
    for (size_t i = 0; i < b->count; i++) {
        int k = 0;
        while (k < b->kernels && strcmp(b->kernel[k], b->at[i].name) != 0)
            k++;
        k = k == MAX_KERNELS ? MAX_KERNELS - 1 : k;
        if (k == b->kernels) {
            b->kernel[b->kernels++] = b->at[i].name;
            first[k] = b->at[i].start_ns;
        }
        b->blocks_of[k]++;
        first[k] = b->at[i].start_ns < first[k] ? b->at[i].start_ns : first[k];
    }
    for (int i = 0; i < b->kernels; i++)
        for (int j = i + 1; j < b->kernels; j++)
            if (first[j] < first[i]) {
                const char *name = b->kernel[i];
                int64_t start = first[i];
                int n = b->blocks_of[i];
                b->kernel[i] = b->kernel[j], b->kernel[j] = name;
                first[i] = first[j], first[j] = start;
                b->blocks_of[i] = b->blocks_of[j], b->blocks_of[j] = n;
            }
}

static int kernel_of(const struct blocks *b, const struct span *span) {
    for (int k = 0; k < b->kernels; k++)
        if (strcmp(b->kernel[k], span->name) == 0)
            return k;
    return b->kernels - 1;
}

/* The share of each px of time that blocks were at work, summed over blocks. */
static void emit_use(struct blocks *b, double *busy_ns) {
    static double use[MOST_PX];
    for (size_t i = 0; i < b->count; i++) {
        double x0 = (double)b->at[i].start_ns / b->ns_per_px;
        double x1 = (double)b->at[i].end_ns / b->ns_per_px;
        *busy_ns += (double)(b->at[i].end_ns - b->at[i].start_ns);
        for (int x = (int)x0; x < width_px() && x < x1; x++)
            use[x] += fmin(x1, x + 1) - fmax(x0, x);
    }
    double most = 0;
    puts("$use << EOD");
    for (int x = 0; x < width_px(); x++) {
        printf("%d\t%.3f\n", x, use[x]);
        most = fmax(most, use[x]);
    }
    puts("EOD");
    b->most = (int)ceil(most - 0.01);
}

static void emit_bars(struct blocks *b) {
    puts("$blocks << EOD");
    for (size_t i = 0, next; i < b->count; i = next) {
        const struct span *s = &b->at[i];
        double x0 = (double)s->start_ns / b->ns_per_px, x1 = (double)s->end_ns / b->ns_per_px;
        int kernel = kernel_of(b, s);
        for (next = i + 1; next < b->count && x1 - x0 < 1; next++) {
            const struct span *n = &b->at[next];
            double end = (double)n->end_ns / b->ns_per_px;
            if (n->lane != s->lane || n->row != s->row || kernel_of(b, n) != kernel || end - x0 > 1)
                break;
            x1 = end;
        }
        double y = b->row_px * (s->lane * b->places + s->row);
        b->bars++;
        b->merged += next - i > 1 ? next - i : 0;
        printf("%.2f\t%.2f\t%.3f\t%.3f\t%d\n", x0, fmax(x1, x0 + 1), y, y + b->row_px, kernel + 1);
    }
    puts("EOD");
}

static void emit_sm_ticks(const struct blocks *b) {
    int step = (int)ceil(20 / (b->row_px * b->places));
    int round[] = {1, 2, 5, 10, 20, 50, 100, 200}, r = 0;
    while (r < 7 && round[r] < step)
        r++;
    printf("sm_ticks = \"set ytics (");
    int lane = -1, written = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->at[i].lane == lane)
            continue;
        lane = b->at[i].lane;
        if (b->at[i].stream % round[r] == 0)
            printf("%s'%d' %.2f", written++ ? ", " : "", b->at[i].stream,
                   b->row_px * b->places * (lane + 0.5));
    }
    puts(")\"");
}

static void head_make(struct head *head, const char *title, const char *part,
                      const struct blocks *b, const struct spans *spans, double busy_ns) {
    const struct about *about = &spans->about[0];
    double places = (double)b->sms * b->places;
    memset(head, 0, sizeof *head);
    if (*title)
        snprintf(head->title, sizeof head->title, "%s", title);
    else
        snprintf(head->title, sizeof head->title, "%s %s, part %s: blocks on SMs", about->lab,
                 about->title, part_words(part));
    snprintf(head->label, sizeof head->label, "%s", about->label);
    snprintf(
        head->summary, sizeof head->summary,
        "makespan %s  ·  %s blocks on %d SMs, %d on an SM at once  ·  places in use %.0f %% of "
        "the time",
        show_ns((double)spans->end_ns), show_count((long long)b->count), b->sms, b->places,
        100 * busy_ns / (places * (double)spans->end_ns));
    head->simulated = about->simulated;
}

static void emit_words(const struct blocks *b) {
    char text[400];
    printf("array kernel_word[%d]; array kernel_x[%d]\n", b->kernels, b->kernels);
    double x = 0;
    for (int k = 0; k < b->kernels; k++) {
        snprintf(text, sizeof text, "%.60s: %s blocks", short_name(b->kernel[k]),
                 show_count(b->blocks_of[k]));
        printf("kernel_x[%d] = %.1f; kernel_word[%d] = ", k + 1, x, k + 1);
        emit_text(text);
        puts("");
        x += 44 + text_width(text, 13.33);
    }
    *text = '\0';
    if (b->merged)
        snprintf(text, sizeof text, "%s blocks shorter than 1 px are merged.",
                 show_count((long long)b->merged));
    printf("kernels = %d; note = ", b->kernels);
    emit_text(text);
    printf("\nrows = %zu; drawn = %zu; merged = %zu\n", b->count, b->count - b->merged, b->merged);
}

void blocks_emit(const char *title, const char *part, const char *dir) {
    static struct spans spans;
    static struct blocks b;
    static struct head head;
    char **dirs = (char *[]){(char *)(size_t)dir};
    spans_read(&spans, part, 1, dirs);
    if (spans.blocks == 0)
        fail("%s: part '%s' has no records of blocks", spans.about[0].dir, part);
    b.at = spans.block;
    b.count = spans.blocks;
    spans.count = 0; /* only blocks are drawn, so time begins and ends with them */
    spans_start_at_zero(&spans);
    b.ns_per_px = (double)spans.end_ns * 1.01 / width_px();
    find_places(&b);
    qsort(b.at, b.count, sizeof *b.at, by_place);
    find_kernels(&b);
    b.row_px = fmin(14, (double)ROWS_PX * picture_px() / 1400 / (b.sms * b.places));
    double rows_px = b.row_px * b.sms * b.places, busy_ns = 0;
    struct axis axis;
    axis_make(&axis, 0, (int64_t)((double)spans.end_ns * 1.01), width_px());
    emit_use(&b, &busy_ns);
    head_make(&head, title, part, &b, &spans, busy_ns);
    head_wrap(&head, width_px());
    head_emit(&head);
    int use_top_px = USE_TOP_PX + (int)head.px;
    printf("W = %d; H = %d; width = %d; rows_px = %.2f; row_px = %.3f\n", picture_px(),
           (int)(use_top_px + USE_PX + 20 + rows_px + 70), width_px(), rows_px, b.row_px);
    printf("left = %d; use_top = %d; use_px = %d\naxis = ", LEFT_PX, use_top_px, USE_PX);
    emit_text(axis.text);
    puts("");
    emit_bars(&b);
    emit_sm_ticks(&b);
    emit_words(&b);
    printf("most = %d; places = %d\nready = 1\n", b.most, b.sms * b.places);
}
