"""The self-test: proves at start, on this kernel, that the sandbox refuses what it must.

A level is believed for what it does, not for the presence of a program; nothing is cached.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host.errors import RunnerError
from host.interpret import build_result, read_report
from host.interpreter import identity_arguments, sandbox_user
from host.limits import Limits
from host.pool import Pool
from host.probes import PROBES

_CANARY = "this text must not be read from inside"
# Nothing else may put folders under this name: whatever a dead broker left under it is deleted.
_PREFIX = "anchor-selftest-"
_LIMITS = Limits(cpuSeconds=5, wallSeconds=10)


@dataclass
class Bait:
    """What the probes go for: files anybody may change, two listeners, a process of the same user.
    Only the sandbox stands between a probe and these."""

    folder: Path = field(init=False)

    def __enter__(self) -> Bait:
        _remove_leftovers()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        self.folder.chmod(0o777)
        (self.folder / "canary").write_text(_CANARY)
        (self.folder / "canary").chmod(0o666)
        owner = sandbox_user()
        if owner is not None:
            os.chown(self.folder / "canary", owner, owner)  # so that a chmod is ours to refuse
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.abstract_name = f"{_PREFIX}{os.getpid()}"
        self.unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.unix.bind("\0" + self.abstract_name)
        self.unix.listen()
        for listener in (self.tcp, self.unix):
            listener.setblocking(False)
        waits = "import sys; sys.stdin.read()"  # ends when its pipe does, so also with us
        self.victim = subprocess.Popen(
            [_python_for_victim(), "-I", "-S", "-c", waits],
            cwd="/",
            stdin=subprocess.PIPE,
            **identity_arguments(),
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.victim.kill()
        self.victim.wait()
        assert self.victim.stdin is not None
        self.victim.stdin.close()
        self.tcp.close()
        self.unix.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def touched(self) -> str | None:
        """What a probe did on our side, whatever it said itself; None when nothing."""
        for name, listener in (("TCP", self.tcp), ("abstract socket", self.unix)):
            try:
                listener.accept()[0].close()
                return f"a connection reached the {name} listener"
            except OSError:
                pass
        canary = self.folder / "canary"
        if self.victim.poll() is not None:
            return "the victim process was killed"
        if not canary.is_file() or canary.stat().st_mode & 0o777 != 0o666:
            return "the canary file was changed"
        if canary.read_text() != _CANARY or len(list(self.folder.iterdir())) != 1:
            return "the canary's folder was written to"
        return None

    def arguments(self) -> list[Any]:
        return [
            ["i", hex(self.tcp.getsockname()[1])],
            ["s", str(self.folder)],
            ["i", hex(self.victim.pid)],
            ["s", self.abstract_name],
        ]


def _remove_leftovers() -> None:
    """Folders of brokers that were killed in the middle of their self-test."""
    for folder in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(folder, ignore_errors=True)


def _python_for_victim() -> str:
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


async def run_self_test(pool: Pool) -> list[dict[str, Any]]:
    """[{probe, ok, detail}] of all twelve probes, run one after the other at the pool's level."""
    results = []
    with Bait() as bait:
        for name, program in PROBES.items():
            detail = await _run_probe(pool, program, bait)
            results.append({"probe": name, "ok": detail == "refused", "detail": detail})
    return results


async def _run_probe(pool: Pool, program: str, bait: Bait) -> str:
    """'refused', or a phrase that says how the probe got through."""
    limits = _LIMITS.as_json()
    job = {
        "kind": "run",
        "program": program,
        "entry": "f",
        "passes": 1,
        "limits": limits,
        "calls": [{"args": bait.arguments()}],
    }
    seed = next(iter(pool.seeds()))
    try:
        outcome = await pool.run(seed, limits, job)
    except RunnerError as error:
        return str(error)
    result = build_result(
        pool.level, outcome, read_report(outcome.report, 1, 1, False), 1, _LIMITS.cpuSeconds
    )
    touched = bait.touched()
    if touched is not None:
        return touched
    call = result["calls"][0]
    if call["status"] != "ok":
        return f"the probe ended as {call['status']} {json.dumps(call.get('error', ''))}"
    return "refused" if call["value"] == ["s", "refused"] else "the kernel let it through"
