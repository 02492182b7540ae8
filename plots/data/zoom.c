/* Chooses, from the data, where to look closer: calls or operations too short to see, and ends
 * that nearly meet. */
#include "plot_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_PX = 5, ZOOM_LANES = 5, ZOOM_LANE_PX = 36, ZOOM_PX = 560, SMALLEST_PX = 9 };

static const double TITLE_EM = 14; /* 10.5 pt at 96 dpi */

struct window {
    int64_t from, to;    /* with a margin */
    int64_t first, last; /* from the first short one's start to the last one's end */
    int shorts;
    double score;
    char title[160];
};

struct shorts { /* the short spans of the host, or of the devices, by start */
    const struct span **at;
    size_t count;
    int64_t *ns; /* scratch for the median */
};

static int by_start(const void *left, const void *right) {
    const struct span *a = *(const struct span *const *)left;
    const struct span *b = *(const struct span *const *)right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int by_value(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static struct shorts find_shorts(const struct layout *l, int run, bool host) {
    double limit = SHORT_PX * panel_ns_per_px(&l->panel[0]);
    struct shorts s = {0};
    s.at = (const struct span **)need_memory(NULL, sizeof *s.at * (l->spans->count + 1));
    for (size_t i = 0; i < l->spans->count; i++) {
        const struct span *span = &l->spans->at[i];
        if (span->run == run && class_on_host(span->class) == host &&
            (double)(span->end_ns - span->start_ns) < limit)
            s.at[s.count++] = span;
    }
    qsort(s.at, s.count, sizeof *s.at, by_start);
    s.ns = (int64_t *)need_memory(NULL, sizeof *s.ns * (s.count + 1));
    return s;
}

static int64_t median_ns(const struct shorts *s, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        s->ns[i] = s->at[i]->end_ns - s->at[i]->start_ns;
    qsort(s->ns + from, to - from, sizeof *s->ns, by_value);
    int64_t median = s->ns[from + (to - from) / 2];
    return median > 0 ? median : 1;
}

/* Distinct names tell more than many of the same. */
static int distinct_names(const struct shorts *s, size_t from, size_t to) {
    const char *seen[12];
    int names = 0;
    for (size_t i = from; i < to && names < 12; i++) {
        int known = 0;
        while (known < names && strcmp(seen[known], s->at[i]->name) != 0)
            known++;
        if (known == names)
            seen[names++] = s->at[i]->name;
    }
    return names;
}

static struct window look_at(const struct layout *l, const struct shorts *s, size_t from,
                             size_t to) {
    struct window w = {0};
    int64_t median = median_ns(s, from, to), all = l->panel[0].to_ns;
    int64_t start = s->at[from]->start_ns, longest = median * ZOOM_PX / SMALLEST_PX;
    if (longest < 4 * (s->at[from]->end_ns - start))
        longest = 4 * (s->at[from]->end_ns - start);
    if (longest > all / 5)
        longest = all / 5;
    size_t seen = from + 1; /* as many as can be told apart in one panel */
    while (seen < to && s->at[seen]->end_ns - start <= longest)
        seen++;
    int64_t end = s->at[seen - 1]->end_ns;
    int64_t margin = seen - from == 1 ? 2 * (end - start) + 1 : (end - start) / 16 + median;
    w.from = start > margin ? start - margin : 0;
    w.to = end + margin;
    w.first = start;
    w.last = end;
    w.shorts = (int)(seen - from);
    w.score = 10 * distinct_names(s, from, seen) + fmin(w.shorts, 40);
    return w;
}

static struct window best_cluster(const struct layout *l, const struct shorts *s) {
    struct window best = {0};
    for (size_t from = 0, to; from < s->count; from = to) {
        int64_t last_end = s->at[from]->end_ns;
        int64_t gap = (int64_t)(4 * SHORT_PX * panel_ns_per_px(&l->panel[0]));
        for (to = from + 1; to < s->count && s->at[to]->start_ns - last_end < gap; to++)
            if (s->at[to]->end_ns > last_end)
                last_end = s->at[to]->end_ns;
        struct window w = look_at(l, s, from, to);
        if (w.score > best.score)
            best = w;
    }
    return best;
}

static struct window host_window(const struct layout *l, int run) {
    struct shorts s = find_shorts(l, run, true);
    struct window w = best_cluster(l, &s);
    if (w.shorts == 1)
        snprintf(w.title, sizeof w.title, "a host call of %s", show_ns((double)(w.last - w.first)));
    else if (w.shorts)
        snprintf(w.title, sizeof w.title, "%d host calls in %s", w.shorts,
                 show_ns((double)(w.last - w.first)));
    free(s.at);
    free(s.ns);
    return w;
}

/* Two zooms and the words beside it leave a name this much. */
static const char *brief(const char *name) {
    return name_that_fits(short_name(name), 140, TITLE_EM);
}

static struct window device_window(const struct layout *l, int run) {
    struct shorts s = find_shorts(l, run, false);
    struct window w = best_cluster(l, &s);
    int64_t least = INT64_MAX, most = 0;
    const char *name = "";
    for (size_t i = 0; i < s.count && w.shorts; i++)
        if (s.at[i]->start_ns >= w.from && s.at[i]->end_ns <= w.to) {
            int64_t ns = s.at[i]->end_ns - s.at[i]->start_ns;
            least = ns < least ? ns : least;
            most = ns > most ? ns : most;
            name = s.at[i]->name;
        }
    if (w.shorts == 1)
        snprintf(w.title, sizeof w.title, "%s takes %s", brief(name), show_ns((double)most));
    else if (w.shorts && strcmp(show_ns((double)least), show_ns((double)most)) == 0)
        snprintf(w.title, sizeof w.title, "%d short operations of %s each", w.shorts,
                 show_ns((double)most));
    else if (w.shorts)
        snprintf(w.title, sizeof w.title, "%d short operations, %s to %s each", w.shorts,
                 show_ns((double)least), show_ns((double)most));
    free(s.at);
    free(s.ns);
    return w;
}

/* Two kernels of which one begins about when the other ends: before, or after? */
static struct window meeting_window(const struct layout *l, int run) {
    struct window best = {0};
    double near = 12 * panel_ns_per_px(&l->panel[0]), nearest = near;
    for (size_t i = 0; i < l->spans->count && l->spans->count <= 40; i++)
        for (size_t j = 0; j < l->spans->count; j++) {
            const struct span *a = &l->spans->at[i], *b = &l->spans->at[j];
            int64_t late = b->start_ns - a->end_ns;
            if (i == j || a->class != CLASS_KERNEL || b->class != CLASS_KERNEL || late == 0 ||
                a->run != run || b->run != run || fabs((double)late) >= nearest ||
                b->start_ns <= a->start_ns || b->end_ns <= a->end_ns ||
                (double)(a->end_ns - a->start_ns) < 4 * near ||
                (double)(b->end_ns - b->start_ns) < 4 * near)
                continue;
            nearest = fabs((double)late);
            int64_t half = llabs(late) * 5 > 2000 ? llabs(late) * 5 : 2000;
            int64_t middle = a->end_ns + late / 2;
            best = (struct window){.from = middle - half, .to = middle + half, .shorts = 1};
            snprintf(best.title, sizeof best.title, "%s begins %s %s the last ended",
                     brief(b->name), show_ns((double)llabs(late)), late > 0 ? "after" : "before");
        }
    if (best.from < 0)
        best.from = 0;
    return best;
}

static void add_lanes(const struct layout *l, struct panel *zoom) {
    bool used[MAX_LANES] = {false};
    for (size_t i = 0; i < l->spans->count; i++) {
        const struct span *s = &l->spans->at[i];
        used[s->lane] |=
            s->run == zoom->run && s->start_ns < zoom->to_ns && s->end_ns > zoom->from_ns;
    }
    for (int i = 0; i < l->lanes && zoom->lanes < ZOOM_LANES; i++)
        if (used[i])
            zoom->lane[zoom->lanes++] = i;
}

static void add_zoom(struct layout *l, int run, struct window window) {
    const struct window *w = &window;
    if (w->shorts == 0 || l->panels > MAX_ZOOMS)
        return;
    int64_t middle = w->from + (w->to - w->from) / 2;
    for (int i = 1; i < l->panels; i++) { /* the same place at the same scale shows nothing new */
        const struct panel *zoom = &l->panel[i];
        if (zoom->run == run && middle > zoom->from_ns && middle < zoom->to_ns &&
            (zoom->to_ns - zoom->from_ns) / 3 < w->to - w->from)
            return;
    }
    if (w->to - w->from > l->panel[0].to_ns / 3)
        return;
    struct panel *zoom = &l->panel[l->panels];
    zoom->run = run;
    zoom->from_ns = w->from;
    zoom->to_ns = w->to;
    zoom->least_lane_px = ZOOM_LANE_PX;
    const struct about *about = &l->spans->about[run];
    snprintf(zoom->title, sizeof zoom->title, "zoom %c%s: %s", 'A' + l->panels - 1,
             l->spans->runs == 1 ? ""
             : about->simulated  ? " (simulated)"
             : about->recorded   ? " (recorded)"
                                 : " (measured)",
             w->title);
    add_lanes(l, zoom);
    l->panels++;
}

/* Of several runs each shows its host's calls before one shows more. Several short operations, as
 * of an exchange between GPUs, come before kernels that meet. */
void zooms_choose(struct layout *l) {
    for (int run = 0; run < l->spans->runs; run++)
        add_zoom(l, run, host_window(l, run));
    for (int run = 0; run < l->spans->runs; run++) {
        struct window shorts = device_window(l, run), meeting = meeting_window(l, run);
        add_zoom(l, run, shorts.shorts > 1 ? shorts : meeting);
        add_zoom(l, run, shorts.shorts > 1 ? meeting : shorts);
    }
}
