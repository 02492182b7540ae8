/* Says what a run is: measured here, recorded on some GPU, or simulated. */
#include "plot_data.h"

#include <string.h>

static void take(const struct csv_file *csv, const char *key, char *into, size_t size) {
    if (strcmp(csv->field[0], key) == 0)
        snprintf(into, size, "%s", csv->field[1]);
}

static bool below_recorded(const char *dir) {
    const char *found = strstr(dir, "recorded");
    return found && (found == dir || found[-1] == '/') && (found[8] == '/' || !found[8]);
}

void about_read(struct about *about, const char *dir) {
    memset(about, 0, sizeof *about);
    about->recorded = below_recorded(dir);
    if (strncmp(dir, "recorded:", 9) == 0) {
        about->recorded = true;
        dir += 9;
    }
    about->dir = dir;
    struct csv_file csv;
    csv_open(&csv, dir, "run.csv");
    if (csv_column(&csv, "key") != 0 || csv_column(&csv, "value") != 1)
        fail("%s: the columns are not key,value", csv.path);
    char kind[32] = "", blocking[32] = "";
    while (csv_next(&csv)) {
        take(&csv, "lab", about->lab, sizeof about->lab);
        take(&csv, "title", about->title, sizeof about->title);
        take(&csv, "device_kind", kind, sizeof kind);
        take(&csv, "device", about->device, sizeof about->device);
        take(&csv, "date", about->date, sizeof about->date);
        take(&csv, "invalid", about->invalid, sizeof about->invalid);
        take(&csv, "CUDA_LAUNCH_BLOCKING", blocking, sizeof blocking);
    }
    if (!*kind)
        fail("%s: no key 'device_kind': cannot say whether the run is simulated", csv.path);
    if (!*about->invalid && *blocking && strcmp(blocking, "0") != 0)
        snprintf(about->invalid, sizeof about->invalid, "CUDA_LAUNCH_BLOCKING=%s", blocking);
    about->simulated = strcmp(kind, "sim") == 0;
    about->date[strcspn(about->date, "T ")] = '\0'; /* the day is enough */
    const char *what = "measured on ";
    if (about->simulated) /* the device's name may say it already */
        what = strncmp(about->device, "SIMULATED", 9) == 0 ? "" : "SIMULATED ";
    else if (about->recorded)
        what = "RECORDED on ";
    /* A simulated run is the same on any day. */
    snprintf(about->label, sizeof about->label, "%s%s%s%s%s%s", what, about->device,
             about->simulated || !*about->date ? "" : ", ", about->simulated ? "" : about->date,
             *about->invalid ? " | INVALID: " : "", about->invalid);
}

/* The last folder of a path, or one that stands so many before it; its length, 0 if there is none.
 */
static int folder_of(const char *path, int before, const char **folder) {
    const char *end = path + strlen(path);
    for (;; before--) {
        while (end > path && end[-1] == '/')
            end--;
        *folder = end;
        while (*folder > path && (*folder)[-1] != '/')
            --*folder;
        if (before == 0)
            return (int)(end - *folder);
        end = *folder;
    }
}

/* Two of one GPU on one day: the last folder that is not the same tells them apart. */
static void tell_apart(struct about *about, const struct about *other) {
    const char *folder, *its;
    for (int before = 0, length; (length = folder_of(about->dir, before, &folder)) > 0; before++) {
        if (folder_of(other->dir, before, &its) == length &&
            strncmp(folder, its, (size_t)length) == 0)
            continue;
        size_t at = strlen(about->label);
        snprintf(about->label + at, sizeof about->label - at, " (%.*s)", length, folder);
        return;
    }
}

void abouts_read(struct about *about, int runs, char **dirs) {
    for (int i = 0; i < runs; i++)
        about_read(&about[i], dirs[i]);
    for (int i = 0; i < runs; i++)
        for (int j = 0; j < runs; j++)
            if (i != j && strncmp(about[i].label, about[j].label, strlen(about[i].label)) == 0)
                tell_apart(&about[i], &about[j]);
}

void about_emit(int runs, char **dirs) {
    static struct about about[MAX_RUNS];
    abouts_read(about, runs, dirs);
    printf("runs = %d\narray run_label[%d]\n", runs, runs);
    for (int i = 0; i < runs; i++) {
        printf("run_label[%d] = ", i + 1);
        emit_text(about[i].label);
        puts("");
    }
    printf("lab = ");
    emit_text(about[0].lab);
    puts("");
}
