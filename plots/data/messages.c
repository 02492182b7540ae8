#include "plot_data.h"

#include <stdarg.h>
#include <stdlib.h>

bool gnuplot_reads = true;

void fail(const char *format, ...) {
    va_list args;
    fputs("plots: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
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
