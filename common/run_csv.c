#include "run_csv.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "csv.h"
#include "device.h"
#include "error.h"
#include "results.h"
#include "timeline.h"
#include "tracer.h"

enum { VALUE_BYTES = 1024 };

static void row(struct csv *csv, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void row(struct csv *csv, const char *key, const char *format, ...) {
    char value[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    csv_text(csv, key);
    csv_text(csv, value);
    csv_end_row(csv);
}

static void version_row(struct csv *csv, const char *key, int version) {
    row(csv, key, "%d.%d", version / 1000, version % 1000 / 10);
}

static struct utsname machine(void) {
    struct utsname names;
    if (uname(&names) != 0)
        memset(&names, 0, sizeof names);
    return names;
}

const char *run_comparable_note(void) {
    struct utsname names = machine();
    if (!device_simulated() && strstr(names.release, "icrosoft") != NULL)
        return "WSL: launches pass through WDDM, which batches them; launch times are not "
               "comparable with other systems'";
    return NULL;
}

/* The version this was built against: asking the library would start it. */
static void cublas_row(struct csv *csv) {
    if (device_simulated())
        row(csv, "cublas", "simulated");
    else
        row(csv, "cublas", "%d.%d.%d", CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH);
}

/* The release that nvidia-smi shows ("580.159.04"); empty where the kernel module does not say. */
static void driver_release_row(struct csv *csv) {
    char release[64] = "";
    FILE *file = device_simulated() ? NULL : fopen("/sys/module/nvidia/version", "re");
    if (file != NULL) {
        if (fgets(release, sizeof release, file) != NULL)
            release[strcspn(release, "\n")] = '\0';
        fclose(file);
    }
    row(csv, "driver release", "%s", release);
}

static void device_rows(struct csv *csv) {
    const struct device *gpu = device();
    row(csv, "device_kind", "%s", device_kind);
    row(csv, "device", "%s%s", device_simulated() ? "SIMULATED " : "", gpu->name);
    row(csv, "uuid", "%s", gpu->uuid);
    row(csv, "pci", "%s", gpu->pci);
    row(csv, "sms", "%d", gpu->sms);
    row(csv, "compute capability", "%d.%d", gpu->major, gpu->minor);
    row(csv, "copy engines", "%d", gpu->copy_engines);
    row(csv, "memory bytes", "%zu", gpu->memory_bytes);
    row(csv, "pageable access", "%d", gpu->pageable_access);
    version_row(csv, "driver", gpu->driver);
    driver_release_row(csv);
    version_row(csv, "runtime", gpu->runtime);
    cublas_row(csv);
}

static void rejected_row(struct csv *csv) {
    const struct rejected *r = timeline_rejected();
    int total = rejected_total(r);
    if (total == 0)
        row(csv, "rejected records", "0");
    else
        row(csv, "rejected records",
            "%d: %d without a duration, %d before their launch, %d overlapping their own stream, "
            "%d with another call's id, %d lost",
            total, r->end_before_start, r->before_launch, r->own_stream, r->duplicate, r->lost);
}

static void tracer_rows(struct csv *csv) {
    row(csv, "tracer", "%s", tracer_name());
    double slow_down = results_largest("tracer slow-down");
    csv_text(csv, "tracer slow-down");
    csv_real(csv, slow_down > 0 ? slow_down : NAN);
    csv_end_row(csv);
    rejected_row(csv);
}

static bool is_plain(const char *word) {
    return *word != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-+=./,:@%") == strlen(word);
}

/* The command as a shell would take it again. */
static char *command_of(const struct run_info *info) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        die(EXIT_ENVIRONMENT, "out of memory for run.csv");
    for (int i = 0; i < info->argc; i++) {
        const char *word = info->argv[i];
        if (i > 0)
            fputc(' ', stream);
        if (is_plain(word)) {
            fputs(word, stream);
            continue;
        }
        fputc('\'', stream);
        for (; *word != '\0'; word++)
            fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stream);
        fputc('\'', stream);
    }
    fclose(stream);
    return text;
}

static void when_and_how_rows(struct csv *csv, const struct run_info *info) {
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    row(csv, "host", "%s", machine().nodename);
    row(csv, "date", "%s", date);
    char *command = command_of(info);
    csv_text(csv, "command");
    csv_text(csv, command);
    csv_end_row(csv);
    free(command);
}

static void environment_rows(struct csv *csv) {
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *equals = strchr(*variable, '=');
        if (equals == NULL || strncmp(*variable, "CUDA_", 5) != 0)
            continue;
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)(equals - *variable), *variable);
        csv_text(csv, key);
        csv_text(csv, equals + 1);
        csv_end_row(csv);
    }
}

void run_csv_write(const char *dir, const struct run_info *info) {
    struct csv *csv = csv_create(dir, "run.csv");
    csv_text(csv, "key");
    csv_text(csv, "value");
    csv_end_row(csv);
    row(csv, "lab", "%s", info->lab);
    row(csv, "title", "%s", info->title);
    row(csv, "version", "%s", LAB_VERSION);
    device_rows(csv);
    tracer_rows(csv);
    when_and_how_rows(csv, info);
    row(csv, "invalid", "%s", run_invalid_reason() != NULL ? run_invalid_reason() : "");
    row(csv, "not comparable", "%s", run_comparable_note() != NULL ? run_comparable_note() : "");
    environment_rows(csv);
    csv_commit(csv);
}
