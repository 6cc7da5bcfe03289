"""What the kernel says about a job while it runs, read from outside."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from client import Broker, descendants

_NAME = "anchor-sight"
_PROGRAM = f"""
import ctypes, time
def f():
    ctypes.CDLL(None).prctl(15, b"{_NAME}", 0, 0, 0)
    time.sleep(30)
"""
_PATIENCE_S = 10
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


@dataclass(frozen=True)
class Process:
    """status: its lines in /proc by name. owner: user of its /proc files, root when it may not be
    traced or dumped. session: its id. environment: as the interpreter was given it. The last three
    are None for a user who may not see them."""

    pid: int
    parent: int
    session: int
    status: dict[str, str]
    owner: int
    environment: dict[str, str] | None
    namespaces: dict[str, str] | None
    descriptors: dict[int, str] | None


@dataclass(frozen=True)
class Sight:
    job: Process
    zygote: Process  # the zygote
    mounts: dict[str, set[str]]  # options of each mount of the job, by its place


def _link(path: Path) -> str:
    return os.readlink(path)


def read_process(pid: int) -> Process:
    folder = Path(f"/proc/{pid}")
    pairs = (line.partition(":") for line in (folder / "status").read_text().splitlines())
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    environment = namespaces = descriptors = None
    try:
        block = (folder / "environ").read_bytes().decode().split("\0")
        environment = dict(part.partition("=")[::2] for part in block if part)
        namespaces = {name: _link(folder / "ns" / name) for name in NAMESPACES}
        descriptors = {int(one.name): _link(one) for one in (folder / "fd").iterdir()}
    except PermissionError:
        assert os.geteuid() != 0, "root may see everything"
    status = {name: text.strip() for name, _, text in pairs}
    owner = (folder / "status").stat().st_uid
    return Process(
        pid, int(fields[1]), int(fields[3]), status, owner, environment, namespaces, descriptors
    )


def _mounts(pid: int) -> dict[str, set[str]]:
    found = {}
    for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
        mine, _, kind = line.partition(" - ")
        fields = mine.split()
        found[fields[4]] = {*fields[5].split(","), *fields[6:], kind.split()[0]}
    return found


def _find_job(broker: Broker) -> int:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        for pid in descendants(broker.process.pid):
            try:
                if Path(f"/proc/{pid}/comm").read_text().strip() == _NAME:
                    return pid
            except OSError:
                continue
        time.sleep(0.01)
    raise AssertionError("the job was not seen")


def start_job(broker: Broker) -> tuple[int, int]:
    """A job that waits: the id of its request, and its pid."""
    key = broker.send(
        "run",
        program=_PROGRAM,
        entry="f",
        calls=[{"args": []}],
        limits={"cpuSeconds": 3, "wallSeconds": 20, "memoryBytes": 256 << 20},
    )
    return key, _find_job(broker)


def look(broker: Broker, level: str) -> Sight:
    """Start a job, read what the kernel says about it, and end it."""
    key, pid = start_job(broker)
    try:
        job = read_process(pid)
        zygote = job.parent if level != "L3" else read_process(job.parent).parent
        return Sight(job, read_process(zygote), _mounts(pid))
    finally:
        os.kill(pid, signal.SIGKILL)
        assert broker.wait(key)["status"] == "died"
