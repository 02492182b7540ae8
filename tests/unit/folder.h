/* folder.h - a folder of a test's own, and what lies in it. */
#ifndef FOLDER_H
#define FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

/* Makes a new, empty folder and names it in `folder`. */
static inline void folder_new(void) {
    snprintf(folder, sizeof folder, "/tmp/labs-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        abort();
}

static inline void folder_remove(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        abort();
}

/* The names in it, sorted, with a blank after each; hidden ones too. */
static inline const char *folder_names(void) {
    static char names[1024];
    struct dirent **entries;
    names[0] = '\0';
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0) {
            strcat(names, entries[i]->d_name);
            strcat(names, " ");
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return names;
}

/* The whole file as text; "" if it is not there. Good until the next call. */
static inline const char *folder_read(const char *name) {
    static char *text;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    free(text);
    text = (char *)calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        size_t n = fread(text, 1, (1 << 16) - 1, file);
        text[n] = '\0';
        fclose(file);
    }
    return text;
}

#endif
