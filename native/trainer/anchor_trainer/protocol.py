"""JSON-RPC 2.0 over newline-delimited JSON: the wire, without any method.

Messages are strict JSON (no NaN or Infinity); a number that is not finite is sent as null next to
`nonfinite: true`, so that a reader never mistakes a broken figure for a measured one.
"""

from __future__ import annotations

import json
import math
import os
import queue
import threading
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

from .errors import TrainerError

PROTOCOL_NAME = "anchor-trainer"
PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 1
MAX_LINE_BYTES = 16 * 1024 * 1024
_STOP = object()


class LineReader:
    """Splits a byte stream into lines, never holding more than the cap of one line."""

    def __init__(self, source: BinaryIO) -> None:
        self.source = source

    def lines(self) -> Iterator[bytes | None]:
        """Yields lines without their newline; None stands for a line over the cap."""
        while True:
            line = self.source.readline(MAX_LINE_BYTES + 1)
            if not line:
                return
            if line.endswith(b"\n"):
                yield line[:-1]
            elif len(line) > MAX_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = self.source.readline(MAX_LINE_BYTES + 1)
                yield None
            else:
                return  # the stream ended inside a line: the writer died, nobody waits for it


def parse_request(line: bytes | None) -> dict[str, Any]:
    """One request object with a whole-number id, a method name and object params."""
    if line is None:
        raise TrainerError("parse", f"A line was longer than {MAX_LINE_BYTES} bytes.")
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise TrainerError("parse", f"A line was not valid JSON: {error}.") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise TrainerError("parse", "A line was not a JSON-RPC 2.0 request.")
    number = message.get("id")
    if not isinstance(number, int) or isinstance(number, bool):
        raise TrainerError("parse", "A request had no whole-number id.")
    if not isinstance(message.get("method"), str):
        raise TrainerError("parse", "A request had no method.")
    return message


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed")


def finite(value: Any) -> Any:
    """The value with non-finite numbers as null; their object gets `nonfinite: true`."""
    if isinstance(value, dict):
        cleaned = {key: finite(one) for key, one in value.items()}
        if any(_broken(one) or _broken_inside(one) for one in value.values()):
            cleaned["nonfinite"] = True
        return cleaned
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    return None if _broken(value) else value


def _broken(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _broken_inside(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(_broken(one) for one in value)


class Writer:
    """Owns the protocol descriptor: one thread writes, everybody else queues lines.

    A heartbeat is left out while an earlier one still waits; nothing else is ever dropped.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.Queue[Any] = queue.Queue()
        self._sequence = 0
        self._lock = threading.Lock()
        self._heartbeat_waiting = False
        self.broken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def result(self, request_id: int, value: dict[str, Any]) -> None:
        self._queue.put({"jsonrpc": "2.0", "id": request_id, "result": value})

    def error(self, request_id: int | None, error: TrainerError) -> None:
        self._queue.put({"jsonrpc": "2.0", "id": request_id, "error": error.to_json()})

    def event(self, name: str, params: dict[str, Any]) -> None:
        with self._lock:
            if name == "heartbeat":
                if self._heartbeat_waiting:
                    return
                self._heartbeat_waiting = True
            self._sequence += 1
            body = {"seq": self._sequence, "ts": time.time(), **params}
            self._queue.put({"jsonrpc": "2.0", "method": f"event/{name}", "params": body})

    def close(self, seconds: float) -> None:
        """Writes what is queued, for at most `seconds`."""
        self._queue.put(_STOP)
        self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            message = self._queue.get()
            if message is _STOP:
                return
            if message.get("method") == "event/heartbeat":
                with self._lock:
                    self._heartbeat_waiting = False
            line = json.dumps(finite(message), ensure_ascii=False, allow_nan=False)
            try:
                self._write(line.encode("utf-8", "replace") + b"\n")
            except OSError:
                self.broken.set()
                return

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
