#include "csv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

enum { BUFFER_BYTES = 1 << 18, MAX_UNFINISHED = 16 };

/* Files under a temporary name. Static, because a signal handler must find and remove them. */
struct unfinished {
    volatile sig_atomic_t used;
    char temporary[PATH_MAX], path[PATH_MAX];
};
static struct unfinished unfinished[MAX_UNFINISHED];
static bool batch;

struct csv {
    struct unfinished *file;
    int fd;
    bool in_row; /* the next field needs a comma before it */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static void remove_unfinished(void) {
    for (int i = 0; i < MAX_UNFINISHED; i++) {
        if (unfinished[i].used)
            unlink(unfinished[i].temporary);
    }
}

static void make_folder(const char *dir) {
    char path[PATH_MAX];
    size_t length = strlen(dir);
    if (length == 0 || length >= sizeof path)
        die(EXIT_ENVIRONMENT, "the folder's name has %zu characters; choose another with --out",
            length);
    memcpy(path, dir, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        char cut = path[i];
        path[i] = '\0';
        struct stat info;
        if (mkdir(path, 0777) != 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
            die(EXIT_ENVIRONMENT, "cannot make the folder %s: %s; choose another with --out", path,
                strerror(errno == EEXIST ? ENOTDIR : errno));
        path[i] = cut;
    }
}

static struct unfinished *unfinished_new(const char *dir, const char *name) {
    at_die(remove_unfinished);
    for (int i = 0; i < MAX_UNFINISHED; i++) {
        struct unfinished *file = &unfinished[i];
        if (file->used)
            continue;
        int a = snprintf(file->path, sizeof file->path, "%s/%s", dir, name);
        int b = snprintf(file->temporary, sizeof file->temporary, "%s/.%s.%ld", dir, name,
                         (long)getpid());
        if (a < 0 || b < 0 || a >= PATH_MAX || b >= PATH_MAX)
            die(EXIT_ENVIRONMENT, "the path of %s is too long; choose another with --out", name);
        file->used = 1;
        return file;
    }
    die(EXIT_FAIL, "more than %d files are open; raise MAX_UNFINISHED in csv.c", MAX_UNFINISHED);
}

static void cannot_write(const struct csv *csv) __attribute__((noreturn));
static void cannot_write(const struct csv *csv) {
    die(EXIT_ENVIRONMENT, "cannot write %s: %s; make room, or choose another folder with --out",
        csv->file->path, strerror(errno));
}

struct csv *csv_create(const char *dir, const char *name) {
    make_folder(dir);
    struct csv *csv = malloc(sizeof *csv);
    if (csv == NULL)
        die(EXIT_ENVIRONMENT, "out of memory for %s/%s", dir, name);
    csv->file = unfinished_new(dir, name);
    csv->in_row = false;
    csv->used = 0;
    csv->fd = open(csv->file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (csv->fd < 0)
        cannot_write(csv);
    return csv;
}

static void flush(struct csv *csv) {
    for (size_t done = 0; done < csv->used;) {
        ssize_t n = write(csv->fd, csv->buffer + done, csv->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            cannot_write(csv);
        done += (size_t)n;
    }
    csv->used = 0;
}

void csv_bytes(struct csv *csv, const char *text, size_t n) {
    while (n > 0) {
        if (csv->used == BUFFER_BYTES)
            flush(csv);
        size_t room = BUFFER_BYTES - csv->used, part = n < room ? n : room;
        memcpy(csv->buffer + csv->used, text, part);
        csv->used += part;
        text += part;
        n -= part;
    }
}

static void put_char(struct csv *csv, char c) {
    if (csv->used == BUFFER_BYTES)
        flush(csv);
    csv->buffer[csv->used++] = c;
}

static void begin_field(struct csv *csv) {
    if (csv->in_row)
        put_char(csv, ',');
    csv->in_row = true;
}

void csv_text(struct csv *csv, const char *text) {
    begin_field(csv);
    if (text == NULL)
        return;
    if (strpbrk(text, ",\"\r\n") == NULL) {
        csv_bytes(csv, text, strlen(text));
        return;
    }
    put_char(csv, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            put_char(csv, '"');
        put_char(csv, *text);
    }
    put_char(csv, '"');
}

/* By hand: a timeline of a million rows has seventeen million of them. */
void csv_int(struct csv *csv, int64_t value) {
    begin_field(csv);
    char digits[24], *p = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--p = '-';
    csv_bytes(csv, p, (size_t)(digits + sizeof digits - p));
}

void csv_real(struct csv *csv, double value) {
    begin_field(csv);
    if (isnan(value))
        return;
    static locale_t c_locale;
    if (c_locale == (locale_t)0)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    char text[40], shortest[40] = "";
    for (int digits = 1; digits <= 17; digits++) {
        int n = snprintf(text, sizeof text, "%.*g", digits, value);
        /* 1.47e+04 reads back too, but 14700 is shorter. */
        if (strtod(text, NULL) == value && (*shortest == '\0' || n < (int)strlen(shortest)))
            memcpy(shortest, text, (size_t)n + 1);
    }
    uselocale(before);
    csv_bytes(csv, shortest, strlen(shortest));
}

void csv_end_row(struct csv *csv) {
    put_char(csv, '\n');
    csv->in_row = false;
}

static void publish(struct unfinished *file) {
    if (rename(file->temporary, file->path) != 0)
        die(EXIT_ENVIRONMENT, "cannot put %s in place: %s; choose another folder with --out",
            file->path, strerror(errno));
    file->used = 0;
}

void csv_commit(struct csv *csv) {
    flush(csv);
    /* EINVAL: a file system that has no fsync. */
    if (fsync(csv->fd) != 0 && errno != EINVAL)
        cannot_write(csv);
    if (close(csv->fd) != 0)
        cannot_write(csv);
    if (!batch)
        publish(csv->file);
    free(csv);
}

void csv_batch_begin(void) {
    batch = true;
}

void csv_batch_end(void) {
    batch = false;
    for (int i = 0; i < MAX_UNFINISHED; i++) {
        if (unfinished[i].used)
            publish(&unfinished[i]);
    }
}
