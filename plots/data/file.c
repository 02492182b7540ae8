/* The picture's file: what can be checked before drawing, and whether a whole picture came out. */
#include "plot_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *format_of(const char *out) {
    static const char *const formats[] = {"png", "svg", "pdf", "txt"};
    const char *dot = strrchr(out, '.');
    if (strcmp(out, "-") == 0)
        return "txt";
    for (int i = 0; i < 4; i++)
        if (dot && strcmp(dot + 1, formats[i]) == 0)
            return formats[i];
    fail("%s: a picture's name ends with .png, .svg, .pdf or .txt ('-' is text on the terminal)",
         out);
}

static void check_folder(const char *out) {
    char folder[4096];
    const char *slash = strrchr(out, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - out) : 1, slash ? out : ".");
    if (!*folder)
        snprintf(folder, sizeof folder, "/");
    if (access(folder, W_OK | X_OK) != 0)
        fail("cannot write %s: %s", out, strerror(errno));
    struct stat info;
    if (stat(out, &info) == 0 && S_ISDIR(info.st_mode))
        fail("cannot write %s: it is a folder", out);
}

/* Without its font a picture has boxes for letters, or letters of another width. */
static void check_font(const char *font) {
    char command[300], found[8] = "";
    const char *known = getenv("PLOT_FONT_FOUND"); /* plots/draw has looked for it */
    if (known && !strcmp(known, font))
        return;
    if (strpbrk(font, "'\\\n"))
        fail("PLOT_FONT: no font is called %s", font);
    snprintf(command, sizeof command,
             "command -v fc-list >/dev/null 2>&1 || echo none; fc-list '%s' 2>/dev/null", font);
    FILE *list = popen(command, "r");
    bool any = list && fgets(found, sizeof found, list);
    if (list)
        pclose(list);
    if (!any)
        fail("font '%s' is missing: install fonts-dejavu-core (make setup), or name another in "
             "PLOT_FONT",
             font);
}

static const char *setting(const char *variable, const char *otherwise) {
    const char *value = getenv(variable);
    return value && *value ? value : otherwise;
}

/* The picture is made beside its place: fails if none can be. */
static void name_temporary(const char *out, char *temporary, size_t size) {
    const char *slash = strrchr(out, '/');
    int folder = slash ? (int)(slash - out) + 1 : 0;
    check_folder(out);
    snprintf(temporary, size, "%.*s.%s.%ld.part", folder, out, out + folder, (long)getpid());
    FILE *file = fopen(temporary, "w");
    if (!file)
        fail("cannot write %s: %s", out, strerror(errno));
    fclose(file);
    unlink(temporary);
}

void file_begin(const char *out) {
    const char *format = format_of(out), *font = setting("PLOT_FONT", "DejaVu Sans");
    char temporary[4200] = "-";
    if (strcmp(out, "-") != 0)
        name_temporary(out, temporary, sizeof temporary);
    if (strcmp(format, "png") == 0 || strcmp(format, "pdf") == 0)
        check_font(font); /* an SVG names its font and leaves it to the viewer */
    printf("format = '%s'\nfont_name = ", format);
    emit_text(font);
    printf("\nterminal = ");
    emit_text(setting("PLOT_TERMINAL", ""));
    printf("\nout = ");
    emit_text(out);
    printf("\ntemporary = ");
    emit_text(temporary);
    puts("");
}

/* True if the file's last bytes have the words that end a picture of this format. */
static bool ends_well(const char *path, const char *format) {
    static const char *const ends[][2] = {{"png", "IEND"}, {"svg", "</svg>"}, {"pdf", "%%EOF"}};
    char tail[65] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    if (fseek(file, -64, SEEK_END) != 0)
        rewind(file);
    size_t bytes = fread(tail, 1, 64, file);
    fclose(file);
    for (size_t i = 0; i < bytes; i++)
        tail[i] = tail[i] ? tail[i] : ' ';
    for (int i = 0; i < 3; i++)
        if (strcmp(ends[i][0], format) == 0)
            return strstr(tail, ends[i][1]) != NULL;
    return bytes > 0;
}

int file_finish(const char *temporary, const char *out) {
    if (strcmp(out, "-") == 0)
        return 0;
    if (!ends_well(temporary, format_of(out))) {
        unlink(temporary);
        fprintf(stderr, "plots: %s was not drawn whole (disk full?); no file is left\n", out);
        return 1;
    }
    if (rename(temporary, out) != 0) {
        fprintf(stderr, "plots: cannot write %s: %s\n", out, strerror(errno));
        unlink(temporary);
        return 1;
    }
    return 0;
}
