/* csv.h - CSV files that appear whole or not at all. */
#ifndef CSV_H
#define CSV_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file being written beside its place. Fields are separated by commas, rows end with \n,
 * numbers use '.', and a field with a comma, a quote or a newline is quoted (RFC 4180). */
struct csv;

/* Opens dir/name for writing under a temporary name; makes dir if it is missing.
 * Dies with EXIT_ENVIRONMENT and the path if that cannot be done. */
struct csv *csv_create(const char *dir, const char *name);

void csv_text(struct csv *csv, const char *text);
void csv_int(struct csv *csv, int64_t value);
void csv_real(struct csv *csv, double value); /* shortest that reads back the same; NaN: empty */
void csv_end_row(struct csv *csv);

/* n bytes as they are: for other kinds of file that must appear whole or not at all. */
void csv_bytes(struct csv *csv, const char *bytes, size_t n);

/* fsync, rename into place, free. Dies with EXIT_ENVIRONMENT if any write failed (disk full);
 * the temporary file is then removed. */
void csv_commit(struct csv *csv);

/* Files committed between these two appear together at the end, when all of them are on the disk:
 * a full disk leaves none. Every file begun in between must be committed before the end. */
void csv_batch_begin(void);
void csv_batch_end(void);

#ifdef __cplusplus
}
#endif
#endif
