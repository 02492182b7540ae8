#!/usr/bin/env python3
"""Runs one command under limits:
confine.py [--program FOLDER[:FOLDER...]] CPU_S MEMORY_BYTES FILE_BYTES PATH... -- COMMAND...

A program of its own, so that the limits are set in a process that has no threads.  0 means no
limit.  Only these paths, files and folders, can be changed, where the kernel knows Landlock (Linux
5.13 and later); elsewhere a program's symbols (source.py) keep it from opening files.

--program is for an exercise: it reads what the system has and these folders, not the grader's or other
hand-ins; it starts no process, signals none but itself, and has no network (seccomp).
confine.py --check ends with status 0 if all of this works here.
"""
import ctypes
import glob
import os
import platform
import resource
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on all architectures
PATH_BENEATH = 1
# linux/landlock.h: write, remove, make, link, truncate; read and list; not execute.
WRITES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
READS = 1 << 2 | 1 << 3
TRUNCATE = 1 << 14  # since version 3
OF_A_FILE = 1 << 1 | 1 << 2 | TRUNCATE  # the others of these are about folders
SYSTEM = ("/usr", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys", "/run", "/opt", "/nix", "/gnu")


class Ruleset(ctypes.Structure):
    _fields_ = [("handled_access_fs", ctypes.c_uint64)]


class PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def landlock(writable, readable):
    """No writing outside of the first, no reading outside of both if the second are not None.
    False if the kernel cannot do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    writes = WRITES | (TRUNCATE if version >= 3 else 0)
    reads = 0 if readable is None else READS
    ruleset = Ruleset(writes | reads)
    handle = libc.syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    for path, access in [*((p, writes | reads) for p in writable),
                         *((p, reads) for p in readable or () if os.path.exists(p))]:
        access = access if os.path.isdir(path) else access & OF_A_FILE
        rule = PathRule(access, os.open(path, os.O_PATH | os.O_CLOEXEC))
        if libc.syscall(ADD_RULE, handle, PATH_BENEATH, ctypes.byref(rule), 0):
            sys.exit(f"{path}: {os.strerror(ctypes.get_errno())}, so it cannot be allowed")
    return no_new_privileges() and libc.syscall(RESTRICT_SELF, handle, 0) == 0


def no_new_privileges():
    return ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0


# ---- seccomp: a program for the kernel that is asked at each system call

# Numbers of x86-64 and of aarch64; None: there is no such call.
REFUSED_CALLS = {
    "fork": (57, None), "vfork": (58, None), "setsid": (112, 157), "setpgid": (109, 154),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438),
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "io_uring_setup": (425, 425), "bpf": (321, 280), "unshare": (272, 97),
    "shmget": (29, 194), "msgget": (68, 186), "mq_open": (240, 180), "keyctl": (250, 219)}
OWN_PROCESS_CALLS = {"kill": (62, 129), "tgkill": (234, 131), "prlimit64": (302, 261)}  # pid first
SOCKET, AF_UNIX = (41, 198), 1
CLONE, CLONE3 = (56, 220), (435, 435)
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
LOAD, EQUAL, LEAST, BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # linux/bpf_common.h
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # linux/seccomp.h; REFUSE plus an errno
EPERM, ENOSYS = 1, 38
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data
CLONE_THREAD = 0x10000


def seccomp_filter(column, architecture, pid, families):
    """Its instructions: (code, jump if true, jump if false, value)."""
    own = (pid, 0)
    by_first_argument = [(numbers[column], own) for numbers in OWN_PROCESS_CALLS.values()]
    by_first_argument.append((SOCKET[column], families))
    refuse = (RETURN, 0, 0, REFUSE | EPERM)
    allow = (RETURN, 0, 0, ALLOW)
    code = [(LOAD, 0, 0, ARCHITECTURE_AT), (EQUAL, 1, 0, architecture), refuse,
            (LOAD, 0, 0, NUMBER_AT), (LEAST, 0, 1, 0x40000000), refuse]  # x32's calls
    for numbers in REFUSED_CALLS.values():
        if numbers[column] is not None:
            code += [(EQUAL, 0, 1, numbers[column]), refuse]
    for number, allowed in by_first_argument:
        code += [(EQUAL, 0, 2 * len(allowed) + 2, number), (LOAD, 0, 0, FIRST_ARGUMENT_AT)]
        for value in allowed:
            code += [(EQUAL, 0, 1, value), allow]
        code += [refuse]
    code += [(EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, REFUSE | ENOSYS),  # then it tries clone
             (EQUAL, 0, 4, CLONE[column]), (LOAD, 0, 0, FIRST_ARGUMENT_AT),
             (BITS, 0, 1, CLONE_THREAD), allow, refuse, allow]
    return code


def seccomp(families):
    """families: of the sockets that can be opened.  False if this cannot be done here."""
    if platform.machine() not in ARCHITECTURES:
        return False
    code = seccomp_filter(*ARCHITECTURES[platform.machine()], os.getpid(), families)
    packed = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in code))
    program = struct.pack("@HP", len(code), ctypes.addressof(packed))
    set_seccomp, by_filter = 22, 2
    return no_new_privileges() and ctypes.CDLL(None).prctl(set_seccomp, by_filter, program, 0, 0) == 0


# ---- the command

def limit(what, value):
    if value > 0:
        hard = resource.getrlimit(what)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (value, value))


def confine_program(paths, folders):
    libraries = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    gpus = glob.glob("/dev/nvidia*")
    readable = [*SYSTEM, *libraries, *folders]
    # CUDA's driver opens a socket of this machine's own, or does not start.
    return bool(landlock([*paths, "/dev/null", *gpus], readable)) & \
        bool(seccomp((AF_UNIX,) if gpus else ()))


def main(arguments):
    if arguments == ["--check"]:
        return 0 if confine_program(["/"], ["/"]) else 1
    reads = arguments[1] if arguments[0] == "--program" else ""
    arguments = arguments[2:] if reads else arguments
    cpu_s, memory_bytes, file_bytes = (int(word) for word in arguments[:3])
    end = arguments.index("--")
    paths, command = arguments[3:end], arguments[end + 1:]
    death_signal, kill = 1, 9
    ctypes.CDLL(None).prctl(death_signal, kill, 0, 0, 0)  # not to outlive the grader
    limit(resource.RLIMIT_CPU, cpu_s)
    limit(resource.RLIMIT_AS, memory_bytes)
    limit(resource.RLIMIT_FSIZE, file_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if reads:
        confine_program(paths, reads.split(":"))
    else:
        landlock([*paths, "/dev"], None)  # /dev: a GPU's device files
    try:
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
