"""JSON-RPC 2.0, one message a line, as the trainer speaks it, without events."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from .errors import GraderError

PROTOCOL_NAME = "anchor-grader"
PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0
MAX_LINE_BYTES = 1024 * 1024


def lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Lines without their newline.

    None stands for a line over the cap; no more than the cap of it is held.
    """
    while True:
        line = source.readline(MAX_LINE_BYTES + 1)
        if line.endswith(b"\n"):
            yield line[:-1]
        elif len(line) <= MAX_LINE_BYTES:
            return  # the stream ended, perhaps inside a line: nobody waits for it
        else:
            while line and not line.endswith(b"\n"):
                line = source.readline(MAX_LINE_BYTES + 1)
            yield None


def parse_request(line: bytes | None) -> tuple[int, str, dict[str, Any]]:
    """Id, method and params of a request. Raises GraderError `parse` or `badRequest`."""
    if line is None:
        raise GraderError("parse", f"A line was longer than {MAX_LINE_BYTES} bytes.")
    try:
        message = json.loads(line.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise GraderError("parse", f"A line was not valid JSON: {error}.") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise GraderError("parse", "A line was not a JSON-RPC 2.0 request.")
    number, method, params = message.get("id"), message.get("method"), message.get("params")
    if not isinstance(number, int) or isinstance(number, bool):
        raise GraderError("parse", "A request had no whole-number id.")
    if not isinstance(method, str) or not isinstance(params, dict):
        raise GraderError("parse", "A request had no method or no params.")
    return number, method, params


class Writer:
    """Owns the protocol descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def result(self, request_id: int, value: dict[str, Any]) -> None:
        self._send({"jsonrpc": "2.0", "id": request_id, "result": value})

    def error(self, request_id: int | None, error: GraderError) -> None:
        self._send({"jsonrpc": "2.0", "id": request_id, "error": error.to_json()})

    def _send(self, message: dict[str, Any]) -> None:
        view = memoryview(json.dumps(message, allow_nan=False).encode("utf-8") + b"\n")
        while view:
            view = view[os.write(self._descriptor, view) :]
