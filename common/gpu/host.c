/* host.c - the memory of a host with a real GPU: every byte of it takes room. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "host_memory.h"

void host_touch(void *memory, size_t bytes) {
    memset(memory, 1, bytes);
}

/* The number behind `key` in a file of "key number" lines, or the first number if key is "". */
static bool read_number(const char *path, const char *key, uint64_t *number) {
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found =
            !strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), "%" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* What the control group of a container or a batch job still allows; file pages are given back. */
static uint64_t group_available(const char *limit_path, const char *used_path,
                                const char *stat_path) {
    uint64_t limit, used, files = 0;
    if (!read_number(limit_path, "", &limit) || !read_number(used_path, "", &used))
        return UINT64_MAX;
    read_number(stat_path, "inactive_file ", &files);
    return limit + files > used ? limit + files - used : 0;
}

size_t host_available_bytes(void) {
    uint64_t kib, available = 0;
    if (read_number("/proc/meminfo", "MemAvailable:", &kib))
        available = kib * 1024;
    uint64_t v2 = group_available("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                  "/sys/fs/cgroup/memory.stat");
    uint64_t v1 = group_available("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                  "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                  "/sys/fs/cgroup/memory/memory.stat");
    uint64_t group = v1 < v2 ? v1 : v2;
    return (size_t)(group < available ? group : available);
}

/* Linux, admin-guide/mm/transhuge: "always [madvise] never", the choice in brackets. */
const char *host_huge_pages(void) {
    static char line[128];
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    char *choice = file && fgets(line, sizeof line, file) ? strchr(line, '[') : NULL;
    if (file)
        fclose(file);
    if (!choice)
        return NULL;
    *strchrnul(choice, ']') = '\0';
    return choice + 1;
}
