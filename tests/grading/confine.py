#!/usr/bin/env python3
"""Runs one command under limits: confine.py CPU_S MEMORY_BYTES FILE_BYTES PATH... -- COMMAND...

A program of its own, so that the limits are set in a process that has no threads.  0 means no
limit.  Only these paths, files and folders, can be changed, where the kernel knows Landlock (Linux
5.13 and later); elsewhere a program's symbols (source.py) keep it from opening files.
"""
import ctypes
import os
import resource
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on all architectures
PATH_BENEATH = 1
# linux/landlock.h: write, remove, make, link, truncate; not read and not execute.
WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
TRUNCATE = 1 << 14  # since version 3
OF_A_FILE = 1 << 1 | TRUNCATE  # the others of these are about folders


class Ruleset(ctypes.Structure):
    _fields_ = [("handled_access_fs", ctypes.c_uint64)]


class PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def landlock(paths):
    """No writing outside these paths.  False if the kernel cannot do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    access = WRITES | (TRUNCATE if version >= 3 else 0)
    ruleset = Ruleset(access)
    handle = libc.syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    for path in paths:
        given = access if os.path.isdir(path) else access & OF_A_FILE
        rule = PathRule(given, os.open(path, os.O_PATH | os.O_CLOEXEC))
        if libc.syscall(ADD_RULE, handle, PATH_BENEATH, ctypes.byref(rule), 0):
            sys.exit(f"{path}: {os.strerror(ctypes.get_errno())}, so it cannot be allowed")
    no_new_privileges = 38
    return (libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
            and libc.syscall(RESTRICT_SELF, handle, 0) == 0)


def limit(what, value):
    if value > 0:
        hard = resource.getrlimit(what)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (value, value))


def main(arguments):
    cpu_s, memory_bytes, file_bytes = (int(word) for word in arguments[:3])
    end = arguments.index("--")
    paths, command = arguments[3:end], arguments[end + 1:]
    death_signal, kill = 1, 9
    ctypes.CDLL(None).prctl(death_signal, kill, 0, 0, 0)  # not to outlive the grader
    limit(resource.RLIMIT_CPU, cpu_s)
    limit(resource.RLIMIT_AS, memory_bytes)
    limit(resource.RLIMIT_FSIZE, file_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    landlock([*paths, "/dev"])  # /dev: a GPU's device files
    try:
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
