#include "report.h"

#include <stdlib.h>

#include "tap.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static void times_have_three_digits(void) {
    EXPECT_TEXT(show_time(0), "0 ns");
    EXPECT_TEXT(show_time(38), "38 ns");
    EXPECT_TEXT(show_time(38.25), "38.2 ns");
    EXPECT_TEXT(show_time(4.4), "4.40 ns");
    EXPECT_TEXT(show_time(999), "999 ns");
    EXPECT_TEXT(show_time(1000), "1.00 us");
    EXPECT_TEXT(show_time(8334), "8.33 us");
    EXPECT_TEXT(show_time(20157648), "20.2 ms");
    EXPECT_TEXT(show_time(540e6), "540 ms");
    EXPECT_TEXT(show_time(5.203e9), "5.20 s");
    EXPECT_TEXT(show_time(12345e9), "12345 s");
    EXPECT_TEXT(show_time(-8334), "-8.33 us");
    EXPECT_TEXT(show_time(NAN), "-");
}

static void rounding_up_changes_the_unit(void) {
    EXPECT_TEXT(show_time(999.4), "999 ns");
    EXPECT_TEXT(show_time(999.6), "1.00 us");
    EXPECT_TEXT(show_time(999499), "999 us");
    EXPECT_TEXT(show_time(999600), "1.00 ms");
    EXPECT_TEXT(show_time(9994), "9.99 us");
    EXPECT_TEXT(show_time(9996), "10.0 us");
    EXPECT_TEXT(show_time(99940), "99.9 us");
    EXPECT_TEXT(show_time(99960), "100 us");
}

static void sizes_count_in_1024s(void) {
    EXPECT_TEXT(show_bytes(0), "0 B");
    EXPECT_TEXT(show_bytes(4), "4 B");
    EXPECT_TEXT(show_bytes(1023), "1023 B");
    EXPECT_TEXT(show_bytes(1024), "1.00 KiB");
    EXPECT_TEXT(show_bytes(65536), "64.0 KiB");
    EXPECT_TEXT(show_bytes(65537), "64.0 KiB");
    EXPECT_TEXT(show_bytes(64 << 20), "64.0 MiB");
    EXPECT_TEXT(show_bytes(1023.0 * 1024), "1023 KiB");
    EXPECT_TEXT(show_bytes(1048575), "1.00 MiB");
    EXPECT_TEXT(show_bytes(2147483648.0), "2.00 GiB");
    EXPECT_TEXT(show_bytes(NAN), "-");
}

static void rates_count_in_1000s(void) {
    EXPECT_TEXT(show_rate(55.4e9, 1e9), "55.4 GB/s");
    EXPECT_TEXT(show_rate(64 << 20, 4339000), "15.5 GB/s");
    EXPECT_TEXT(show_rate(1e13, 1e9), "10.0 TB/s");
    EXPECT_TEXT(show_rate(500, 1e9), "500 B/s");
    EXPECT_TEXT(show_rate(500, 0), "-");
    EXPECT_TEXT(show_rate(NAN, 1), "-");
    EXPECT_TEXT(show_rate(1, NAN), "-");
}

static void shares(void) {
    EXPECT_TEXT(show_percent(0), "0 %");
    EXPECT_TEXT(show_percent(0.012), "1.2 %");
    EXPECT_TEXT(show_percent(0.4749), "47.5 %");
    EXPECT_TEXT(show_percent(0.9994), "99.9 %");
    EXPECT_TEXT(show_percent(0.9996), "100 %");
    EXPECT_TEXT(show_percent(1), "100 %");
    EXPECT_TEXT(show_percent(NAN), "-");
}

static void samples_with_their_spread(void) {
    struct samples s = {0};
    EXPECT_TEXT(show_times(&s), "-");
    samples_add(&s, 8.30e6);
    samples_add(&s, 8.33e6);
    samples_add(&s, 8.51e6);
    EXPECT_TEXT(show_times(&s), "8.33 ms (8.30 to 8.51 ms, n 3, cov 1.4 %)");
    samples_add(&s, 900e3);
    samples_add(&s, 1.2e9);
    EXPECT_TEXT(show_times(&s), "8.33 ms (900 us to 1.20 s, n 5, cov 218 %)");
}

static void thirty_two_results_live_at_once(void) {
    const char *first = show_time(1);
    for (int i = 0; i < 31; i++)
        show_time(1000);
    EXPECT_TEXT(first, "1 ns");
}

/* ---- text and tables ------------------------------------------------------------------------- */

/* What fn prints to stdout. */
static const char *printed(void (*fn)(void *), void *state);

static struct {
    void (*fn)(void *);
    void *state;
} redirected;

static void to_stderr(void *unused) {
    (void)unused;
    dup2(STDERR_FILENO, STDOUT_FILENO);
    redirected.fn(redirected.state);
}

static const char *printed(void (*fn)(void *), void *state) {
    redirected.fn = fn;
    redirected.state = state;
    EXPECT_INT(tap_child(to_stderr, NULL), 0);
    return tap_messages;
}

static void say_text(void *text) {
    say("%s", (const char *)text);
}

static void indent_text(void *text) {
    say_indented(15, (const char *)text);
}

static void a_paragraph_is_wrapped(void) {
    char words[400] = "";
    for (int i = 0; i < 90; i++)
        strcat(words, "abc ");
    const char *text = printed(say_text, words);
    int lines = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line, "\n");
        EXPECT(length <= 100 && line[0] != ' ' && line[length - 1] != ' ');
        EXPECT_INT(length, lines < 3 ? 99 : 59); /* 25 words of three and a blank between them */
        lines++;
    }
    EXPECT_INT(lines, 4);
}

static void say_behind(void *text) {
    printf("pass  ");
    say_from(6, (const char *)text);
}

static void a_paragraph_behind_a_word(void) {
    char words[200] = "";
    for (int i = 0; i < 20; i++)
        strcat(words, "four ");
    const char *text = printed(say_behind, words);
    EXPECT_INT(strcspn(text, "\n"), 6 + 19 * 5 - 1); /* 19 words end at column 100 */
    EXPECT_PART(text, "\n      four\n");
    EXPECT_TEXT(printed(say_behind, "x"), "pass  x\n");
    EXPECT_TEXT(printed(say_behind, ""), "pass  \n");
}

static void odd_paragraphs(void) {
    char word[200];
    memset(word, 'w', 150);
    word[150] = '\0';
    EXPECT_TEXT(printed(say_text, "one"), "one\n");
    EXPECT_TEXT(printed(say_text, ""), "");
    EXPECT_TEXT(printed(say_text, "a\nb\n"), "a\nb\n");
    EXPECT_TEXT(printed(say_text, "a\n\nb"), "a\n\nb\n");
    EXPECT_TEXT(printed(indent_text, "a b\nc"), "               a b\n               c\n");
    EXPECT_INT(strlen(printed(say_text, word)), 151); /* longer than a line: left whole */
}

static void print_table(void *unused) {
    (void)unused;
    table_begin(3, "call", "returned", "blocked");
    table_cell("H2D %d", 1);
    table_cell("8.33 ms");
    table_cell("yes");
    table_cell("a longer call");
    table_cell("-");
    table_cell("no");
    table_cell("d\xc3\xa9j\xc3\xa0"); /* four columns in six bytes */
    table_cell("31 us");
    table_end();
}

static void a_table_lines_up(void) {
    EXPECT_TEXT(printed(print_table, NULL), "call           returned  blocked\n"
                                            "-------------  --------  -------\n"
                                            "H2D 1           8.33 ms  yes\n"
                                            "a longer call         -  no\n"
                                            "d\xc3\xa9j\xc3\xa0              31 us  \n");
}

static void print_two_tables(void *unused) {
    (void)unused;
    table_begin(1, "a");
    table_end();
    table_begin(2, "b", "c");
    table_cell("x");
    table_cell("y");
    table_end();
}

static void a_table_without_rows_and_another(void) {
    EXPECT_TEXT(printed(print_two_tables, NULL), "a\n-\nb  c\n-  -\nx  y\n");
}

int main(void) {
    static const struct tap_test tests[] = {
        {"times have three digits", times_have_three_digits},
        {"rounding up changes the unit", rounding_up_changes_the_unit},
        {"sizes count in 1024s", sizes_count_in_1024s},
        {"rates count in 1000s", rates_count_in_1000s},
        {"shares", shares},
        {"samples with their spread", samples_with_their_spread},
        {"32 results live at once", thirty_two_results_live_at_once},
        {"a paragraph is wrapped", a_paragraph_is_wrapped},
        {"a paragraph behind a word", a_paragraph_behind_a_word},
        {"odd paragraphs", odd_paragraphs},
        {"a table lines up", a_table_lines_up},
        {"a table without rows, and another", a_table_without_rows_and_another},
    };
    return TAP_RUN(tests);
}
