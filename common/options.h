/* options.h - the command line: a table of options a lab declares, and the ones all labs share. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum option_type {
    OPTION_FLAG,  /* --name           int64_t *value becomes 1 */
    OPTION_INT,   /* --name 12 */
    OPTION_BYTES, /* --name 64MiB     B, KB, MB, GB (1000s), KiB, MiB, GiB (1024s) */
    OPTION_TIME,  /* --name 10ms      ns, us, ms, s; the value is in ns; a bare number is refused */
    OPTION_CHOICE,   /* --name pinned    the value is the index in choices */
    OPTION_INT_LIST, /* --name 64,256    struct int_list *value */
    OPTION_STRING    /* --name text      const char **value */
};

enum { MAX_INT_LIST = 64 };
struct int_list {
    int n;
    int64_t value[MAX_INT_LIST];
};

/* A table of these ends with {0}. The fields in this order, so that C++ can initialise them too. */
struct option_spec {
    const char *name; /* without the dashes */
    enum option_type type;
    void *value;         /* holds the default before parsing */
    int64_t min, max;    /* inclusive bounds of numbers */
    const char *choices; /* "pageable|pinned|registered" */
    const char *help;    /* one line; the default is appended from *value */
};

/* Parses argv against both tables; "--name=value" and "--name value" are the same. Dies with
 * EXIT_USAGE and one line that names the option, what was given and what is allowed. */
void options_parse(const struct option_spec *own, const struct option_spec *shared, int argc,
                   char **argv);

/* Prints "usage", the summary, the parts' titles (ends with NULL) and both tables to stdout. */
void options_help(const char *program, const char *summary, const char *const *parts,
                  const struct option_spec *own, const struct option_spec *shared);

#ifdef __cplusplus
}
#endif
#endif
