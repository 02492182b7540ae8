/* Text in a picture: how wide it is, how to make it fit, how to write numbers. */
#include "plot_data.h"

#include <math.h>
#include <string.h>

/* Advance widths of DejaVu Sans, U+0020 to U+007E, in thousandths of an em (from the font). */
static const short advance[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

double text_width(const char *text, double em_px) {
    int sum = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p >= 32 && *p < 127)
            sum += advance[*p - 32];
        else if ((*p & 0xC0) != 0x80) /* one for each character of UTF-8, not for each byte */
            sum += 838;
    }
    return sum * em_px / 1000;
}

static const char *keep_text(const char *text, size_t length) {
    char *copy = (char *)need_memory(NULL, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Profilers call a copy "[CUDA memcpy Host-to-Device]" or "[CUDA memcpy HtoD]". */
static const char *memory_work(const char *name) {
    static const char *const words[][2] = {
        {"Host-to-Device", "h2d"},   {"HtoD", "h2d"}, {"Device-to-Host", "d2h"}, {"DtoH", "d2h"},
        {"Device-to-Device", "d2d"}, {"DtoD", "d2d"}, {"Peer-to-Peer", "peer"},  {"PtoP", "peer"},
        {"Host-to-Host", "h2h"},     {"HtoH", "h2h"}, {"memset", "memset"}};
    if (strncmp(name, "[CUDA mem", 9) != 0 && strncmp(name, "[Unified Memory Mem", 19) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i][0]))
            return words[i][1];
    return NULL;
}

/* "void ns::gemm<double, 16>(Params)" becomes "gemm". CUTLASS names all its kernels Kernel or
 * Kernel2 and says which one it is in the template's argument: there the argument is kept. */
const char *short_name(const char *name) {
    static const char *seen, *answer; /* names come in runs */
    if (name == seen)
        return answer;
    const char *memory = memory_work(name);
    if (memory)
        return memory;
    const char *start = strncmp(name, "void ", 5) == 0 ? name + 5 : name;
    size_t length = strcspn(start, "<(");
    for (size_t i = 0; i + 1 < length; i++)
        if (start[i] == ':' && start[i + 1] == ':') {
            start += i + 2;
            length -= i + 2;
            i = (size_t)-1;
        }
    bool wrapper = start[length] == '<' && strncmp(start, "Kernel", 6) == 0 && length <= 7;
    if (wrapper) {
        start += length + 1;
        length = strcspn(start, "<>(,");
    }
    seen = name;
    answer = length > 0 ? keep_text(start, length) : name;
    return answer;
}

const char *name_that_fits(const char *name, double width_px, double em_px) {
    if (width_px < 2 * em_px)
        return "";
    if (text_width(name, em_px) <= width_px)
        return name;
    const char *brief = short_name(name);
    if (text_width(brief, em_px) <= width_px)
        return brief;
    char cut[200];
    size_t length = strlen(brief) < sizeof cut - 4 ? strlen(brief) : sizeof cut - 4;
    for (; length >= 5; length--) {
        if ((brief[length] & 0xC0) == 0x80)
            continue; /* not inside a character */
        snprintf(cut, sizeof cut, "%.*s…", (int)length, brief);
        if (text_width(cut, em_px) <= width_px)
            return keep_text(cut, strlen(cut));
    }
    return "";
}

const char *show_ns(double ns) {
    static char buffer[16][32];
    static int turn;
    static const struct {
        double ns;
        const char *name;
    } unit[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    int u = 0;
    while (u < 3 && fabs(ns) < unit[u].ns * 0.9995)
        u++;
    double value = ns / unit[u].ns;
    int decimals = u == 3 || fabs(value) >= 99.95 ? 0 : fabs(value) >= 9.995 ? 1 : 2;
    turn = (turn + 1) % 16;
    snprintf(buffer[turn], sizeof buffer[turn], "%.*f %s", decimals, value, unit[u].name);
    return buffer[turn];
}

const char *show_count(long long n) {
    static char buffer[16][32];
    static int turn;
    char plain[24];
    turn = (turn + 1) % 16;
    int length = snprintf(plain, sizeof plain, "%lld", n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && length > 4)
            buffer[turn][at++] = ' ';
        buffer[turn][at++] = plain[i];
    }
    buffer[turn][at] = '\0';
    return buffer[turn];
}

/* Width of text up to, and with, the character that begins at end. */
static double width_to(char *text, char *end, double em_px) {
    char after = end[1];
    end[1] = '\0'; /* of a character of several bytes the first counts */
    double width = text_width(text, em_px);
    end[1] = after;
    return width;
}

int wrap_text(char *text, size_t size, double width_px, double em_px) {
    int lines = 1;
    char *start = text, *space = NULL;
    bool figures = false;
    for (char *p = text; *p; p++) {
        if ((*p & 0xC0) == 0x80)
            continue;
        /* Between figures: two spaces, but not those before the dot. */
        bool figure = *p == ' ' && p > start && p[-1] == ' ' && (p[1] & 0x80) == 0;
        if (figure || (*p == ' ' && !figures))
            space = p;
        figures |= figure;
        if (width_to(start, p, em_px) <= width_px || p == start)
            continue;
        if (space) {
            *space = '\n';
            p = space;
        } else if (strlen(text) + 2 < size) { /* a long word is broken */
            memmove(p + 1, p, strlen(p) + 1);
            *p = '\n';
        } else {
            break;
        }
        start = p + 1;
        space = NULL;
        figures = false;
        lines++;
    }
    return lines;
}

/* Lines stay apart only for gnuplot's double quotes. */
void emit_text(const char *text) {
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\n')
            fputs("'.\"\\n\".'", stdout);
        else if (*text == '\'')
            fputs("''", stdout);
        else
            putchar(*text == '\r' ? ' ' : *text);
    }
    putchar('\'');
}

/* gnuplot takes quotes and backslashes in data as syntax, so they are replaced by their likes. */
void emit_field(const char *text) {
    for (; *text; text++) {
        char c = *text;
        putchar(c == '"' ? '\'' : c == '\\' ? '/' : (unsigned char)c < ' ' ? ' ' : c);
    }
}

void print_wrapped(const char *text) {
    char copy[HEAD_TEXT];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *line = copy; strlen(line) > TERMINAL_COLUMNS;) { /* bytes: never wider than that */
        char *end = line + TERMINAL_COLUMNS;
        while (end > line && *end != ' ')
            end--;
        if (end == line)
            break;
        *end = '\n';
        line = end + 1;
    }
    puts(copy);
}
