/* Names in bars, and at a timeline's foot those that no bar has room for. */
#include "plot_data.h"

#include <string.h>

enum { NOTE_TEXT = 1200, NOTE_LINE_PX = 14, MOST_NAMES = 48, MOST_LISTED = 8, KNOWN_BY = 10 };
static const double NOTE_EM = NAME_EM, WIDER = 1.03; /* letters on whole px are wider */

const char *bar_text(const struct bar *b) {
    static char text[256];
    double room = (b->x1 - b->x0 - 12) / WIDER;
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

struct names {
    int count;
    const char *name[MOST_NAMES];
    bool told[MOST_NAMES];
};

/* The place of a name in the list; a new one is added while there is room, else -1. */
static int place_of(struct names *names, const char *name) {
    for (int i = 0; i < names->count; i++)
        if (names->name[i] == name || strcmp(names->name[i], name) == 0)
            return i;
    if (names->count == MOST_NAMES)
        return -1;
    names->name[names->count] = name;
    return names->count++;
}

/* Calls and kernels; of copies the lane and the colour tell what they are. */
static void collect(struct names *names, const struct spans *spans) {
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *s = &spans->at[i];
        if (class_on_host(s->class) || s->class == CLASS_KERNEL || s->class == CLASS_GATE)
            place_of(names, s->name);
    }
}

/* A name that is cut short still tells which one it is, if enough of it is left. */
static void mark_told(struct names *names, const struct bars *bars) {
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *b = &bars->at[i];
        const char *text = b->merged > 1 ? "" : bar_text(b);
        bool cut = strstr(text, "…") != NULL;
        if (!*text || (cut && strlen(text) < KNOWN_BY + strlen("…")))
            continue;
        int place = place_of(names, b->name);
        if (place >= 0)
            names->told[place] = true;
    }
}

static void list_untold(const struct names *names, char *text, size_t size) {
    int listed = 0, more = 0;
    for (int i = 0; i < names->count; i++) {
        if (names->told[i])
            continue;
        if (listed == MOST_LISTED) {
            more++;
            continue;
        }
        size_t at = strlen(text);
        snprintf(text + at, size - at, "%s%s", listed++ ? ", " : "Too narrow for their names: ",
                 name_that_fits(short_name(names->name[i]), 200, NOTE_EM));
    }
    size_t at = strlen(text);
    if (more)
        snprintf(text + at, size - at, " and %d more", more);
    if (listed)
        snprintf(text + strlen(text), size - strlen(text), ".  ");
}

double note_emit(const struct layout *l, const struct bars *bars) {
    char note[NOTE_TEXT] = "";
    struct names names = {0};
    collect(&names, l->spans);
    mark_told(&names, bars);
    list_untold(&names, note, sizeof note);
    if (bars->merged)
        snprintf(note + strlen(note), sizeof note - strlen(note),
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
    double width = (l->panel[0].right - l->panel[0].left) / WIDER;
    int lines = wrap_text(note, sizeof note, width, NOTE_EM);
    double taller = NOTE_LINE_PX * (lines - 1);
    printf("note = ");
    emit_text(note);
    printf("; note_px = %g\n", taller);
    return taller;
}
