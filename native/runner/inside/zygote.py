"""The zygote: a warm interpreter inside the sandbox that forks one sealed process per job.

It talks to the broker on one socket. A message is: 4 bytes length of a JSON header, 4 bytes length
of a body, both big-endian, then the two. The body of a job is passed on unread; the bodies of
replies are the program's bytes, which only the broker looks into.
"""
from __future__ import annotations

import gc
import json
import os
import platform
import select
import signal
import socket
import struct
import sys
import time

from inside import kernel
from inside.landlock import build_ruleset
from inside.spare import SetupFailed, Spare, await_ready, fork_spare

REPORT_BYTES = 4 << 20  # all frames of one job together; the broker's own lines end at 8 MiB
MAX_STRETCH = 8  # how many times its wall time a job may take on a machine that is too busy

# Imported once here instead of in every job; each costs the forks a little page table.
PRELOAD = ("math cmath random itertools collections re functools heapq bisect string typing copy "
           "operator dataclasses enum abc io contextlib fractions decimal statistics datetime "
           "textwrap numbers types ast").split()


def _receive(channel: socket.socket) -> tuple[dict, bytes] | None:
    head = _exactly(channel, 8)
    if head is None:
        return None
    header_size, body_size = struct.unpack(">II", head)
    data = _exactly(channel, header_size + body_size)
    return None if data is None else (json.loads(data[:header_size]), data[header_size:])


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = channel.recv(min(1 << 20, size - len(parts)))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _reply(channel: socket.socket, header: dict, body: bytes = b"") -> None:
    text = json.dumps(header).encode()
    channel.sendall(struct.pack(">II", len(text), len(body)) + text + body)


def _cpu_seconds(pid: int) -> float:
    """CPU time of another process so far, all threads: the clock id the kernel builds from a pid."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _waited_for_processor(pid: int) -> float:
    """Seconds this process was ready to run and had no processor; 0 where the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _time_left(pid: int, limits: dict, elapsed: float) -> float:
    """Seconds until it is worth looking again; 0 or less when a limit is broken.

    Time spent waiting for a processor does not count as wall time (up to a bound), so that a verdict
    depends on the program and not on what else the machine is doing.
    """
    cpu_left = limits["cpuSeconds"] - _cpu_seconds(pid)
    wall_left = limits["wallSeconds"] - elapsed
    if wall_left <= 0 and elapsed < MAX_STRETCH * limits["wallSeconds"]:
        wall_left += _waited_for_processor(pid)
    if cpu_left <= 0 or wall_left <= 0:
        return 0.0
    return max(0.005, min(cpu_left, wall_left))


def _kill(spare: Spare) -> None:
    """End the job. The middle process of L3 is left to reap it and then ends by itself, so that
    waiting for the middle process means that nothing of the job is left."""
    for kill in (os.kill, os.killpg):  # the group matters only where the job could fork (unsafe)
        try:
            kill(spare.job_pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _supervise(spare: Spare, limits: dict,
               channel: socket.socket) -> tuple[str, dict[int, bytearray]]:
    """Read what the job writes until it ends, breaks a limit or the broker gives it up."""
    texts = {spare.report: bytearray(), spare.output: bytearray(), spare.errors: bytearray()}
    caps = {spare.report: REPORT_BYTES, spare.output: limits["outputBytes"],
            spare.errors: limits["outputBytes"]}
    poller = select.poll()
    for fd in (*texts, spare.ended, channel.fileno()):
        poller.register(fd, select.POLLIN)
    for fd in texts:
        os.set_blocking(fd, False)
    started, verdict = time.monotonic(), ""
    while not verdict:
        left = _time_left(spare.job_pid, limits, time.monotonic() - started)
        if left <= 0:
            verdict = "timeout"
            break
        ready = dict(poller.poll(left * 1000 + 1))
        for fd in [fd for fd in texts if fd in ready]:
            if not _drain(fd, texts[fd], caps[fd]):
                poller.unregister(fd)
            if len(texts[fd]) > caps[fd]:
                verdict = "output"
        if channel.fileno() in ready:
            verdict = "abandoned"
        elif spare.ended in ready and not verdict:
            verdict = "ended"
    _kill(spare)
    for fd in texts:
        _drain(fd, texts[fd], caps[fd])
        if len(texts[fd]) > caps[fd]:
            verdict = "output"  # also when the job was through before we read that far
    return verdict, texts


def _drain(fd: int, text: bytearray, cap: int) -> bool:
    """Append what can be read now; False at end of file. Stops one byte past the cap."""
    while len(text) <= cap:
        try:
            part = os.read(fd, min(65536, cap + 1 - len(text)))
        except BlockingIOError:
            return True
        if not part:
            return False
        text += part
    return True


def _ending(spare: Spare) -> tuple[int, float]:
    """Exit code (negative: signal) and CPU seconds of the job, reaping it."""
    _, status, usage = os.wait4(spare.child, 0)
    os.set_blocking(spare.status, False)
    try:
        told = os.read(spare.status, 4096).decode("utf-8", "replace")
    except BlockingIOError:
        told = ""
    for line in told.splitlines():
        if line.startswith("ended "):
            status = int(line[6:])
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


class Zygote:
    def __init__(self, level: str, ruleset: int | None, channel: socket.socket) -> None:
        self.level, self.ruleset, self.channel = level, ruleset, channel
        self.next = fork_spare(level, ruleset)
        await_ready(self.next)  # a level that cannot make namespaces is told at start

    def run(self, header: dict, body: bytes) -> tuple[dict, bytes]:
        spare = self.next
        if spare.job_pid == 0:
            await_ready(spare)
        before = sum(_cpu_seconds(pid) for pid in {spare.child, spare.job_pid})
        started = time.monotonic()
        try:
            os.write(spare.job, b"\n")
            view = memoryview(body)
            while view:
                view = view[os.write(spare.job, view):]
        except BrokenPipeError:
            pass  # it is gone already; its end will be reported as what it is
        os.close(spare.job)
        spare.job = -1
        self.next = fork_spare(self.level, self.ruleset)
        verdict, texts = _supervise(spare, header["limits"], self.channel)
        wall = time.monotonic() - started
        code, cpu = _ending(spare)
        parts = [bytes(texts[fd]) for fd in (spare.report, spare.output, spare.errors)]
        spare.close()
        return {"verdict": verdict, "code": code, "wallMs": round(wall * 1e3, 2),
                "cpuMs": round(max(0.0, cpu - before) * 1e3, 2),
                "sizes": [len(part) for part in parts]}, b"".join(parts)


def main(channel_fd: int, settings: dict) -> None:
    """settings: level, readable and writable paths (L2)."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # nobody reads or traces the judge
    if settings["level"] != "L3":
        kernel.die_with_parent(settings["broker"])  # bubblewrap does it at L3
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.tzset()
    for name in PRELOAD:
        __import__(name)
    channel = socket.socket(fileno=channel_fd)
    ruleset = None
    try:
        if settings["level"] == "L2":
            ruleset = build_ruleset(settings["readable"], settings["writable"])
        gc.collect()
        gc.freeze()
        zygote = Zygote(settings["level"], ruleset, channel)
    except (OSError, SetupFailed) as error:
        _reply(channel, {"failed": str(error)})
        return
    _reply(channel, {"ready": True, "python": platform.python_version(),
                     "hashRandom": sys.flags.hash_randomization, "uid": os.getuid()})
    while (message := _receive(channel)) is not None:
        header, body = message
        try:
            _reply(channel, *zygote.run(header, body))
        except SetupFailed as error:
            _reply(channel, {"failed": str(error)})
            return
