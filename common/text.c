/* text.c - short texts in rotating buffers. */
#include <stdarg.h>
#include <stdio.h>

#include "text.h"

enum { BUFFERS = 32, BUFFER_BYTES = 200 };

const char *text(const char *format, ...) {
    static char buffers[BUFFERS][BUFFER_BYTES];
    static int next;
    char *buffer = buffers[next++ % BUFFERS];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, BUFFER_BYTES, format, args);
    va_end(args);
    return buffer;
}
