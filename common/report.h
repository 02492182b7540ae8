/* report.h - what a lab prints: text, tables, numbers with units. Everything goes to stdout. */
#ifndef REPORT_H
#define REPORT_H

#include <stdint.h>

#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A paragraph, wrapped at 100 columns. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, not a format, every line indented by that many columns. */
void say_indented(int indent, const char *text);

/* The same, with the cursor already at that column of the first line. */
void say_from(int column, const char *text);

/* A table: head, then cells from left to right; a row ends when it is full.
 * table_end prints it with columns as wide as their contents. */
void table_begin(int columns, ...); /* columns headings, const char * each */
void table_cell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void table_end(void);

/* Numbers as text, three significant digits and a unit: "8.33 ms", "64.0 MiB", "55.4 GB/s".
 * The result lies in one of text's rotating buffers (text.h). NaN prints as "-". */
const char *show_time(double ns);
const char *show_bytes(double bytes);
const char *show_rate(double bytes, double ns);
const char *show_percent(double share);

/* "8.33 ms (8.30 to 8.51 ms, n 11, cov 1.2 %)" for samples in ns. */
const char *show_times(const struct samples *samples);

#ifdef __cplusplus
}
#endif
#endif
