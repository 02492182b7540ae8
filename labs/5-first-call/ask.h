/* ask.h - the same question to one fresh process after another, and what they answered. */
#ifndef ASK_H
#define ASK_H

#include <stdbool.h>

#include "child.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ith number of every child of the last ask. */
extern struct samples answers[MAX_NUMBERS];

/* Asks fresh processes, as many as --repeats or three, for `want` numbers each (see child_run).
 * False if one fails, with a check of this part that says nothing can be shown. */
bool ask(const char *part, const char *experiment, const char *argument, const char *setting,
         int want);

/* The median of all children's ith numbers. */
double median(int i);

/* Child by child, the sum of n numbers from the ith on. */
struct samples sum_of(int i, int n);

/* Stores "first <thing>" and "second <thing>" from answers i and i + 1, and adds a row of four
 * cells to the table: thing, both times, and how many times longer the first is. */
void first_and_second(const char *part, const char *thing, int i);
/* How many times, without an exponent: "9.3", "2749". */
const char *times_as_long(double ratio);

/* A check from the last two of `want` answers: products checked, and products wrong. */
void check_products(const char *id, int want);

#ifdef __cplusplus
}
#endif
#endif
