/* table.h - part b of lab 2: what is measured in table.cu and reported in table_report.c. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>

#include "queued.h"
#include "rules.h"

#ifdef __cplusplus
extern "C" {
#endif

enum place { IN_PAGEABLE, IN_PINNED, IN_REGISTERED, IN_DEVICE, PLACES };
enum { SMALL_BYTES = 4096, ROWS = 26 };

struct row {
    enum operation operation;
    enum place place; /* of the host memory, or IN_DEVICE where none takes part */
    bool async;
    const struct rule *rule;
    struct call idle, busy;
};

extern struct row rows[ROWS];
extern struct call small_copy; /* cudaMemcpy of a small pageable buffer to the device */

const char *operation_name(enum operation operation);
const char *place_name(enum place place);
const struct row *find_row(enum operation operation, enum place place, bool async);

/* Prints the rows, says what is remarkable, and checks each rule of the manual. */
void report_table(void);

#ifdef __cplusplus
}
#endif
#endif
