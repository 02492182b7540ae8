#include "csv.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "error.h"
#include "folder.h"
#include "tap.h"

static const char *file_with_text(const char *text) {
    struct csv *csv = csv_create(folder, "t.csv");
    csv_text(csv, text);
    csv_text(csv, "end");
    csv_end_row(csv);
    csv_commit(csv);
    return folder_read("t.csv");
}

static void fields_are_quoted_when_they_must_be(void) {
    EXPECT_TEXT(file_with_text("plain text"), "plain text,end\n");
    EXPECT_TEXT(file_with_text("gemm<double, 16>"), "\"gemm<double, 16>\",end\n");
    EXPECT_TEXT(file_with_text("say \"so\""), "\"say \"\"so\"\"\",end\n");
    EXPECT_TEXT(file_with_text("two\nlines"), "\"two\nlines\",end\n");
    EXPECT_TEXT(file_with_text("return\r"), "\"return\r\",end\n");
    EXPECT_TEXT(file_with_text(""), ",end\n");
    EXPECT_TEXT(file_with_text(NULL), ",end\n");
}

static const char *file_with_int(int64_t value) {
    struct csv *csv = csv_create(folder, "t.csv");
    csv_int(csv, value);
    csv_end_row(csv);
    csv_commit(csv);
    return folder_read("t.csv");
}

static void whole_numbers(void) {
    EXPECT_TEXT(file_with_int(0), "0\n");
    EXPECT_TEXT(file_with_int(-1), "-1\n");
    EXPECT_TEXT(file_with_int(1000000000), "1000000000\n");
    EXPECT_TEXT(file_with_int(INT64_MAX), "9223372036854775807\n");
    EXPECT_TEXT(file_with_int(INT64_MIN), "-9223372036854775808\n");
}

static const char *file_with_real(double value) {
    struct csv *csv = csv_create(folder, "t.csv");
    csv_real(csv, value);
    csv_end_row(csv);
    csv_commit(csv);
    return folder_read("t.csv");
}

static void real_numbers_are_short_and_exact(void) {
    EXPECT_TEXT(file_with_real(0.1), "0.1\n");
    EXPECT_TEXT(file_with_real(0), "0\n");
    EXPECT_TEXT(file_with_real(14700), "14700\n");
    EXPECT_TEXT(file_with_real(2147483648.0), "2147483648\n");
    EXPECT_TEXT(file_with_real(1e23), "1e+23\n");
    EXPECT_TEXT(file_with_real(5e-324), "5e-324\n");
    EXPECT_TEXT(file_with_real(1.0 / 3), "0.3333333333333333\n");
    EXPECT_TEXT(file_with_real(-8334123.5), "-8334123.5\n");
    EXPECT_TEXT(file_with_real(NAN), "\n");
    srand(2);
    for (int i = 0; i < 200; i++) {
        double value = ldexp(rand() / 3.0, rand() % 400 - 200);
        EXPECT(strtod(file_with_real(value), NULL) == value);
    }
}

/* A locale with a decimal comma is made where it can be: a bare system has none. */
static bool comma_locale(void) {
    char command[256];
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL)
        return true;
    snprintf(command, sizeof command,
             "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    int failed = system(command);
    setenv("LOCPATH", folder, 1);
    return failed == 0 && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void a_decimal_comma_changes_nothing(void) {
    char printed[16];
    if (!comma_locale()) {
        TAP_SKIP("no locale with a decimal comma, and none could be made");
        return;
    }
    snprintf(printed, sizeof printed, "%.1f", 0.5);
    EXPECT_TEXT(printed, "0,5");
    EXPECT_TEXT(file_with_real(1234567.5), "1234567.5\n");
    EXPECT_TEXT(file_with_real(0.1), "0.1\n");
    snprintf(printed, sizeof printed, "%.1f", 0.5);
    EXPECT_TEXT(printed, "0,5"); /* and the caller's locale is as it was */
    setlocale(LC_ALL, "C");
}

static void long_files_and_long_fields(void) {
    char field[3001];
    memset(field, 'x', 3000);
    field[3000] = '\0';
    struct csv *csv = csv_create(folder, "long.csv");
    for (int i = 0; i < 400; i++) {
        csv_int(csv, i);
        csv_text(csv, field);
        csv_end_row(csv);
    }
    csv_commit(csv);
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s/long.csv", folder);
    EXPECT_INT(stat(path, &info), 0);
    EXPECT_INT(info.st_size, 400 * 3002 + 10 + 90 * 2 + 300 * 3);
}

static void a_file_appears_only_when_committed(void) {
    struct csv *csv = csv_create(folder, "late.csv");
    csv_text(csv, "x");
    csv_end_row(csv);
    EXPECT_TEXT(folder_read("late.csv"), "");
    csv_commit(csv);
    EXPECT_TEXT(folder_read("late.csv"), "x\n");
    EXPECT(strchr(folder_names(), '.') != NULL && strstr(folder_names(), ".late.csv") == NULL);
}

static void a_batch_appears_together(void) {
    csv_batch_begin();
    struct csv *one = csv_create(folder, "one.csv");
    csv_text(one, "1");
    csv_commit(one);
    struct csv *two = csv_create(folder, "two.csv");
    EXPECT_TEXT(folder_read("one.csv"), "");
    csv_text(two, "2");
    csv_commit(two);
    csv_batch_end();
    EXPECT_TEXT(folder_read("one.csv"), "1");
    EXPECT_TEXT(folder_read("two.csv"), "2");
}

static void folders_are_made(void) {
    char deep[128], path[160];
    struct stat info;
    snprintf(deep, sizeof deep, "%s/a/b//c/", folder);
    csv_commit(csv_create(deep, "x.csv"));
    snprintf(path, sizeof path, "%s/a/b/c/x.csv", folder);
    EXPECT_INT(stat(path, &info), 0);
}

/* ---- bad luck -------------------------------------------------------------------------------- */

static void create_in(void *dir) {
    error_catch_signals();
    csv_commit(csv_create((const char *)dir, "x.csv"));
}

static void create_as_nobody(void *dir) {
    if (geteuid() == 0 && setuid(65534) != 0)
        _exit(99);
    create_in(dir);
}

static void a_folder_that_cannot_be_written_dies(void) {
    EXPECT_DIES(create_in, "/dev/null/x", EXIT_ENVIRONMENT, "/dev/null: Not a directory");
    EXPECT_DIES(create_in, "/proc/no/such", EXIT_ENVIRONMENT, "--out");
    EXPECT_DIES(create_in, "", EXIT_ENVIRONMENT, "--out");
    chmod(folder, 0555);
    EXPECT_DIES(create_as_nobody, folder, EXIT_ENVIRONMENT, "Permission denied");
    chmod(folder, 0755);
}

static void a_folder_of_that_name_dies(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/x.csv", folder);
    mkdir(path, 0777);
    EXPECT_DIES(create_in, folder, EXIT_ENVIRONMENT, "x.csv");
    EXPECT_TEXT(folder_names(), "x.csv ");
}

/* A limit on the size of files stands for a full disk: write fails in the middle. */
static void write_too_much(void *batch) {
    struct rlimit limit = {100000, 100000};
    error_catch_signals();
    setrlimit(RLIMIT_FSIZE, &limit);
    if (batch != NULL)
        csv_batch_begin();
    csv_commit(csv_create(folder, "small.csv"));
    struct csv *csv = csv_create(folder, "big.csv");
    for (int i = 0; i < 1000000; i++)
        csv_int(csv, i);
    csv_commit(csv);
    csv_batch_end();
}

static void a_full_disk_leaves_no_part_of_a_file(void) {
    EXPECT_DIES(write_too_much, NULL, EXIT_ENVIRONMENT, "big.csv: File too large");
    EXPECT_TEXT(folder_names(), "small.csv ");
}

static void a_full_disk_leaves_no_part_of_a_batch(void) {
    EXPECT_DIES(write_too_much, "batch", EXIT_ENVIRONMENT, "big.csv: File too large");
    EXPECT_TEXT(folder_names(), "");
}

static void a_full_disk_keeps_the_file_of_an_earlier_run(void) {
    struct csv *csv = csv_create(folder, "big.csv");
    csv_text(csv, "earlier");
    csv_commit(csv);
    EXPECT_DIES(write_too_much, "batch", EXIT_ENVIRONMENT, "big.csv");
    EXPECT_TEXT(folder_names(), "big.csv ");
    EXPECT_TEXT(folder_read("big.csv"), "earlier");
}

static void be_stopped_by(void *number) {
    error_program("lab-1");
    error_catch_signals();
    struct csv *csv = csv_create(folder, "half.csv");
    csv_text(csv, "half");
    raise(*(int *)number);
    csv_commit(csv);
}

static void a_signal_leaves_no_part_of_a_file(void) {
    static int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        EXPECT_DIES(be_stopped_by, &numbers[i], 128 + numbers[i], "lab-1: ");
        EXPECT_TEXT(folder_names(), "");
    }
}

/* Each test has a folder of its own. */
#define IN_FOLDER(test)                                                                            \
    static void test##_in_folder(void) {                                                           \
        folder_new();                                                                              \
        test();                                                                                    \
        folder_remove();                                                                           \
    }

IN_FOLDER(fields_are_quoted_when_they_must_be)
IN_FOLDER(whole_numbers)
IN_FOLDER(real_numbers_are_short_and_exact)
IN_FOLDER(a_decimal_comma_changes_nothing)
IN_FOLDER(long_files_and_long_fields)
IN_FOLDER(a_file_appears_only_when_committed)
IN_FOLDER(a_batch_appears_together)
IN_FOLDER(folders_are_made)
IN_FOLDER(a_folder_that_cannot_be_written_dies)
IN_FOLDER(a_folder_of_that_name_dies)
IN_FOLDER(a_full_disk_leaves_no_part_of_a_file)
IN_FOLDER(a_full_disk_leaves_no_part_of_a_batch)
IN_FOLDER(a_full_disk_keeps_the_file_of_an_earlier_run)
IN_FOLDER(a_signal_leaves_no_part_of_a_file)

int main(void) {
    static const struct tap_test tests[] = {
        {"fields are quoted when they must be", fields_are_quoted_when_they_must_be_in_folder},
        {"whole numbers", whole_numbers_in_folder},
        {"real numbers are short and exact", real_numbers_are_short_and_exact_in_folder},
        {"a decimal comma changes nothing", a_decimal_comma_changes_nothing_in_folder},
        {"long files and long fields", long_files_and_long_fields_in_folder},
        {"a file appears only when committed", a_file_appears_only_when_committed_in_folder},
        {"a batch appears together", a_batch_appears_together_in_folder},
        {"folders are made", folders_are_made_in_folder},
        {"a folder that cannot be written", a_folder_that_cannot_be_written_dies_in_folder},
        {"a folder where the file should be", a_folder_of_that_name_dies_in_folder},
        {"a full disk, one file", a_full_disk_leaves_no_part_of_a_file_in_folder},
        {"a full disk, several files", a_full_disk_leaves_no_part_of_a_batch_in_folder},
        {"a full disk, an earlier run", a_full_disk_keeps_the_file_of_an_earlier_run_in_folder},
        {"a signal in the middle", a_signal_leaves_no_part_of_a_file_in_folder},
    };
    return TAP_RUN(tests);
}
