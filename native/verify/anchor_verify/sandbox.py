"""
The runner's broker as a child: model-written programs run nowhere else (native/runner/README.md).
What this program sends it and what it makes of the answers is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

from .findings import Json
from .lab import Record

MOST_OPEN = 16
"""Requests that wait at the broker at a time."""


class SandboxLost(Exception):
    """The broker ended, or would not execute anything; one sentence for people."""


class Sandbox:
    def __init__(self, broker: Path, settings: Record) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(broker)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._open: dict[str, Future[Record]] = {}
        self._room = threading.Semaphore(MOST_OPEN)
        self._lock = threading.Lock()
        self._next = 0
        self._limits = {
            name: settings[name]
            for name in ("cpuSeconds", "wallSeconds", "memoryBytes", "outputBytes")
            if name in settings
        }
        threading.Thread(target=self._listen, daemon=True).start()
        hello = {"workers": settings.get("workers", 2), "level": settings.get("level", "auto")}
        answer = self._ask("hello", **hello).result()
        if not answer.get("executionAllowed"):
            self.close()
            raise SandboxLost(
                f"No sandbox could be started, so no program is run: {answer.get('why')}"
            )
        self.level: str = answer["level"]

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def run(self, program: str, calls: list[Json]) -> Future[Record]:
        return self._ask("run", program=program, entry="f", calls=calls, limits=self._limits)

    def check(self, program: str, calls: list[Json]) -> Future[Record]:
        """As `run`, under each hash seed and with the clocks moved."""
        return self._ask("check", program=program, entry="f", calls=calls, limits=self._limits)

    def _ask(self, operation: str, **request: Json) -> Future[Record]:
        self._room.acquire()
        answer: Future[Record] = Future()
        with self._lock:
            self._next += 1
            identity = str(self._next)
            self._open[identity] = answer
            line = json.dumps({"id": identity, "op": operation} | request)
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(f"{line}\n".encode())
                self._process.stdin.flush()
            except OSError:
                self._lose()
        return answer

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            answer = self._open.pop(str(said.get("id")), None)
            if answer is None:
                continue
            self._room.release()
            if said["ok"]:
                answer.set_result(said["result"])
            else:
                answer.set_exception(SandboxLost(f"The sandbox refused: {said['error']}"))
        self._lose()

    def _lose(self) -> None:
        for answer in list(self._open.values()):
            if not answer.done():
                answer.set_exception(SandboxLost("The sandbox ended before it had answered."))
        self._open.clear()
