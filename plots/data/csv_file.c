/* Reads a CSV file (RFC 4180), in place: a quoted field may hold commas, quotes and line ends. */
#include "plot_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The length of the character of UTF-8 at p, 0 if it is none, or one that no picture can have. */
static int character(const unsigned char *p) {
    int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : 1;
    if (*p < 0x80)
        return (*p >= ' ' && *p != 0x7F) || *p == '\n' || *p == '\r' || *p == '\t';
    if (*p < 0xC2 || *p > 0xF4)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (*p == 0xE0 && p[1] < 0xA0) || (*p == 0xF0 && p[1] < 0x90);
    bool surrogate = (*p == 0xED && p[1] > 0x9F) || (*p == 0xF4 && p[1] > 0x8F);
    return overlong || surrogate ? 0 : more + 1;
}

/* Kernels may have any name; a picture with other bytes in it is no SVG. */
static void replace_odd_bytes(char *text) {
    while (*text) {
        int length = character((unsigned char *)text);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
}

static void read_file(struct csv_file *csv) {
    FILE *file = fopen(csv->path, "rb");
    struct stat info;
    if (!file || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
        fail("%s: %s; run the lab first (make lab-N)", csv->path,
             file ? "not a file" : strerror(errno));
    csv->text = (char *)need_memory(NULL, (size_t)info.st_size + 1);
    size_t bytes = fread(csv->text, 1, (size_t)info.st_size, file);
    fclose(file);
    csv->text[bytes] = '\0';
    if (bytes == 0)
        fail("%s: empty file", csv->path);
    if (memchr(csv->text, '\0', bytes))
        fail("%s: not a text file", csv->path);
    replace_odd_bytes(csv->text);
}

/* Ends the field at *at, moves past its separator, and says whether the row goes on. */
static bool field_end(char **at, char *write) {
    char *p = *at;
    bool more = *p == ',';
    if (*p == '\r')
        p++;
    if (*p)
        p++;
    *at = p;
    *write = '\0';
    return more;
}

static char *quoted_field(struct csv_file *csv, char **at, bool *more) {
    char *start = *at + 1, *p = start, *write = start;
    for (; *p; p++) {
        if (*p == '"' && *++p != '"')
            break;
        if (*p == '\n')
            csv->line++;
        *write++ = *p;
    }
    if (*p && *p != ',' && *p != '\n' && *p != '\r')
        fail("%s:%ld: text after a closing quote", csv->path, csv->line);
    *more = field_end(&p, write);
    *at = p;
    return start;
}

static char *next_field(struct csv_file *csv, char **at, bool *more) {
    if (**at == '"')
        return quoted_field(csv, at, more);
    char *start = *at;
    *at += strcspn(*at, ",\r\n");
    *more = field_end(at, *at);
    return start;
}

static void read_header(struct csv_file *csv) {
    static const char mark[] = "\xef\xbb\xbf"; /* some editors put one in front */
    csv->next = csv->text + (strncmp(csv->text, mark, 3) == 0 ? 3 : 0);
    csv->line = 1;
    size_t line = strcspn(csv->next, "\n");
    if (memchr(csv->next, ';', line) && !memchr(csv->next, ',', line))
        fail("%s: its columns are separated by ';': saved again by a spreadsheet with a "
             "comma-decimal locale? The file the lab wrote has ','",
             csv->path);
    for (bool more = true; more; csv->columns++) {
        csv->header = (char **)need_memory(csv->header, sizeof(char *) * (csv->columns + 1));
        csv->header[csv->columns] = next_field(csv, &csv->next, &more);
    }
    csv->field = (char **)need_memory(NULL, sizeof(char *) * csv->columns);
}

void csv_open_any(struct csv_file *csv, const char *dir, const char *name) {
    memset(csv, 0, sizeof *csv);
    snprintf(csv->path, sizeof csv->path, "%s/%s", dir, name);
    read_file(csv);
    read_header(csv);
}

void csv_open(struct csv_file *csv, const char *dir, const char *name) {
    csv_open_any(csv, dir, name);
    if (!csv->next[strspn(csv->next, "\r\n")])
        fail("%s: a header and no rows: nothing to draw", csv->path);
}

int csv_column(const struct csv_file *csv, const char *heading) {
    for (int i = 0; i < csv->columns; i++)
        if (strcmp(csv->header[i], heading) == 0)
            return i;
    char have[300] = "";
    for (int i = 0; i < csv->columns && strlen(have) < 200; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), " %.40s", csv->header[i]);
    fail("%s: no column '%s' (it has:%s)", csv->path, heading, have);
}

bool csv_next(struct csv_file *csv) {
    while (*csv->next == '\n' || *csv->next == '\r') { /* blank lines say nothing */
        csv->line += *csv->next == '\n';
        csv->next++;
    }
    if (!*csv->next)
        return false;
    csv->line++;
    long line = csv->line;
    bool more = true;
    int n = 0;
    while (more) {
        char *field = next_field(csv, &csv->next, &more);
        if (n < csv->columns)
            csv->field[n] = field;
        n++;
    }
    if (n != csv->columns)
        fail("%s:%ld: %d fields, but the header has %d", csv->path, line, n, csv->columns);
    return true;
}

int64_t csv_integer(const struct csv_file *csv, int column) {
    const char *p = csv->field[column];
    bool negative = *p == '-';
    uint64_t value = 0;
    int digits = 0;
    for (p += negative; *p >= '0' && *p <= '9' && digits < 19; p++, digits++)
        value = value * 10 + (uint64_t)(*p - '0');
    if (*p || !digits || value > INT64_MAX)
        fail("%s:%ld: %s is '%.40s', not a whole number", csv->path, csv->line, csv->header[column],
             csv->field[column]);
    return negative ? -(int64_t)value : (int64_t)value;
}

double csv_number(const struct csv_file *csv, int column) {
    const char *text = csv->field[column];
    char *end;
    double value = strtod(text, &end);
    if (!*text)
        return 0.0 / 0.0;
    if (*end)
        fail("%s:%ld: %s is '%.40s', not a number%s", csv->path, csv->line, csv->header[column],
             text, strchr(text, ',') ? " (a comma-decimal locale? numbers use '.')" : "");
    return value;
}
