#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "error.h"

enum { POLL_MS = 100 };

/* First without O_CREAT: in a sticky folder the kernel refuses O_CREAT on a file of another user
 * (fs.protected_regular), although both may lock it. */
static int open_lock(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        fchmod(fd, 0666); /* whatever the umask: the next user must be able to lock it */
    return fd;
}

/* What the holder wrote about itself: "pid 1234". */
static void read_holder(int fd, char *holder, size_t size) {
    ssize_t n = pread(fd, holder, size - 1, 0);
    holder[n > 0 ? n : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    if (holder[0] == '\0')
        snprintf(holder, size, "another process");
}

static void write_holder(int fd) {
    char text[64];
    int n = snprintf(text, sizeof text, "pid %ld\n", (long)getpid());
    /* Only for the message of others: the lock holds without it. */
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n)
        warn("cannot write my process id into the lock: %s", strerror(errno));
}

static void wait_for(int fd, const char *path, const char *what, int limit_s) {
    const struct timespec pause = {0, POLL_MS * 1000000L};
    for (long waited_ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; waited_ms += POLL_MS) {
        char holder[64];
        if (errno != EWOULDBLOCK && errno != EINTR) {
            warn("cannot lock %s (%s): another run may disturb this one", path, strerror(errno));
            return;
        }
        read_holder(fd, holder, sizeof holder);
        if (waited_ms == 0)
            warn("%s is in use by %s; waiting for it, up to %d s", what, holder, limit_s);
        if (waited_ms >= limit_s * 1000L)
            die(EXIT_ENVIRONMENT, "%s is still in use by %s after %d s (lock %s); end it or wait",
                what, holder, limit_s, path);
        nanosleep(&pause, NULL);
    }
}

/* The descriptor stays open: the lock lasts as long as the process. */
void lock_take(const char *path, const char *what, int limit_s) {
    int fd = open_lock(path);
    if (fd < 0) {
        warn("cannot open the lock %s (%s): another run may disturb this one", path,
             strerror(errno));
        return;
    }
    wait_for(fd, path, what, limit_s);
    write_holder(fd);
}
