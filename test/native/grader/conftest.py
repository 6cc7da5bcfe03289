"""Starts the real process, as the engine does, and talks to it line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

MODULES = Path(__file__).resolve().parents[3] / "native" / "grader"


class GraderProcess:
    def __init__(self, **popen: object) -> None:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(MODULES),
            "PYTHONHASHSEED": "0",
            "LANG": "C.UTF-8",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-m", "anchor_grader"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **popen,
        )
        self._next = 0

    def send(self, line: bytes) -> dict:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, **params: object) -> dict:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        answer = self.send(json.dumps(message).encode())
        assert answer["id"] == self._next
        return answer

    def compare(self, gold: str, answer: str, **more: object) -> dict:
        return self.ask("compare", gold=gold, answer=answer, **{"seconds": 60, **more})["result"]

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass


@pytest.fixture
def start() -> Iterator[Callable[..., GraderProcess]]:
    running: list[GraderProcess] = []

    def begin(**popen: object) -> GraderProcess:
        running.append(GraderProcess(**popen))
        return running[-1]

    yield begin
    for process in running:
        process.end()


@pytest.fixture(scope="module")
def grader() -> Iterator[GraderProcess]:
    process = GraderProcess()
    # It reads its libraries now, which takes longer than what some tests allow a pair.
    process.ask("hello")
    yield process
    process.end()
