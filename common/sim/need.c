#include "need.h"

#include <stdlib.h>

#include "error.h"

static void *or_die(void *memory) {
    if (!memory)
        die(EXIT_ENVIRONMENT, "simulated GPU: out of host memory; close other programs");
    return memory;
}

void *need_memory(size_t count, size_t bytes) {
    return or_die(calloc(count, bytes));
}

void *more_memory(void *memory, size_t bytes) {
    return or_die(realloc(memory, bytes));
}
