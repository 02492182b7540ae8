#include "lock.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "error.h"
#include "folder.h"
#include "tap.h"

static char path[128];

static void pause_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Forks a process that takes the lock and holds it; returns once it does. */
static pid_t hold(long ms) {
    int ready[2];
    char byte = 0;
    fflush(NULL);
    if (pipe(ready) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        lock_take(path, "GPU 0", 5);
        if (write(ready[1], &byte, 1) == 1)
            pause_ms(ms);
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1)
        abort();
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void take(void *limit_s) {
    lock_take(path, "GPU 0", *(int *)limit_s);
}

static void a_free_lock_is_taken_silently(void) {
    int limit_s = 1;
    EXPECT_INT(tap_child(take, &limit_s), 0);
    EXPECT_TEXT(tap_messages, "");
    struct stat info;
    EXPECT_INT(stat(path, &info), 0);
    EXPECT_INT(info.st_mode & 0777, 0666); /* another user must be able to lock it */
}

static void waits_and_says_for_whom(void) {
    int limit_s = 10;
    char who[64];
    pid_t holder = hold(400);
    EXPECT_INT(tap_child(take, &limit_s), 0);
    snprintf(who, sizeof who, "GPU 0 is in use by pid %ld; waiting for it, up to 10 s",
             (long)holder);
    EXPECT_PART(tap_messages, who);
    waitpid(holder, NULL, 0);
}

static void gives_up(void) {
    int limit_s = 0;
    char who[64];
    pid_t holder = hold(60000);
    EXPECT_INT(tap_child(take, &limit_s), EXIT_ENVIRONMENT);
    snprintf(who, sizeof who, "still in use by pid %ld", (long)holder);
    EXPECT_PART(tap_messages, who);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    EXPECT_INT(tap_child(take, &limit_s), 0); /* a killed process leaves no lock behind */
}

static void goes_on_where_no_lock_can_be_made(void) {
    int limit_s = 0;
    snprintf(path, sizeof path, "%s/no/such/folder", folder);
    EXPECT_INT(tap_child(take, &limit_s), 0);
    EXPECT_PART(tap_messages, "warning: cannot open the lock");
}

static void follows_no_link(void) {
    int limit_s = 0;
    char target[128];
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(path, sizeof path, "%s/link", folder);
    EXPECT_INT(symlink(target, path), 0);
    EXPECT_INT(tap_child(take, &limit_s), 0);
    EXPECT_PART(tap_messages, "warning: cannot open the lock");
    EXPECT(access(target, F_OK) != 0);
}

int main(void) {
    static const struct tap_test tests[] = {
        {"a free lock is taken silently", a_free_lock_is_taken_silently},
        {"waits, and says for whom", waits_and_says_for_whom},
        {"gives up after its time", gives_up},
        {"goes on where no lock can be made", goes_on_where_no_lock_can_be_made},
        {"follows no symbolic link", follows_no_link},
    };
    folder_new();
    snprintf(path, sizeof path, "%s/lock", folder);
    int failed = TAP_RUN(tests);
    folder_remove();
    return failed;
}
