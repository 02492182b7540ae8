/* Turns spans into bars of a panel. What would be under a pixel is merged with its neighbours,
 * and what would be too thin to see is widened; both are counted and marked. */
#include "plot_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAD_PX = 4 };
size_t bars_limit = 20000;

struct maker {
    struct bars *bars;
    const struct panel *panel;
    int index;
    double width;
    int lane;
    struct bar open[64]; /* one for each row of the lane: the bar that may still grow */
    bool is_open[64];
};

static void put(struct maker *m, int row, double next_x0) {
    struct bars *bars = m->bars;
    struct bar bar = m->open[row];
    m->is_open[row] = false;
    if (bar.x1 - bar.x0 < MIN_BAR_PX) {
        bar.widened = true;
        bar.x1 = fmax(bar.x1, fmin(bar.x0 + MIN_BAR_PX, fmax(next_x0, bar.x0 + 1)));
        if (bar.x1 > m->width) {
            bar.x0 -= bar.x1 - m->width;
            bar.x1 = m->width;
        }
    }
    if (bars->count == bars->room) {
        bars->room = bars->room ? 2 * bars->room : 1024;
        bars->at = (struct bar *)need_memory(bars->at, bars->room * sizeof *bars->at);
    }
    bars->at[bars->count++] = bar;
    if (m->index == 0) {
        bars->drawn += bar.merged == 1;
        bars->merged += bar.merged > 1 ? (size_t)bar.merged : 0;
        bars->merged_into += bar.merged > 1;
    }
}

static void put_all(struct maker *m) {
    for (int row = 0; row < 64; row++)
        if (m->is_open[row])
            put(m, row, m->width + MIN_BAR_PX);
}

static struct bar bar_of(const struct maker *m, const struct span *span, int rows) {
    double per_px = panel_ns_per_px(m->panel);
    double height = (m->panel->lane_px[m->lane] - 2 * PAD_PX) / rows;
    struct bar bar = {.panel = m->index, .class = span->class, .merged = 1, .name = span->name};
    bar.x0 = fmax(0, (double)(span->start_ns - m->panel->from_ns) / per_px);
    bar.x1 = fmin(m->width, (double)(span->end_ns - m->panel->from_ns) / per_px);
    bar.y0 = m->panel->lane_top[m->lane] + PAD_PX + height * span->row;
    bar.y1 = bar.y0 + height - (rows > 1 ? fmin(2, height / 4) : 0);
    bar.ns = span->end_ns - span->start_ns;
    return bar;
}

static void add_span(struct maker *m, const struct span *span, int rows) {
    if (span->start_ns >= m->panel->to_ns || span->end_ns < m->panel->from_ns)
        return;
    struct bar bar = bar_of(m, span, rows), *open = &m->open[span->row];
    double limit = m->bars->merge_px;
    if (m->is_open[span->row]) {
        double gap = bar.x0 - open->x1;
        bool open_small = open->merged > 1 || open->x1 - open->x0 < limit;
        if (open->class == bar.class && open_small && bar.x1 - bar.x0 < limit && gap < limit) {
            open->x1 = fmax(open->x1, bar.x1);
            open->merged++;
            open->ns += bar.ns;
            return;
        }
        put(m, span->row, bar.x1 - bar.x0 < MIN_BAR_PX ? bar.x0 : m->width);
    }
    *open = bar;
    m->is_open[span->row] = true;
}

static void make_panel(struct bars *bars, const struct layout *l, int index) {
    struct maker m = {.bars = bars, .panel = &l->panel[index], .index = index};
    int place[MAX_LANES];
    for (int i = 0; i < MAX_LANES; i++)
        place[i] = -1;
    for (int i = 0; i < m.panel->lanes; i++)
        place[m.panel->lane[i]] = i;
    m.width = m.panel->right - m.panel->left;
    m.lane = -1;
    for (size_t i = 0; i < l->spans->count; i++) { /* sorted by lane, then start */
        const struct span *span = &l->spans->at[i];
        if (place[span->lane] < 0)
            continue;
        if (place[span->lane] != m.lane)
            put_all(&m);
        m.lane = place[span->lane];
        add_span(&m, span, l->lane[span->lane].rows);
    }
    put_all(&m);
}

void bars_make(struct bars *bars, const struct layout *l) {
    memset(bars, 0, sizeof *bars);
    for (int times = 1; times <= 128; times *= 2) {
        bars->merge_px = times;
        bars->count = bars->drawn = bars->merged = bars->merged_into = 0;
        for (int panel = 0; panel < l->panels; panel++)
            make_panel(bars, l, panel);
        if (bars->count <= bars_limit)
            break;
    }
    bars->records = l->spans->count;
}
