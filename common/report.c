#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "text.h"

enum { PAGE_WIDTH = 100, MAX_COLUMNS = 32 };

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
static int width_of(const char *text, size_t bytes) {
    int width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

static char *format_text(const char *format, va_list arguments) {
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        die(EXIT_ENVIRONMENT, "out of memory for the report");
    return text;
}

/* `at_start`: nothing stands in the line yet; otherwise the cursor is at column `indent`. */
static void wrap(int indent, bool at_start, const char *text) {
    int column = at_start ? 0 : indent;
    bool first_word = true;
    while (*text != '\0') {
        size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " \n");
        int width = width_of(text + blanks, word);
        if (!first_word && column > 0 && column + (int)blanks + width > PAGE_WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (word > 0) {
            int lead = column == 0 ? indent : first_word ? 0 : (int)blanks;
            printf("%*s%.*s", lead, "", (int)word, text + blanks);
            column += lead + width;
            first_word = false;
        }
        text += blanks + word;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
            text++;
        }
    }
    if (column > 0)
        putchar('\n');
}

void say_indented(int indent, const char *text) {
    wrap(indent, true, text);
}

void say_from(int column, const char *text) {
    wrap(column, false, text);
}

void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    wrap(0, true, text);
    free(text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct {
    int columns, cells, room;
    int width[MAX_COLUMNS];
    bool right[MAX_COLUMNS];
    char **cell; /* the headings come first */
} table;

static void add_cell(char *text) {
    if (table.cells == table.room) {
        table.room = table.room == 0 ? 64 : 2 * table.room;
        table.cell = realloc(table.cell, (size_t)table.room * sizeof *table.cell);
        if (table.cell == NULL)
            die(EXIT_ENVIRONMENT, "out of memory for the report");
    }
    table.cell[table.cells++] = text;
}

void table_begin(int columns, ...) {
    if (columns < 1 || columns > MAX_COLUMNS)
        die(EXIT_FAIL, "a table has 1 to %d columns, not %d", MAX_COLUMNS, columns);
    table.columns = columns;
    table.cells = 0;
    va_list arguments;
    va_start(arguments, columns);
    for (int i = 0; i < columns; i++)
        add_cell(text_copy(va_arg(arguments, const char *)));
    va_end(arguments);
}

void table_cell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_cell(format_text(format, arguments));
    va_end(arguments);
}

/* A column of numbers lines up on the right; a dash stands for a number that is missing. */
static bool is_numeric(int column) {
    bool numeric = false;
    for (int i = table.columns + column; i < table.cells; i += table.columns) {
        const char *text = table.cell[i];
        const char *digits = text + (*text == '-');
        bool number = *digits >= '0' && *digits <= '9';
        if (!number && strcmp(text, "-") != 0)
            return false;
        numeric = numeric || number;
    }
    return numeric;
}

static int column_width(int column) {
    int width = 0;
    for (int i = column; i < table.cells; i += table.columns) {
        int cell = width_of(table.cell[i], strlen(table.cell[i]));
        width = cell > width ? cell : width;
    }
    return width;
}

static void print_rule(void) {
    for (int c = 0; c < table.columns; c++) {
        for (int i = 0; i < table.width[c]; i++)
            putchar('-');
        fputs(c + 1 < table.columns ? "  " : "\n", stdout);
    }
}

static void print_cell(int index) {
    const char *text = table.cell[index];
    int c = index % table.columns;
    int pad = table.width[c] - width_of(text, strlen(text));
    bool last = c + 1 == table.columns;
    if (table.right[c])
        printf("%*s%s", pad, "", text);
    else
        printf("%s%*s", text, last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", stdout);
}

void table_end(void) {
    while (table.cells % table.columns != 0) /* a row cut short */
        table_cell("%s", "");
    for (int c = 0; c < table.columns; c++) {
        table.width[c] = column_width(c);
        table.right[c] = is_numeric(c);
    }
    for (int i = 0; i < table.cells; i++) {
        print_cell(i);
        if (i + 1 == table.columns)
            print_rule();
    }
    for (int i = 0; i < table.cells; i++)
        free(table.cell[i]);
    free(table.cell);
    memset(&table, 0, sizeof table);
}
