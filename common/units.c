#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit byte_units[] = {
    {"GiB", 1 << 30}, {"GB", 1000000000}, {"MiB", 1 << 20}, {"MB", 1000000},
    {"KiB", 1 << 10}, {"KB", 1000},       {"B", 1},         {NULL, 0},
};
static const struct unit time_units[] = {
    {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {NULL, 0},
};
static const struct unit no_units[] = {{NULL, 0}};

static const struct unit *units_of(enum option_type type) {
    return type == OPTION_BYTES ? byte_units : type == OPTION_TIME ? time_units : no_units;
}

int64_t unit_factor(enum option_type type, const char *unit) {
    if (*unit == '\0')
        return type == OPTION_TIME ? 0 : 1;
    for (const struct unit *u = units_of(type); u->name != NULL; u++) {
        if (strcmp(u->name, unit) == 0)
            return u->factor;
    }
    return 0;
}

const char *unit_show(char *buffer, size_t size, enum option_type type, int64_t value) {
    const struct unit *u = units_of(type);
    while (u->name != NULL && (value == 0 || value % u->factor != 0))
        u++;
    if (u->name == NULL)
        snprintf(buffer, size, "%" PRId64, value);
    else
        snprintf(buffer, size, "%" PRId64 "%s", value / u->factor, u->name);
    return buffer;
}

const char *unit_form(enum option_type type) {
    switch (type) {
    case OPTION_BYTES:
        return "a whole number of B, KB, MB, GB, KiB, MiB or GiB";
    case OPTION_TIME:
        return "a whole number of ns, us, ms or s";
    case OPTION_INT_LIST:
        return "whole numbers with commas between";
    default:
        return "a whole number";
    }
}
