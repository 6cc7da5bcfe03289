"""Talks to a real broker over its pipes, as the engine does."""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[3] / "native" / "runner"
ANSWER_LIMIT_S = 60


class Refused(Exception):
    """The broker answered with an error; kind and message are its own."""

    def __init__(self, error: dict) -> None:
        super().__init__(error["message"])
        self.kind = error["kind"]


class Broker:
    def __init__(
        self, runner: Path | None = None, environment: dict[str, str] | None = None
    ) -> None:
        program = (runner or RUNNER) / "broker.py"
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            umask=0o077,  # that of the engine
        )
        self._next = 0
        self._buffer = b""
        self._answers: dict[int, dict] = {}

    def send(self, op: str, **fields: object) -> int:
        self._next += 1
        self.send_raw(json.dumps({"id": self._next, "op": op, **fields}).encode() + b"\n")
        return self._next

    def send_raw(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def read(self) -> dict:
        """The next reply, whichever request it answers."""
        deadline = time.monotonic() + ANSWER_LIMIT_S
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self.process.stdout], [], [], left)[0], "no answer"
            part = self.process.stdout.read(1 << 20)
            assert part, "the broker ended"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def wait(self, key: int) -> dict | list:
        """The result of one request; Refused when it was answered with an error."""
        while key not in self._answers:
            reply = self.read()
            self._answers[reply["id"]] = reply
        reply = self._answers.pop(key)
        if not reply["ok"]:
            raise Refused(reply["error"])
        return reply["result"]

    def ask(self, op: str, **fields: object) -> dict | list:
        return self.wait(self.send(op, **fields))

    def run(self, program: str, *arguments: list, **fields: object) -> dict:
        """One call of f with these frames."""
        calls = [{"args": list(arguments)}]
        return self.ask("run", program=program, entry="f", calls=calls, **fields)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def descendants(pid: int) -> list[int]:
    """Every process below this one that is not a zombie."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, pending = [], [pid]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found
