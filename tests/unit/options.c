#include "options.h"

#include <stdlib.h>

#include "error.h"
#include "tap.h"

static int64_t flag, number, size, sleep_ns, memory, shared_number;
static struct int_list dims;
static const char *text;

static const struct option_spec own[] = {
    {"flag", OPTION_FLAG, &flag, 0, 0, NULL, "a flag"},
    {"number", OPTION_INT, &number, 1, 1001, NULL, "a number"},
    {"bytes", OPTION_BYTES, &size, 4, INT64_C(1) << 40, NULL, "a size"},
    {"sleep", OPTION_TIME, &sleep_ns, 1000, INT64_C(10000000000), NULL, "a time"},
    {"memory", OPTION_CHOICE, &memory, 0, 0, "pageable|pinned|registered", "a word"},
    {"dims", OPTION_INT_LIST, &dims, 1, 16384, NULL, "numbers"},
    {"text", OPTION_STRING, &text, 0, 0, NULL, "a text"},
    {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
};
static const struct option_spec shared[] = {
    {"shared", OPTION_INT, &shared_number, INT64_MIN, INT64_MAX, NULL, "a shared number"},
    {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
};

static void reset(void) {
    flag = memory = shared_number = 0;
    number = 5;
    size = 64 << 20;
    sleep_ns = 10000000;
    dims.n = 2;
    dims.value[0] = 64;
    dims.value[1] = 256;
    text = NULL;
}

/* A command line as a table of up to 7 words. */
struct words {
    const char *word[8];
};

static void parse(void *state) {
    struct words *words = (struct words *)state;
    int n = 0;
    while (words->word[n] != NULL)
        n++;
    char *argv[10] = {"lab-1"};
    memcpy(argv + 1, words->word, (size_t)n * sizeof *argv);
    error_program("lab-1");
    options_parse(own, shared, n + 1, argv);
}

#define PARSE(...)                                                                                 \
    do {                                                                                           \
        struct words tap_words = {{__VA_ARGS__}};                                                  \
        reset();                                                                                   \
        parse(&tap_words);                                                                         \
    } while (0)

#define REFUSES(message, ...)                                                                      \
    do {                                                                                           \
        struct words tap_words = {{__VA_ARGS__}};                                                  \
        reset();                                                                                   \
        EXPECT_DIES(parse, &tap_words, EXIT_USAGE, message);                                       \
    } while (0)

static void both_ways_to_give_a_value(void) {
    PARSE("--number", "12");
    EXPECT_INT(number, 12);
    PARSE("--number=13");
    EXPECT_INT(number, 13);
    PARSE("--text=a=b");
    EXPECT_TEXT(text, "a=b");
    PARSE("--text", "-x");
    EXPECT_TEXT(text, "-x");
    PARSE("--flag", "--number", "1", "--shared", "-7");
    EXPECT_INT(flag, 1);
    EXPECT_INT(number, 1);
    EXPECT_INT(shared_number, -7);
}

static void defaults_stay(void) {
    PARSE(NULL);
    EXPECT_INT(flag, 0);
    EXPECT_INT(number, 5);
    EXPECT_INT(size, 64 << 20);
    EXPECT_INT(dims.n, 2);
    EXPECT(text == NULL);
}

static void the_last_one_counts(void) {
    PARSE("--number", "1", "--number=2");
    EXPECT_INT(number, 2);
}

static void sizes_and_their_units(void) {
    static const struct {
        const char *given;
        int64_t bytes;
    } sizes[] = {
        {"4", 4},
        {"10B", 10},
        {"10KB", 10000},
        {"10MB", 10000000},
        {"2GB", 2000000000},
        {"1KiB", 1024},
        {"64MiB", 67108864},
        {"2GiB", 2147483648},
        {"1024GiB", INT64_C(1) << 40},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        PARSE("--bytes", sizes[i].given);
        EXPECT_INT(size, sizes[i].bytes);
    }
}

static void times_and_their_units(void) {
    PARSE("--sleep", "1500ns");
    EXPECT_INT(sleep_ns, 1500);
    PARSE("--sleep", "20us");
    EXPECT_INT(sleep_ns, 20000);
    PARSE("--sleep=10ms");
    EXPECT_INT(sleep_ns, 10000000);
    PARSE("--sleep", "2s");
    EXPECT_INT(sleep_ns, 2000000000);
}

static void words_and_lists(void) {
    PARSE("--memory", "pageable");
    EXPECT_INT(memory, 0);
    PARSE("--memory", "registered");
    EXPECT_INT(memory, 2);
    PARSE("--dims", "16");
    EXPECT_INT(dims.n, 1);
    EXPECT_INT(dims.value[0], 16);
    PARSE("--dims=64,256,8192");
    EXPECT_INT(dims.n, 3);
    EXPECT_INT(dims.value[2], 8192);
}

static void limits_are_inclusive(void) {
    PARSE("--number", "1001");
    EXPECT_INT(number, 1001);
    PARSE("--number", "1");
    EXPECT_INT(number, 1);
    PARSE("--shared", "9223372036854775807");
    EXPECT_INT(shared_number, INT64_MAX);
    PARSE("--shared", "-9223372036854775808");
    EXPECT_INT(shared_number, INT64_MIN);
}

static void bad_numbers(void) {
    REFUSES("lab-1: --number: '0' is zero; allowed: a whole number, 1 to 1001", "--number", "0");
    REFUSES("'-3' is negative", "--number", "-3");
    REFUSES("'-3' is negative", "--number=-3");
    REFUSES("'1002' is too large", "--number", "1002");
    REFUSES("'99999999999999999999' is too large", "--number", "99999999999999999999");
    REFUSES("'9223372036854775808' is too large", "--shared", "9223372036854775808");
    REFUSES("'-9223372036854775809' is too small", "--shared", "-9223372036854775809");
    REFUSES("'12x' is not a number", "--number", "12x");
    REFUSES("'x' is not a number", "--number", "x");
    REFUSES("'' is not a number", "--number", "");
    REFUSES("'' is not a number", "--number=");
    REFUSES("' 1' is not a number", "--number", " 1");
    REFUSES("'+1' is not a number", "--number", "+1");
    REFUSES("'-' is not a number", "--number", "-");
    REFUSES("'0x10' is not a number", "--number", "0x10");
    REFUSES("'1e3' is not a number", "--number", "1e3");
    REFUSES("'1.5' is not a whole number", "--number", "1.5");
    REFUSES("'nan' is not a number", "--number", "nan");
}

static void bad_sizes_and_times(void) {
    REFUSES("--bytes: '0' is zero; allowed: a whole number of B, KB, MB, GB, KiB, MiB or GiB, "
            "4B to 1024GiB",
            "--bytes", "0");
    REFUSES("'3' is too small", "--bytes", "3");
    REFUSES("'-1MiB' is negative", "--bytes", "-1MiB");
    REFUSES("'1025GiB' is too large", "--bytes", "1025GiB");
    REFUSES("'9000000000GiB' is too large", "--bytes", "9000000000GiB");
    REFUSES("'-9000000000GiB' is too small", "--bytes", "-9000000000GiB");
    REFUSES("'5Mib' is not a number with a known unit", "--bytes", "5Mib");
    REFUSES("'5 MiB' is not a number with a known unit", "--bytes", "5 MiB");
    REFUSES("'MiB' is not a number", "--bytes", "MiB");
    REFUSES("'1.5GiB' is not a whole number", "--bytes", "1.5GiB");
    REFUSES("'10' is a number without a unit; allowed: a whole number of ns, us, ms or s, "
            "1us to 10s",
            "--sleep", "10");
    REFUSES("'10m' is not a number with a known unit", "--sleep", "10m");
    REFUSES("'10MiB' is not a number with a known unit", "--sleep", "10MiB");
    REFUSES("'999ns' is too small", "--sleep", "999ns");
    REFUSES("'0ms' is zero", "--sleep", "0ms");
    REFUSES("'11s' is too large", "--sleep", "11s");
    REFUSES("'10000000000s' is too large", "--sleep", "10000000000s");
}

static void bad_words_and_lists(void) {
    REFUSES("--memory: 'pinne' is not known; allowed: pageable|pinned|registered", "--memory",
            "pinne");
    REFUSES("'pinned|registered' is not known", "--memory", "pinned|registered");
    REFUSES("'' is not known", "--memory=");
    REFUSES("'64,,256' is not a number", "--dims", "64,,256");
    REFUSES("'64,' is not a number", "--dims", "64,");
    REFUSES("'64,x' is not a number", "--dims", "64,x");
    REFUSES("'64,0' is zero", "--dims", "64,0");
    REFUSES("'64,16385' is too large; allowed: whole numbers with commas between, 1 to 16384",
            "--dims", "64,16385");
    REFUSES("is too large", "--dims", "1,99999999999999999999999999999999999999");
}

static void a_list_that_is_too_long(void) {
    char list[300] = "1";
    for (int i = 1; i < MAX_INT_LIST; i++)
        strcat(list, ",1");
    PARSE("--dims", list);
    EXPECT_INT(dims.n, MAX_INT_LIST);
    strcat(list, ",1");
    REFUSES("more than 64 numbers", "--dims", list);
}

static void a_refused_list_changes_nothing(void) {
    struct words words = {{"--dims", "1,2,x"}};
    reset();
    tap_child(parse, &words);
    EXPECT_INT(dims.n, 2);
}

static void missing_and_unwanted_values(void) {
    REFUSES("--number: its value is missing", "--number");
    REFUSES("--number: its value is missing", "--number", "--flag");
    REFUSES("--text: its value is missing", "--text", "--flag");
    REFUSES("--text: nothing was given", "--text=");
    REFUSES("--flag: '1' was given; allowed: no value", "--flag=1");
}

static void unknown_options(void) {
    REFUSES("lab-1: --nmber is unknown; see --help", "--nmber", "3");
    REFUSES("--nmber is unknown", "--nmber=3");
    REFUSES("--num is unknown", "--num", "3"); /* no abbreviations */
    REFUSES("'-n' is not an option", "-n", "3");
    REFUSES("'pinned' is not an option", "pinned");
    REFUSES("'--' is not an option", "--", "pinned");
    REFUSES("'' is not an option", "");
    REFUSES("-- is unknown; see --help", "--=3");
}

static void print_help(void *unused) {
    static const char *const parts[] = {"some part", "another part", NULL};
    (void)unused;
    dup2(STDERR_FILENO, STDOUT_FILENO);
    options_help("lab-1", "Shows something.", parts, own, shared);
}

static void help_lists_all_with_their_defaults(void) {
    reset();
    EXPECT_INT(tap_child(print_help, NULL), 0);
    EXPECT_PART(tap_messages, "usage: lab-1 ");
    EXPECT_PART(tap_messages, "Shows something.");
    EXPECT_PART(tap_messages, "  a  some part\n  b  another part\n");
    for (const struct option_spec *o = own; o->name != NULL; o++) {
        EXPECT_PART(tap_messages, o->name);
        EXPECT_PART(tap_messages, o->help);
    }
    EXPECT_PART(tap_messages, "a number [5]");
    EXPECT_PART(tap_messages, "a size [64MiB]");
    EXPECT_PART(tap_messages, "a time [10ms]");
    EXPECT_PART(tap_messages, "a word (pageable|pinned|registered) [pageable]");
    EXPECT_PART(tap_messages, "numbers [64,256]");
    EXPECT_PART(tap_messages, "a text\n");
    EXPECT_PART(tap_messages, "a shared number [0]");
}

int main(void) {
    static const struct tap_test tests[] = {
        {"both ways to give a value", both_ways_to_give_a_value},
        {"defaults stay", defaults_stay},
        {"the last one counts", the_last_one_counts},
        {"sizes and their units", sizes_and_their_units},
        {"times and their units", times_and_their_units},
        {"words and lists", words_and_lists},
        {"limits are inclusive", limits_are_inclusive},
        {"bad numbers", bad_numbers},
        {"bad sizes and times", bad_sizes_and_times},
        {"bad words and lists", bad_words_and_lists},
        {"a list that is too long", a_list_that_is_too_long},
        {"a refused list changes nothing", a_refused_list_changes_nothing},
        {"missing and unwanted values", missing_and_unwanted_values},
        {"unknown options", unknown_options},
        {"help lists all options with their defaults", help_lists_all_with_their_defaults},
    };
    return TAP_RUN(tests);
}
