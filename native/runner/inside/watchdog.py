"""Watches one job from outside: reads what it writes, counts what it spends, ends it."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from typing import Any

from inside import jail
from inside.grading.call_timer import CallTimer
from inside.unforked import Text, UnforkedMemory
from inside.warm_worker import WarmWorker

REPORT_BYTES = 4 << 20  # all frames of one job together; the broker's own lines end at 8 MiB
MAX_STRETCH = 8  # how many times its wall time a job may take on a machine that is too busy

# Page tables of a job that uses its memory densely are a five-hundredth of it; address space does
# not count them, and touching pages far apart makes them larger than the pages.
_TABLES_SHARE = 16
_LOOK_S = 0.05  # how often page tables and threads are counted


def cpu_seconds(pid: int) -> float:
    """CPU time of another process so far, all threads, by the clock id the kernel gives it."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _waited_for_processor(pid: int) -> float:
    """Seconds this process was ready to run without a processor; 0 if the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _overspends_the_kernel(pid: int, limits: dict[str, Any]) -> bool:
    """Whether a job has page tables or threads beyond what its memory limit means: the kernel's own
    memory, which no limit of a process counts. L3 refuses the threads as well."""
    try:
        with open(f"/proc/{pid}/status") as file:
            told = dict(line.partition(":")[::2] for line in file)
        tables = int(told.get("VmPTE", "0").split()[0]) << 10
        return tables > limits["memoryBytes"] // _TABLES_SHARE or (
            int(told["Threads"]) > jail.MAX_THREADS
        )
    except (OSError, ValueError, KeyError):
        return False  # it has ended


def _time_left(pid: int, limits: dict[str, Any], elapsed: float) -> float:
    """Seconds until it is worth looking again; 0 or less when a limit is broken.

    Time spent waiting for a processor does not count as wall time (up to a bound), so that a
    verdict depends on the program and not on what else the machine is doing.
    """
    cpu_left: float = limits["cpuSeconds"] - cpu_seconds(pid)
    wall_left: float = limits["wallSeconds"] - elapsed
    if wall_left <= 0 and elapsed < MAX_STRETCH * limits["wallSeconds"]:
        wall_left += _waited_for_processor(pid)
    if cpu_left <= 0 or wall_left <= 0:
        return 0.0
    return max(0.005, min(cpu_left, wall_left))


def _kill(worker: WarmWorker) -> None:
    """End the job. The middle process of L3 is left to reap it and then ends by itself, so that
    waiting for the middle process means that nothing of the job is left."""
    for kill in (os.kill, os.killpg):  # the group matters only where the job could fork (unsafe)
        try:
            kill(worker.job_pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def supervise(
    worker: WarmWorker, limits: dict[str, Any], channel: socket.socket
) -> tuple[str, dict[int, Text], CallTimer]:
    """Read what the job writes until it ends, breaks a limit or the broker gives it up.

    The verdict is ended, timeout, memory, output or abandoned; the texts are by descriptor, at most
    one byte past their cap; the timer knows which calls were late. The job is killed, not yet
    reaped.
    """
    caps = {
        worker.report: limits.get("reportBytes", REPORT_BYTES),
        worker.output: limits["outputBytes"],
        worker.errors: limits["outputBytes"],
    }
    memory = UnforkedMemory(sum(caps.values()) + len(caps))
    texts = {fd: Text(memory.take(cap + 1)) for fd, cap in caps.items()}
    timer = CallTimer(worker.job_pid, limits, texts[worker.report], _waited_for_processor)
    poller = select.poll()
    for fd in (*texts, worker.ended, channel.fileno()):
        poller.register(fd, select.POLLIN)
    for fd in texts:
        os.set_blocking(fd, False)
    started, verdict = time.monotonic(), ""
    look = started + _LOOK_S
    while not verdict:
        left = _time_left(worker.job_pid, limits, time.monotonic() - started)
        if left <= 0:
            verdict = "timeout"
            break
        if time.monotonic() >= look:
            if _overspends_the_kernel(worker.job_pid, limits):
                verdict = "memory"
                break
            look = time.monotonic() + _LOOK_S
        ready = dict(poller.poll(min(left, timer.left(), _LOOK_S) * 1000 + 1))
        for fd in [fd for fd in texts if fd in ready]:
            if not texts[fd].drain(fd):
                poller.unregister(fd)
            if texts[fd].size > caps[fd]:
                verdict = "output"
        if channel.fileno() in ready:
            verdict = "abandoned"
        elif worker.ended in ready and not verdict:
            verdict = "ended"
    _kill(worker)
    for fd in texts:
        texts[fd].drain(fd)
        if texts[fd].size > caps[fd]:
            verdict = "output"  # also when the job was through before we read that far
    timer.follow()
    return verdict, texts, timer


def wait_for_end(worker: WarmWorker) -> tuple[int, float]:
    """Exit code (negative: signal) and CPU seconds of the job, reaping it."""
    _, status, usage = os.wait4(worker.child, 0)
    os.set_blocking(worker.status, False)
    try:
        told = os.read(worker.status, 4096).decode("utf-8", "replace")
    except BlockingIOError:
        told = ""
    for line in told.splitlines():
        if line.startswith("ended "):
            status = int(line[6:])
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
