/* Decides the lanes of a timeline, from top to bottom, and where its panels lie in the picture. */
#include "plot_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_HEADING, ORDER_HOST, ORDER_H2D, ORDER_STREAM, ORDER_D2H, ORDER_ON_DEVICE, ORDER_H2H };
enum { TOP_PX = 92, AXIS_PX = 52, ZOOM_TITLE_PX = 30, FOOT_PX = 20, MAX_ROWS = 32 };
static const double LABEL_EM = 14.67, HEADING_EM = 13.33; /* 11 and 10 pt at 96 dpi */

struct key {
    int run, device, order, stream;
};

static struct key key_of(const struct span *span) {
    struct key key = {span->run, span->device, ORDER_STREAM, span->stream};
    if (class_on_host(span->class))
        return (struct key){span->run, -1, ORDER_HOST, 0};
    if (span->class == CLASS_H2D || span->class == CLASS_D2H || span->class == CLASS_ON_DEVICE ||
        span->class == CLASS_H2H) {
        key.order = span->class == CLASS_H2D   ? ORDER_H2D
                    : span->class == CLASS_D2H ? ORDER_D2H
                    : span->class == CLASS_H2H ? ORDER_H2H
                                               : ORDER_ON_DEVICE;
        key.stream = span->kind == 'p'; /* peer copies apart from copies inside the device */
    }
    return key;
}

static int by_key(const void *left, const void *right) {
    const struct key *a = (const struct key *)left, *b = (const struct key *)right;
    int difference[] = {a->run - b->run, a->device - b->device, a->order - b->order,
                        a->stream - b->stream};
    for (int i = 0; i < 4; i++)
        if (difference[i])
            return difference[i];
    return 0;
}

static int find_key(const struct key *at, int count, const struct key *key) {
    static int last;
    if (last < count && by_key(&at[last], key) == 0)
        return last;
    for (int i = 0; i < count; i++)
        if (by_key(&at[i], key) == 0)
            return last = i;
    return -1;
}

static int collect_keys(const struct spans *spans, struct key **keys) {
    int count = 0;
    for (int run = 0; run < spans->runs && spans->runs > 1; run++) {
        *keys = (struct key *)need_memory(*keys, sizeof **keys * (count + 1));
        (*keys)[count++] = (struct key){run, -2, ORDER_HEADING, 0};
    }
    for (size_t i = 0; i < spans->count; i++) {
        struct key key = key_of(&spans->at[i]);
        if (find_key(*keys, count, &key) >= 0)
            continue;
        *keys = (struct key *)need_memory(*keys, sizeof **keys * (count + 1));
        (*keys)[count++] = key;
    }
    qsort(*keys, count, sizeof **keys, by_key);
    return count;
}

static bool several_devices(const struct key *keys, int count) {
    int device = -1;
    for (int i = 0; i < count; i++) {
        if (keys[i].device < 0)
            continue;
        if (device >= 0 && keys[i].device != device)
            return true;
        device = keys[i].device;
    }
    return false;
}

static void name_lane(struct layout *l, struct lane *lane, int last_stream, bool several) {
    static const char *const word[] = {"",         "host thread", "copy H→D", "",
                                       "copy D→H", "copy D→D",    "copy H→H"};
    char gpu[24] = "";
    if (several && lane->device >= 0)
        snprintf(gpu, sizeof gpu, "GPU %d ", lane->device);
    if (lane->order == ORDER_STREAM && last_stream != lane->stream)
        snprintf(lane->label, sizeof lane->label, "%sstreams %d-%d", gpu, lane->stream,
                 last_stream);
    else if (lane->order == ORDER_STREAM)
        snprintf(lane->label, sizeof lane->label, "%sstream %d", gpu, lane->stream);
    else if (lane->order == ORDER_ON_DEVICE && lane->stream)
        snprintf(lane->label, sizeof lane->label, "%speer copy", gpu);
    else
        snprintf(lane->label, sizeof lane->label, "%s%s", gpu, word[lane->order]);
    lane->host = lane->order == ORDER_HOST;
    lane->heading = lane->order == ORDER_HEADING;
    double width = text_width(lane->label, LABEL_EM);
    l->label_px = width > l->label_px ? width : l->label_px;
}

/* Makes lanes of the keys; where there are too many, neighbouring streams share one. */
static int *make_lanes(struct layout *l, const struct key *keys, int count) {
    int *lane_of = (int *)need_memory(NULL, sizeof *lane_of * (count + 1));
    int streams = 0;
    for (int i = 0; i < count; i++)
        streams += keys[i].order == ORDER_STREAM;
    int room = MAX_LANES - (count - streams);
    int share = streams > room && room > 0 ? (streams + room - 1) / room : 1, shared = 0;
    bool several = several_devices(keys, count);
    for (int i = 0; i < count; i++) {
        struct lane *before = l->lanes ? &l->lane[l->lanes - 1] : NULL;
        bool joins = before && keys[i].order == ORDER_STREAM && before->order == ORDER_STREAM &&
                     before->device == keys[i].device && before->run == keys[i].run &&
                     shared < share;
        if (!joins) {
            if (l->lanes == MAX_LANES)
                fail("more than %d lanes: too many devices for one chart", MAX_LANES);
            struct lane *lane = &l->lane[l->lanes++];
            lane->run = keys[i].run;
            lane->device = keys[i].device;
            lane->order = keys[i].order;
            lane->stream = keys[i].stream;
            lane->rows = 1;
            shared = 0;
        }
        shared++;
        l->folded += joins;
        lane_of[i] = l->lanes - 1;
        name_lane(l, &l->lane[l->lanes - 1], keys[i].stream, several);
    }
    return lane_of;
}

static int by_lane_and_start(const void *left, const void *right) {
    const struct span *a = (const struct span *)left, *b = (const struct span *)right;
    if (a->lane != b->lane)
        return a->lane - b->lane;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns); /* the longer one first */
}

/* Work that overlaps within a lane (nodes of a graph, calls of two threads) goes into rows. */
static void make_rows(struct layout *l) {
    int64_t row_end[MAX_ROWS];
    int lane = -1, rows = 0;
    for (size_t i = 0; i < l->spans->count; i++) {
        struct span *span = &l->spans->at[i];
        if (span->lane != lane)
            rows = 0;
        lane = span->lane;
        int row = 0;
        while (row < rows && row_end[row] > span->start_ns)
            row++;
        if (row == MAX_ROWS)
            row = MAX_ROWS - 1;
        if (row == rows)
            row_end[rows++] = INT64_MIN;
        row_end[row] = span->end_ns > row_end[row] ? span->end_ns : row_end[row];
        span->row = row;
        if (rows > l->lane[lane].rows)
            l->lane[lane].rows = rows;
    }
}

/* Above the lanes of each of several runs; below its words is room for the letters of zooms. */
static void make_heading(struct layout *l, struct lane *lane) {
    char summary[400];
    spans_summary(l->spans, lane->run, summary, sizeof summary);
    snprintf(lane->text, sizeof lane->text, "%s:  %s", l->spans->about[lane->run].label, summary);
    lane->lines = wrap_text(lane->text, sizeof lane->text,
                            picture_px() - l->label_px - 18 - 22 - 12, HEADING_EM);
    lane->height = 20 + HEADING_LINE_PX * lane->lines;
}

static void set_lane_heights(struct layout *l) {
    double units = 0;
    for (int i = 0; i < l->lanes; i++)
        units += l->lane[i].heading ? 0.6 : l->lane[i].rows == 1 ? 1 : 0.6 * l->lane[i].rows;
    double unit = fmax(14, fmin(50, 320 / units));
    for (int i = 0; i < l->lanes; i++) {
        struct lane *lane = &l->lane[i];
        lane->height = lane->rows == 1 ? unit : unit * 0.6 * lane->rows;
        if (lane->heading)
            make_heading(l, lane);
    }
}

static void place_lanes(const struct layout *l, struct panel *panel) {
    double y = 0;
    for (int i = 0; i < panel->lanes; i++) {
        panel->lane_top[i] = y;
        panel->lane_px[i] = fmax(l->lane[panel->lane[i]].height, panel->least_lane_px);
        y += panel->lane_px[i];
    }
    panel->bottom = panel->top + y;
}

int picture_px(void) {
    const char *asked = getenv("PLOT_WIDTH");
    int px = asked ? atoi(asked) : 0;
    return px >= 600 && px <= MOST_PX ? px : 1400;
}

static void make_main_panel(struct layout *l) {
    struct panel *all = &l->panel[0];
    all->from_ns = 0;
    all->to_ns = l->spans->end_ns + l->spans->end_ns / 80 + 1;
    all->left = l->label_px + 18;
    all->right = picture_px() - 22;
    all->top = TOP_PX;
    all->lanes = l->lanes;
    for (int i = 0; i < l->lanes; i++)
        all->lane[i] = i;
    place_lanes(l, all);
    l->panels = 1;
}

static void place_zooms(struct layout *l) {
    double top = l->panel[0].bottom + AXIS_PX + ZOOM_TITLE_PX, bottom = l->panel[0].bottom;
    double gap = l->label_px + 40;
    double width = (l->panel[0].right - l->panel[0].left - (l->panels == 3 ? gap : 0)) /
                   (l->panels == 3 ? 2 : 1);
    for (int i = 1; i < l->panels; i++) {
        struct panel *zoom = &l->panel[i];
        zoom->left = l->panel[0].left + (i - 1) * (width + gap);
        zoom->right = zoom->left + width;
        zoom->top = top;
        place_lanes(l, zoom);
        bottom = zoom->bottom > bottom ? zoom->bottom : bottom;
    }
    l->height = (int)(bottom + AXIS_PX + FOOT_PX);
}

void layout_move_down(struct layout *l, double px) {
    for (int i = 0; i < l->panels; i++) {
        l->panel[i].top += px;
        l->panel[i].bottom += px;
    }
    l->height += (int)px;
}

void layout_make(struct layout *l, struct spans *spans) {
    struct key *keys = NULL;
    memset(l, 0, sizeof *l);
    l->spans = spans;
    if (spans->count == 0)
        fail("this part has block records only: draw it with plots/blocks.gp");
    int count = collect_keys(spans, &keys);
    int *lane_of = make_lanes(l, keys, count);
    for (size_t i = 0; i < spans->count; i++) {
        struct key key = key_of(&spans->at[i]);
        spans->at[i].lane = lane_of[find_key(keys, count, &key)];
    }
    qsort(spans->at, spans->count, sizeof *spans->at, by_lane_and_start);
    make_rows(l);
    set_lane_heights(l);
    make_main_panel(l);
    zooms_choose(l);
    place_zooms(l);
}
