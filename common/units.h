/* units.h - amounts with a unit on the command line: 64MiB, 10ms. */
#ifndef UNITS_H
#define UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "options.h"

/* What the unit multiplies by ("KiB": 1024, "us": 1000 ns); "" is 1 except for times.
 * 0 if options of this type do not know the unit. */
int64_t unit_factor(enum option_type type, const char *unit);

/* The value with the largest unit that divides it: "64MiB", "10ms", "12". */
const char *unit_show(char *buffer, size_t size, enum option_type type, int64_t value);

/* What a value of this type looks like, for messages: "a whole number", ... */
const char *unit_form(enum option_type type);

#endif
