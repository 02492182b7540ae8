#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

enum { BUFFERS = 64, BUFFER_BYTES = 200 };

const char *text(const char *format, ...) {
    static char buffers[BUFFERS][BUFFER_BYTES];
    static unsigned next;
    char *buffer = buffers[next++ % BUFFERS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, BUFFER_BYTES, format, arguments);
    va_end(arguments);
    return buffer;
}

char *text_copy(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL)
        die(EXIT_ENVIRONMENT, "out of host memory; close other programs");
    return copy;
}
