"""Runs a command that is not trusted: limited time, output, memory and place to write."""
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

CONFINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "confine.py")
# Of the grader's own environment only these reach what it runs: which GPU, or which simulated one.
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "GPU",
             "SIM_HOST", "SIM_GPUS")


running = set()  # processes: to end them all, kill_all()


@dataclass
class Limits:
    time_s: float = 60
    output_bytes: int = 1 << 20
    memory_bytes: int = 4 << 30
    address_space: bool = True  # False where CUDA's driver reserves far more than it uses
    file_bytes: int = 256 << 20
    writable: tuple = ()  # besides the folder that is the program's own
    reads: tuple = ()  # an exercise's folders: it reads no others, and starts nothing


@dataclass
class Outcome:
    status: int   # exit status, or minus the signal's number
    output: str   # stdout and stderr, cut at the limit
    reason: str   # "" or which limit it broke

    @property
    def ok(self):
        return self.status == 0 and not self.reason


def environment(home, extra=None):
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    env.update(HOME=home, TMPDIR=home, LC_ALL="C.UTF-8", NO_COLOR="1")
    env.update(extra or {})
    return env


def resident_bytes(pid):
    """Memory a process has in use, 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_all():
    for process in list(running):
        kill_group(process)


def collect(process, limits):
    """Its output, and the limit that it broke."""
    end = time.monotonic() + limits.time_s
    output = bytearray()
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    while True:
        left_s = end - time.monotonic()
        if left_s <= 0:
            return output, f"still running after {limits.time_s:g} s"
        if resident_bytes(process.pid) > limits.memory_bytes:
            return output, f"used more than {limits.memory_bytes >> 20} MiB of memory"
        if not selector.select(min(left_s, 0.05)):
            continue
        data = os.read(process.stdout.fileno(), 1 << 16)
        if not data:
            return output, ""
        output += data
        if len(output) > limits.output_bytes:
            return output[:limits.output_bytes], f"printed more than {limits.output_bytes} bytes"


def works():
    """Whether this machine can confine programs."""
    return subprocess.run([sys.executable, "-I", "-S", CONFINE, "--check"], check=False,
                          capture_output=True).returncode == 0


def run(command, cwd, write_dir, limits, extra_env=None):
    """Runs command in cwd; files can be written below write_dir, which is also its HOME, and in
    limits.writable."""
    memory = limits.memory_bytes if limits.address_space else 0
    reads = ["--program", ":".join(limits.reads)] if limits.reads else []
    confined = [sys.executable, "-I", "-S", CONFINE, *reads, str(int(limits.time_s) + 1), str(memory),
                str(limits.file_bytes), write_dir, *limits.writable, "--", *command]
    with subprocess.Popen(confined, cwd=cwd, env=environment(write_dir, extra_env),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        running.add(process)
        try:
            output, reason = collect(process, limits)
        finally:
            kill_group(process)  # also what it left behind
            running.discard(process)
        status = process.wait()
    if not reason and status in (-signal.SIGXCPU, -signal.SIGKILL):
        reason = f"stopped after {limits.time_s:g} s of CPU time"
    return Outcome(status, output.decode("utf-8", "replace"), reason)
