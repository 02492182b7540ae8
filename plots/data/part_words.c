/* A part's name in words: "e-blocking-null" is "e, blocking streams, NULL stream work between".
 * A name is the part's letter and words with dashes between. */
#include "plot_data.h"

#include <string.h>

static const struct {
    const char *name, *words;
} known[] = {
    {"one-wave", "one wave of blocks"},
    {"one-more", "one block more than fits"},
    {"blocking", "blocking streams"},
    {"non-blocking", "non-blocking streams"},
    {"null", "NULL stream work between"},
    {"h2d", "host to device"},
    {"d2h", "device to host"},
    {"pageable", "pageable memory"},
    {"pageable-untouched", "pageable memory, untouched"},
    {"pageable-touched", "pageable memory, touched"},
    {"pinned", "pinned memory"},
    {"registered", "registered memory"},
    {"default-stream", "the default stream"},
    {"one-stream", "one stream"},
    {"two-streams", "two streams"},
    {"n-streams", "a stream each"},
    {"gated", "behind a gate"},
    {"alone", "alone"},
    {"release", "the gate opens"},
    {"graph", "a graph"},
    {"batched", "batched"},
    {"whole", "whole"},
    {"fine", "fine"},
    {"persistent", "persistent"},
    {"unequal", "unequal"},
    {"longest-first", "longest first"},
    {"from-stream", "sending GPU"},
    {"to-stream", "receiving GPU"},
    {"own", "the kernel's own stream"},
    {"other", "another stream"},
    {"full", "the kernel fills the GPU"},
    {"half", "the kernel fills half of the GPU"},
    {"one-way", "one way"},
    {"both-ways", "both ways"},
    {"large", "large"},
    {"exercise", "the exercise"},
    {"judge", "the judge's own"},
};

struct words {
    char text[200];
    size_t at;
};

/* The longest known name that these words begin with, or -1. */
static int longest_known(const char *words) {
    int found = -1;
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        size_t length = strlen(known[i].name);
        if (strncmp(words, known[i].name, length) == 0 &&
            (words[length] == '-' || words[length] == '\0') &&
            (found < 0 || length > strlen(known[found].name)))
            found = i;
    }
    return found;
}

/* One word of a name, with what makes a number understood; returns its length in the name. */
static size_t append(struct words *to, const char *rest, int i) {
    size_t length = i < 0 ? strcspn(rest, "-") : strlen(known[i].name);
    const char *words = i < 0 ? rest : known[i].words;
    int shown = (int)(i < 0 ? length : strlen(words));
    const char *before = rest[0] >= '0' && rest[0] <= '9' ? "dim " : "";
    if (strncmp(rest, "round-", 6) == 0) {
        before = "round ";
        words += 6;
        shown = (int)strcspn(words, "-");
        length = 6 + (size_t)shown;
    }
    to->at += (size_t)snprintf(to->text + to->at, sizeof to->text - to->at, ", %s%.*s", before,
                               shown, words);
    return length;
}

const char *part_words(const char *part) {
    static struct words out;
    bool any = false;
    out.at = (size_t)snprintf(out.text, sizeof out.text, "%c", part[0]);
    const char *rest = part[0] && part[1] == '-' ? part + 1 : "";
    while (*rest == '-' && out.at < sizeof out.text) {
        int i = longest_known(++rest);
        any |= i >= 0;
        rest += append(&out, rest, i);
    }
    /* A name of somebody else's stays as it is. */
    return any && out.at < sizeof out.text ? out.text : part;
}
