/* profile.c - reads profiles: where they are, what a line may say, what must be there. */
#include "profile.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

struct key {
    const char *name;
    size_t offset;
    double low, high;
    int host; /* a host profile may set it */
};

static const struct key keys[] = {
#define X(name, low, high) {#name, offsetof(struct sim_profile, name), low, high, 0},
    PROFILE_GPU_KEYS(X)
#undef X
#define X(name, low, high) {#name, offsetof(struct sim_profile, name), low, high, 1},
        PROFILE_HOST_KEYS(X)
#undef X
};
enum { KEYS = sizeof keys / sizeof *keys, LINE = 512 };

/* One file being read. */
struct reader {
    const char *path;
    int line;
    int host; /* it is a host profile */
    struct sim_profile *profile;
    int seen[KEYS]; /* the line that set the key; 0: not set */
    int name_seen;
};

static __attribute__((noreturn)) void bad(const struct reader *reader, const char *what,
                                          const char *text, const char *advice) {
    die(EXIT_USAGE, "%s:%d: %s \"%s\"; %s", reader->path, reader->line, what, text, advice);
}

/* ---- one line ---------------------------------------------------------------------------------
 */

static char *trimmed(char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* The next number of *text, which then points behind it. */
static double number(const struct reader *reader, char **text) {
    char *end = NULL;
    double value = strtod(*text, &end);
    if (end == *text || !isfinite(value) || (*end && !strchr(" \t", *end)))
        bad(reader, "not a number:", *text, "write one like 55.5 or 1e6, then # and its source");
    *text = end + strspn(end, " \t");
    return value;
}

static void dgemm_fields(struct reader *reader, char *value, double *field) {
    char *rest = value;
    for (int i = 0; i < PROFILE_DGEMM_FIELDS; i++) {
        if (!*rest)
            bad(reader, "too few numbers for dgemm:", value, "it needs 12, see profile.h");
        field[i] = number(reader, &rest);
        if (field[i] < 0 || (i < 7 && (field[i] != floor(field[i]) || field[i] > 1e6)))
            bad(reader, "out of range for dgemm:", value, "see profile.h");
    }
    if (*rest)
        bad(reader, "too many numbers for dgemm:", value, "it needs 12, see profile.h");
}

static void set_dgemm(struct reader *reader, char *value) {
    struct sim_profile *profile = reader->profile;
    double f[PROFILE_DGEMM_FIELDS];
    dgemm_fields(reader, value, f);
    struct profile_dgemm dgemm = {(int)f[0], (int)f[1], (int)f[2], (int)f[3], (int)f[4], (int)f[5],
                                  (int)f[6], f[7],      f[8],      f[9],      f[10],     f[11]};
    if (profile->dgemms == PROFILE_MAX_DGEMM)
        bad(reader, "one dgemm line too many:", value, "a profile has at most 16");
    int before = profile->dgemms ? profile->dgemm[profile->dgemms - 1].min_dim : 0;
    if (dgemm.min_dim <= before || (!before && dgemm.min_dim > 1))
        bad(reader, "the first number of dgemm is out of order:", value,
            "it starts at 1 and grows from line to line");
    if (dgemm.tile_m < 1 || dgemm.tile_n < 1 || dgemm.split_k < 1 || dgemm.threads < 32 ||
        dgemm.threads > 1024)
        bad(reader, "no such tile or block for dgemm:", value, "see profile.h");
    profile->dgemm[profile->dgemms++] = dgemm;
}

static void set_name(struct reader *reader, const char *value) {
    if (reader->name_seen)
        bad(reader, "key given twice:", "name", "remove one of the two lines");
    if (!*value || strlen(value) >= sizeof reader->profile->name)
        bad(reader, "not a name:", value, "it has 1 to 127 characters");
    reader->name_seen = reader->line;
    if (!reader->host)
        snprintf(reader->profile->name, sizeof reader->profile->name, "%s", value);
}

static void set_number(struct reader *reader, int index, char *value) {
    const struct key *key = &keys[index];
    char range[96], *rest = value;
    double parsed = number(reader, &rest);
    if (*rest)
        bad(reader, "more than one number:", value, "give one, then # and its source");
    snprintf(range, sizeof range, "%s is from %g to %g", key->name, key->low, key->high);
    if (parsed < key->low || parsed > key->high)
        bad(reader, "out of range:", value, range);
    if (reader->host && !key->host)
        bad(reader, "a host profile cannot set", key->name, "that is a figure of the GPU");
    if (reader->seen[index])
        bad(reader, "key given twice:", key->name, "remove one of the two lines");
    reader->seen[index] = reader->line;
    *(double *)(void *)((char *)reader->profile + key->offset) = parsed;
}

static void set(struct reader *reader, const char *name, char *value) {
    if (!strcmp(name, "name")) {
        set_name(reader, value);
        return;
    }
    if (!strcmp(name, "dgemm") && !reader->host) {
        set_dgemm(reader, value);
        return;
    }
    for (int i = 0; i < KEYS; i++)
        if (!strcmp(name, keys[i].name)) {
            set_number(reader, i, value);
            return;
        }
    bad(reader, "unknown key", name, "common/sim/profile.h lists them");
}

static void read_line(struct reader *reader, char *line) {
    if (!strchr(line, '\n') && strlen(line) == LINE - 1)
        bad(reader, "line too long:", trimmed(line), "keep it under 500 characters");
    line[strcspn(line, "#")] = '\0';
    char *text = trimmed(line);
    if (!*text)
        return;
    char *equals = strchr(text, '=');
    if (!equals)
        bad(reader, "not \"key = value\":", text, "write key = value  # source");
    *equals = '\0';
    set(reader, trimmed(text), trimmed(equals + 1));
}

/* ---- one file ---------------------------------------------------------------------------------
 */

static void check_complete(const struct reader *reader) {
    for (int i = 0; i < KEYS; i++)
        if (!reader->seen[i])
            die(EXIT_USAGE,
                "%s:%d: the file ends and the key \"%s\" is missing; add it "
                "(common/sim/profile.h says what it means)",
                reader->path, reader->line, keys[i].name);
    if (!reader->name_seen)
        die(EXIT_USAGE, "%s:%d: the file ends and the key \"name\" is missing; add the GPU's name",
            reader->path, reader->line);
    if (!reader->profile->dgemms)
        die(EXIT_USAGE, "%s:%d: the file ends and there is no \"dgemm\" line; add one",
            reader->path, reader->line);
}

static void read_file(struct sim_profile *profile, const char *path, int host) {
    struct reader reader = {.path = path, .host = host, .profile = profile};
    char line[LINE];
    FILE *file = fopen(path, "r");
    if (!file)
        die(errno == ENOENT ? EXIT_USAGE : EXIT_ENVIRONMENT,
            "cannot read the profile %s: %s; `make sim-devices` lists the ones there are", path,
            strerror(errno));
    while (fgets(line, sizeof line, file)) {
        reader.line++;
        read_line(&reader, line);
    }
    if (ferror(file))
        die(EXIT_ENVIRONMENT, "cannot read the profile %s: %s; check the file", path,
            strerror(errno));
    fclose(file);
    if (!host)
        check_complete(&reader);
}

/* ---- where they are ---------------------------------------------------------------------------
 */

#ifndef SIM_DEVICES_DIR
#define SIM_DEVICES_DIR "common/sim/devices"
#endif

/* The folder of the profiles does not depend on the current folder: it is found from the program's
 * own place (installed: beside it; built: two levels up), then where it was when that was built. */
static const char *folder(void) {
    static char path[4096 + 64], plain[PATH_MAX]; /* plain: without the dots, for messages */
    static const char *const beside[] = {"devices", "../../common/sim/devices"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", self, beside[i]);
        if (!access(path, R_OK | X_OK))
            return realpath(path, plain) ? plain : path;
    }
    snprintf(path, sizeof path, "%s", SIM_DEVICES_DIR);
    if (access(path, R_OK | X_OK))
        die(EXIT_ENVIRONMENT,
            "the folder of the GPU profiles, %s, is not there; give a file: "
            "GPU=/path/to/h200.txt",
            path);
    return path;
}

/* The file for a name: "k40" lies in the folder, or in its folder hosts/; "./mine.txt" is a file.
 */
static void find(char *path, size_t size, const char *name, int host) {
    if (strchr(name, '/'))
        snprintf(path, size, "%s", name);
    else
        snprintf(path, size, "%s/%s%s.txt", folder(), host ? "hosts/" : "", name);
    if (access(path, F_OK))
        die(EXIT_USAGE,
            "%s=%s: there is no profile %s; `make sim-devices` lists the ones there "
            "are, and a file of your own is given with a slash: ./mine.txt",
            host ? "SIM_HOST" : "GPU", name, path);
}

static void set_id(struct sim_profile *profile, const char *gpu) {
    const char *slash = strrchr(gpu, '/');
    snprintf(profile->id, sizeof profile->id, "%s", slash ? slash + 1 : gpu);
    char *ending = strstr(profile->id, ".txt");
    if (ending)
        *ending = '\0';
}

void profile_read(struct sim_profile *profile, const char *gpu, const char *host) {
    *profile = (struct sim_profile){0};
    find(profile->path, sizeof profile->path, gpu, 0);
    read_file(profile, profile->path, 0);
    set_id(profile, gpu);
    if (host) {
        char path[sizeof profile->path];
        find(path, sizeof path, host, 1);
        read_file(profile, path, 1);
    }
}

void profile_load(struct sim_profile *profile) {
    const char *gpu = getenv("GPU"), *host = getenv("SIM_HOST");
    profile_read(profile, gpu && *gpu ? gpu : "h200", host && *host ? host : NULL);
}
