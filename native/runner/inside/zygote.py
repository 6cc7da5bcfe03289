"""The zygote: a warm interpreter inside the sandbox that forks one sealed process per job.

It talks to the broker on one socket. A message is: 4 bytes length of a JSON header, 4 bytes length
of a body, both big-endian, then the two. The body of a job is passed on unread; the bodies of
replies are the program's bytes, which only the broker looks into. Both lie in UnforkedMemory while
they are here, because the next job is a fork of this process and must find nothing of the one
before.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import signal
import socket
import struct
import sys
import time
from typing import Any

from inside import kernel
from inside.clock import find_clocks
from inside.grading.packages import FOLDERS
from inside.landlock import build_ruleset
from inside.unforked import UnforkedMemory
from inside.warm_worker import SetupFailed, await_ready, fork_worker
from inside.watchdog import cpu_seconds, supervise, wait_for_end

# Imported once here instead of in every job; each costs the forks a little page table.
PRELOAD = (
    "math cmath random itertools collections re functools heapq bisect string typing copy "
    "operator dataclasses enum abc io contextlib fractions decimal statistics datetime "
    "textwrap numbers types ast"
).split()


def _receive(channel: socket.socket) -> tuple[dict[str, Any], memoryview] | None:
    head = _exactly(channel, 8)
    if head is None:
        return None
    header_size, body_size = struct.unpack(">II", head)
    header = _exactly(channel, header_size)
    if header is None:
        return None
    body = UnforkedMemory(body_size).take(body_size)
    return (json.loads(header), body) if _fill(channel, body) else None


def _fill(channel: socket.socket, view: memoryview) -> bool:
    """Fill the view from the socket; False when it ended before."""
    while view:
        count = channel.recv_into(view)
        if not count:
            return False
        view = view[count:]
    return True


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    parts = bytearray(size)
    return bytes(parts) if _fill(channel, memoryview(parts)) else None


def _reply(
    channel: socket.socket, header: dict[str, Any], parts: list[memoryview] | None = None
) -> None:
    text = json.dumps(header).encode()
    parts = [part for part in parts or [] if part]
    channel.sendall(struct.pack(">II", len(text), sum(map(len, parts))) + text)
    for part in parts:
        channel.sendall(part)


class Zygote:
    def __init__(self, level: str, ruleset: int | None, channel: socket.socket) -> None:
        self.level, self.ruleset, self.channel = level, ruleset, channel
        self.next = fork_worker(level, ruleset)
        await_ready(self.next)  # a level that cannot make namespaces is told at start

    def run(
        self, header: dict[str, Any], body: memoryview
    ) -> tuple[dict[str, Any], list[memoryview]]:
        """The reply's header, and what the job wrote: report, output, errors."""
        worker = self.next
        if worker.job_pid == 0:
            await_ready(worker)
        before = sum(cpu_seconds(pid) for pid in {worker.child, worker.job_pid})
        started = time.monotonic()
        try:
            os.write(worker.job, b"\n")
            while body:
                body = body[os.write(worker.job, body) :]
        except BrokenPipeError:
            pass  # it is gone already; its end will be reported as what it is
        os.close(worker.job)
        worker.job = -1
        self.next = fork_worker(self.level, self.ruleset)
        verdict, texts, timer = supervise(worker, header["limits"], self.channel)
        wall = time.monotonic() - started
        code, cpu = wait_for_end(worker)
        parts = [texts[fd].seen() for fd in (worker.report, worker.output, worker.errors)]
        worker.close()
        return {
            "verdict": verdict,
            "code": code,
            "wallMs": round(wall * 1e3, 2),
            "cpuMs": round(max(0.0, cpu - before) * 1e3, 2),
            "sizes": [len(part) for part in parts],
            "rung": timer.rung,
            "late": timer.late,
        }, parts


def main(channel_fd: int, settings: dict[str, Any]) -> None:
    """settings: level, readable and writable paths (L2)."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # nobody reads or traces the zygote
    if settings["level"] != "L3":
        kernel.die_with_parent(settings["broker"])  # bubblewrap does it at L3
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.tzset()
    for name in PRELOAD:
        __import__(name)
    find_clocks()
    FOLDERS.update(settings["packages"])
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
    _reply(
        channel,
        {
            "ready": True,
            "python": platform.python_version(),
            "hashRandom": sys.flags.hash_randomization,
            "uid": os.getuid(),
        },
    )
    while (message := _receive(channel)) is not None:
        header, body = message
        try:
            _reply(channel, *zygote.run(header, body))
        except SetupFailed as error:
            _reply(channel, {"failed": str(error)})
            return
