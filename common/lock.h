/* lock.h - one process at a time, by an advisory lock on a file. */
#ifndef LOCK_H
#define LOCK_H

/* Takes the lock of that file, which is made if it is missing. While another process holds it, says
 * once which (its line from the file) and waits; after limit_s seconds dies with EXIT_ENVIRONMENT.
 * `what` names in messages what the lock is for. If the file cannot be made, warns and goes on. */
void lock_take(const char *path, const char *what, int limit_s);

#endif
