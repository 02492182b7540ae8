#include "plot_data.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

bool gnuplot_reads = true;

void fail(const char *format, ...) {
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    /* A field of a file that is quoted may hold a newline, or the code of a terminal. */
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    fprintf(stderr, "plots: %s\n", line);
    if (gnuplot_reads)
        puts("exit status 1");
    exit(1);
}

void *need_memory(void *pointer, size_t bytes) {
    void *memory = realloc(pointer, bytes ? bytes : 1);
    if (!memory)
        fail("out of memory (%zu bytes)", bytes);
    return memory;
}
