/* Numbers as text, three significant digits and a unit. */
#include "report.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "text.h"

enum { NUMBER_BYTES = 32 };

struct scale {
    double factor;
    const char *unit;
};

static const struct scale times[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}, {0, NULL}};
static const struct scale sizes[] = {
    {1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"},
    {0, NULL}};
static const struct scale rates[] = {{1, "B/s"},    {1e3, "kB/s"},  {1e6, "MB/s"},
                                     {1e9, "GB/s"}, {1e12, "TB/s"}, {0, NULL}};

/* '.' whatever the locale says. */
static void print_fixed(char *buffer, int decimals, double value) {
    static locale_t c_locale;
    if (c_locale == (locale_t)0)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    snprintf(buffer, NUMBER_BYTES, "%.*f", decimals, value);
    uselocale(before);
}

/* How many decimals give three significant digits; rounding up to 10.0 or 100 takes one away. */
static int decimals_of(double value) {
    double size = fabs(value);
    return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

/* The unit in which the rounded value has a whole part of one to three digits, or up to 1023. */
static const struct scale *scale_of(const struct scale *scale, double value, double limit) {
    while (scale[1].unit != NULL && fabs(value) / scale->factor >= limit - 0.5)
        scale++;
    return scale;
}

static const char *show_scaled(const struct scale *scales, double value, double limit) {
    char number[NUMBER_BYTES];
    if (isnan(value))
        return "-";
    const struct scale *scale = scale_of(scales, value, limit);
    double scaled = value / scale->factor;
    /* 4 B, not 4.00 B: a whole count of the smallest unit is exact. */
    print_fixed(number, scale == scales && scaled == rint(scaled) ? 0 : decimals_of(scaled),
                scaled);
    return text("%s %s", number, scale->unit);
}

const char *show_time(double ns) {
    return show_scaled(times, ns, 1000);
}

const char *show_bytes(double bytes) {
    return show_scaled(sizes, bytes, 1024);
}

const char *show_rate(double bytes, double ns) {
    return show_scaled(rates, ns > 0 ? bytes / ns * 1e9 : NAN, 1000);
}

const char *show_percent(double share) {
    if (isnan(share))
        return "-";
    char number[NUMBER_BYTES];
    double percent = 100 * share;
    print_fixed(number, fabs(percent) < 99.95 && percent != 0 ? 1 : 0, percent);
    return text("%s %%", number);
}

const char *show_times(const struct samples *samples) {
    struct stats s = stats_of(samples);
    if (isnan(s.median))
        return "-";
    char low[NUMBER_BYTES];
    const struct scale *unit = scale_of(times, s.median, 1000);
    /* The lowest without its unit where all three have the same one. */
    if (unit == scale_of(times, s.min, 1000) && unit == scale_of(times, s.max, 1000))
        print_fixed(low, decimals_of(s.min / unit->factor), s.min / unit->factor);
    else
        snprintf(low, sizeof low, "%s", show_time(s.min));
    return text("%s (%s to %s, n %d, cov %s)", show_time(s.median), low, show_time(s.max), s.n,
                show_percent(s.cov));
}
