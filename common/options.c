#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "units.h"

static void refuse(const struct option_spec *spec, const char *given, const char *what)
    __attribute__((noreturn));
static void refuse(const struct option_spec *spec, const char *given, const char *what) {
    char low[32], high[32];
    die(EXIT_USAGE, "--%s: '%s' is %s; allowed: %s, %s to %s", spec->name, given, what,
        unit_form(spec->type), unit_show(low, sizeof low, spec->type, spec->min),
        unit_show(high, sizeof high, spec->type, spec->max));
}

static const char *unknown_unit(const struct option_spec *spec, const char *unit) {
    if (*unit == '\0')
        return "a number without a unit";
    if (*unit == '.')
        return "not a whole number";
    bool units = spec->type == OPTION_BYTES || spec->type == OPTION_TIME;
    return units ? "not a number with a known unit" : "not a number";
}

/* A whole number with the unit that the option's type asks for. `given` is what messages quote. */
static int64_t parse_number(const struct option_spec *spec, const char *text, const char *given) {
    bool negative = *text == '-';
    /* strtoll alone would also take blanks and a plus sign. */
    if (!isdigit((unsigned char)text[negative]))
        refuse(spec, given, "not a number");
    errno = 0;
    char *unit;
    int64_t number = strtoll(text, &unit, 10), value = 0;
    bool overflow = errno == ERANGE;
    int64_t factor = unit_factor(spec->type, unit);
    if (factor == 0)
        refuse(spec, given, unknown_unit(spec, unit));
    if (__builtin_mul_overflow(number, factor, &value) || overflow)
        refuse(spec, given, negative ? "too small" : "too large");
    if (value < spec->min)
        refuse(spec, given, value < 0 ? "negative" : value == 0 ? "zero" : "too small");
    if (value > spec->max)
        refuse(spec, given, "too large");
    return value;
}

static void parse_list(const struct option_spec *spec, const char *text) {
    struct int_list list = {0};
    const char *item = text;
    for (;;) {
        char copy[32];
        size_t length = strcspn(item, ",");
        if (length >= sizeof copy)
            refuse(spec, text, "too large");
        if (list.n == MAX_INT_LIST)
            die(EXIT_USAGE, "--%s: more than %d numbers were given; allowed: 1 to %d", spec->name,
                MAX_INT_LIST, MAX_INT_LIST);
        memcpy(copy, item, length);
        copy[length] = '\0';
        list.value[list.n++] = parse_number(spec, copy, text);
        if (item[length] == '\0')
            break;
        item += length + 1;
    }
    *(struct int_list *)spec->value = list;
}

static int64_t parse_choice(const struct option_spec *spec, const char *text) {
    size_t length = strlen(text);
    const char *choice = spec->choices;
    for (int64_t index = 0; choice != NULL; index++) {
        size_t choice_length = strcspn(choice, "|");
        if (choice_length == length && memcmp(choice, text, length) == 0)
            return index;
        choice = choice[choice_length] == '|' ? choice + choice_length + 1 : NULL;
    }
    die(EXIT_USAGE, "--%s: '%s' is not known; allowed: %s", spec->name, text, spec->choices);
}

static void store(const struct option_spec *spec, const char *text) {
    switch (spec->type) {
    case OPTION_FLAG:
        *(int64_t *)spec->value = 1;
        break;
    case OPTION_STRING:
        if (*text == '\0')
            die(EXIT_USAGE, "--%s: nothing was given; allowed: any text but the empty one",
                spec->name);
        *(const char **)spec->value = text;
        break;
    case OPTION_INT_LIST:
        parse_list(spec, text);
        break;
    case OPTION_CHOICE:
        *(int64_t *)spec->value = parse_choice(spec, text);
        break;
    default:
        *(int64_t *)spec->value = parse_number(spec, text, text);
    }
}

static const struct option_spec *find(const struct option_spec *table, const char *name,
                                      size_t length) {
    for (; table != NULL && table->name != NULL; table++) {
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    }
    return NULL;
}

void options_parse(const struct option_spec *own, const struct option_spec *shared, int argc,
                   char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0')
            die(EXIT_USAGE, "'%s' is not an option; options look like --name value, see --help",
                argv[i]);
        const char *name = argv[i] + 2, *equals = strchr(name, '=');
        size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
        const struct option_spec *spec = find(own, name, length);
        if (spec == NULL)
            spec = find(shared, name, length);
        if (spec == NULL)
            die(EXIT_USAGE, "--%.*s is unknown; see --help", (int)length, name);
        if (spec->type == OPTION_FLAG) {
            if (equals != NULL)
                die(EXIT_USAGE, "--%s: '%s' was given; allowed: no value", spec->name, equals + 1);
            store(spec, "");
        } else if (equals != NULL) {
            store(spec, equals + 1);
        } else if (i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) {
            store(spec, argv[++i]);
        } else {
            die(EXIT_USAGE, "--%s: its value is missing; see --help", spec->name);
        }
    }
}
