"""Ctrl-C, and SIGTERM and SIGHUP the same: what runs is ended, nothing more is started, folders go.

A program says so in one line and ends with status 130, as a shell does after Ctrl-C.
"""
import concurrent.futures
import contextlib
import signal
import sys


def raise_interrupt(number, frame):
    raise KeyboardInterrupt


def interruptible(name, main):
    """Runs main() of the program of that name; its status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, raise_interrupt)
    try:
        return main()
    except KeyboardInterrupt:
        print(f"{name}: stopped before the end", file=sys.stderr)
        return 130


@contextlib.contextmanager
def pool(threads, end_running):
    """Threads; when it stops early, end_running() ends what they wait for."""
    with concurrent.futures.ThreadPoolExecutor(threads) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            end_running()
            raise
