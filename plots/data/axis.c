/* A panel's axis of time: its scale, and ticks at round values. */
#include "plot_data.h"

#include <math.h>
#include <string.h>

static double round_step(double span, double steps) {
    double raw = span / steps, power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/* A number that would stand out over the right end of the axis is left off its tick. */
static const char *tick_text(double number, double at_px, double px) {
    static char text[40];
    const double em_px = 13.33, allowed_px = 8; /* 10 pt at 96 dpi */
    snprintf(text, sizeof text, "%.10g", number);
    return at_px + text_width(text, em_px) / 2 > px + allowed_px ? " " : text;
}

void axis_make(struct axis *axis, int64_t from_ns, int64_t to_ns, double px) {
    double span = (double)(to_ns - from_ns);
    double unit_ns = span >= 2e9 ? 1e9 : span >= 2e6 ? 1e6 : span >= 2e3 ? 1e3 : 1;
    const char *unit = unit_ns == 1e9 ? "s" : unit_ns == 1e6 ? "ms" : unit_ns == 1e3 ? "µs" : "ns";
    double step = round_step(span / unit_ns, px / 85);
    double from = (double)from_ns / unit_ns, to = (double)to_ns / unit_ns;
    /* Far from 0 on a fine scale the numbers grow long: count from a round place nearby. */
    double base = from > 20000 * step ? floor(from / step) * step : 0;
    size_t at = (size_t)snprintf(axis->text, sizeof axis->text, "set xtics (");
    for (int i = 0; ceil(from / step) + i <= to / step; i++) {
        double tick = (ceil(from / step) + i) * step;
        if (at + 80 > sizeof axis->text)
            break;
        double at_px = (tick - from) * px / (to - from);
        at += (size_t)snprintf(axis->text + at, sizeof axis->text - at, "%s'%s' %.3f",
                               axis->text[at - 1] == '(' ? "" : ", ",
                               tick_text(tick - base, at_px, px), at_px);
    }
    if (base)
        snprintf(axis->text + at, sizeof axis->text - at, "); set xlabel '%s after %.10g %s'", unit,
                 base, unit);
    else
        snprintf(axis->text + at, sizeof axis->text - at,
                 "); set xlabel '%s since the first record'", unit);
}

double panel_ns_per_px(const struct panel *panel) {
    return (double)(panel->to_ns - panel->from_ns) / (panel->right - panel->left);
}
