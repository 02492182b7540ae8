/* rules.h - what the manual says about which copies and memsets wait. */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum operation { H2D = 1, D2H = 2, D2D = 4, H2H = 8, MEMSET = 16 };
enum memory_class { PAGEABLE_MEMORY = 1, PINNED_MEMORY = 2, DEVICE_MEMORY = 4 };

enum promise {
    QUEUES,    /* returns without waiting for the stream */
    WAITS,     /* waits for the stream; its own copy may still be under way */
    COMPLETES, /* returns when its own work is done, so after all before it */
    MAY_WAIT   /* left open */
};

struct rule {
    const char *check;      /* id; NULL where the manual promises nothing */
    int operations, memory; /* that it covers: enum operation, enum memory_class, or'ed */
    bool async;
    enum promise promise;
    const char *says; /* in short, for the table */
    const char *why;  /* for the check */
};

extern const struct rule rules[];
extern const int rules_count;

/* The rule that covers this call. */
const struct rule *rule_for(enum operation operation, enum memory_class memory, bool async);

#ifdef __cplusplus
}
#endif
#endif
