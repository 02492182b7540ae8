/* sim_profile.c - profiles of simulated GPUs: what the reader takes, and what it refuses. */
#include <stdlib.h>

#include "profile.h"
#include "sim.h"
#include "tap.h"

static char dir[] = "/tmp/sim-profile-XXXXXX";

static const char *in_dir(const char *name) {
    static char path[4][256];
    static int next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof path[0], "%s/%s", dir, name);
    return to;
}

/* A copy of the H200's file without the line that starts with `without`, and with `extra` behind.
 */
static const char *variant(const char *without, const char *extra) {
    struct sim_profile h200;
    char line[512];
    profile_read(&h200, "h200", NULL);
    FILE *from = fopen(h200.path, "r"), *to = fopen(in_dir("variant.txt"), "w");
    if (!from || !to)
        exit(1);
    while (fgets(line, sizeof line, from))
        if (!without || strncmp(line, without, strlen(without)) != 0)
            fputs(line, to);
    fputs(extra, to);
    fclose(from);
    fclose(to);
    return in_dir("variant.txt");
}

static void write_file(const char *name, const char *text) {
    FILE *to = fopen(in_dir(name), "w");
    if (!to)
        exit(1);
    fputs(text, to);
    fclose(to);
}

static void read_gpu(void *gpu) {
    struct sim_profile profile;
    profile_read(&profile, gpu, NULL);
}

static void read_with_host(void *host) {
    struct sim_profile profile;
    profile_read(&profile, "k40", host);
}

static void refused(const char *without, const char *extra, const char *message) {
    EXPECT_DIES(read_gpu, (void *)variant(without, extra), 2, message);
    EXPECT_PART(tap_messages, "variant.txt:");
}

/* ---- what is taken ----------------------------------------------------------------------------
 */

static void all_built_in(void) {
    struct sim_profile profile;
    profile_read(&profile, "h200", NULL);
    EXPECT_TEXT(profile.name, "NVIDIA H200");
    EXPECT_TEXT(profile.id, "h200");
    EXPECT_INT(profile.sms, 132);
    EXPECT_NEAR(profile.kernel_gap_ns, 1400, 0);
    profile_read(&profile, "k40", NULL);
    EXPECT_INT(profile.sms, 15);
    profile_read(&profile, "gtx-650-ti-boost", NULL);
    EXPECT_INT(profile.sms, 4);
    EXPECT_INT(profile.copy_engines, 1);
}

static void own_file(void) {
    struct sim_profile profile;
    profile_read(&profile, variant("sms ", "sms = 7   # a guess\n"), NULL);
    EXPECT_INT(profile.sms, 7);
    EXPECT_TEXT(profile.id, "variant");
    EXPECT_TEXT(profile.path, in_dir("variant.txt"));
}

static void lines_as_people_write_them(void) {
    struct sim_profile profile;
    profile_read(&profile, variant("sms ", "\r\n\t# nothing\n  sms\t=7e0#guess\r\n"), NULL);
    EXPECT_INT(profile.sms, 7);
}

static void host_over_gpu(void) {
    struct sim_profile plain, with;
    profile_read(&plain, "k40", NULL);
    profile_read(&with, "k40", "page-faults");
    EXPECT(with.write_fault_ns > 5 * plain.write_fault_ns);
    EXPECT_INT(with.sms, plain.sms);
    EXPECT_TEXT(with.name, plain.name);
}

static void chosen_by_environment(void) {
    struct sim_profile profile;
    unsetenv("GPU");
    unsetenv("SIM_HOST");
    profile_load(&profile);
    EXPECT_TEXT(profile.id, "h200");
    setenv("GPU", "k40", 1);
    profile_load(&profile);
    EXPECT_TEXT(profile.id, "k40");
    setenv("GPU", "", 1);
    profile_load(&profile);
    EXPECT_TEXT(profile.id, "h200");
    unsetenv("GPU");
}

/* ---- what is refused --------------------------------------------------------------------------
 */

static void not_there(void) {
    EXPECT_DIES(read_gpu, "k41", 2, "there is no profile");
    EXPECT_DIES(read_gpu, "./k40.txt", 2, "there is no profile ./k40.txt");
    EXPECT_DIES(read_with_host, "nowhere", 2, "SIM_HOST=nowhere");
}

static void wrong_lines(void) {
    refused(NULL, "smms = 3\n", "unknown key \"smms\"");
    refused(NULL, "sms = 3\n", "key given twice: \"sms\"");
    refused(NULL, "name = Other\n", "key given twice: \"name\"");
    refused(NULL, "sms\n", "not \"key = value\"");
    refused("sms ", "sms = many\n", "not a number: \"many\"");
    refused("sms ", "sms =\n", "not a number: \"\"");
    refused("sms ", "sms = nan\n", "not a number: \"nan\"");
    refused("sms ", "sms = 132x\n", "not a number: \"132x\"");
    refused("sms ", "sms = 13 2\n", "more than one number");
    refused("sms ", "sms = 0\n", "sms is from 1 to 1024");
    refused("sms ", "sms = -4\n", "sms is from 1 to 1024");
    refused("kernel_gap_ns ", "kernel_gap_ns = -1\n", "out of range");
}

static void line_number(void) {
    const char *path = variant(NULL, "");
    int lines = 0;
    char line[512], wanted[64];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        lines++;
    fclose(file);
    snprintf(wanted, sizeof wanted, "variant.txt:%d: unknown key", lines + 2);
    EXPECT_DIES(read_gpu, (void *)variant(NULL, "\nsmms = 3\n"), 2, wanted);
}

/* Each key of profile.h, left out, is named. */
static void missing_keys(void) {
#define X(key, low, high) refused(#key " ", "", "the key \"" #key "\" is missing");
    PROFILE_GPU_KEYS(X)
    PROFILE_HOST_KEYS(X)
#undef X
    refused("name ", "", "the key \"name\" is missing");
    refused("dgemm ", "", "there is no \"dgemm\" line");
}

static void wrong_dgemm(void) {
    refused("dgemm ", "dgemm = 1 32 32\n", "too few numbers");
    refused("dgemm ", "dgemm = 1 32 32 1 128 96 32768 1 1 1 1 1 1\n", "too many numbers");
    refused("dgemm ", "dgemm = 2 32 32 1 128 96 32768 1 1 1 1 1\n", "out of order");
    refused("dgemm ", "dgemm = 1 0 32 1 128 96 32768 1 1 1 1 1\n", "no such tile");
    refused("dgemm ", "dgemm = 1 32 32 0 128 96 32768 1 1 1 1 1\n", "no such tile");
    refused("dgemm ", "dgemm = 1 32 32 1 2048 96 32768 1 1 1 1 1\n", "no such tile");
    refused("dgemm ", "dgemm = 1 32 32 1 128 96 32768 1 -1 1 1 1\n", "out of range");
    refused(NULL, "dgemm = 1000 32 32 1 128 96 32768 1 1 1 1 1\n", "out of order");
}

static void hosts_own_no_gpu(void) {
    write_file("host.txt", "call_ns = 5\nsms = 3\n");
    EXPECT_DIES(read_with_host, (void *)in_dir("host.txt"), 2, "host.txt:2: a host profile cannot");
    write_file("host.txt", "call_ns = 5\ncall_ns = 6\n");
    EXPECT_DIES(read_with_host, (void *)in_dir("host.txt"), 2, "host.txt:2: key given twice");
}

int main(void) {
    static const struct tap_test tests[] = {
        {"the built-in profiles are read", all_built_in},
        {"a file of one's own is read", own_file},
        {"blanks, tabs, CR and comments are taken", lines_as_people_write_them},
        {"a host profile goes over the GPU's", host_over_gpu},
        {"GPU= chooses, h200 by default", chosen_by_environment},
        {"a profile that is not there", not_there},
        {"wrong lines", wrong_lines},
        {"the line is named", line_number},
        {"each missing key is named", missing_keys},
        {"wrong dgemm lines", wrong_dgemm},
        {"a host profile sets no figures of the GPU", hosts_own_no_gpu},
    };
    if (!mkdtemp(dir))
        return 1;
    int failed = TAP_RUN(tests);
    remove(in_dir("variant.txt"));
    remove(in_dir("host.txt"));
    remove(dir);
    return failed;
}
