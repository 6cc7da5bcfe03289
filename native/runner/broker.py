"""The runner's broker: takes programs as NDJSON requests and executes them in a sandbox.

Started by the engine as `python broker.py`; needs only the standard library of Python 3.11 or
newer. README.md beside this file describes every request and reply. At the end of standard input,
and when its parent dies, it ends and takes every process of the sandbox along.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))  # python -I leaves our folder out

from host.errors import ErrorKind, RunnerError  # noqa: E402  (the lines above must come first)
from host.protocol import MAX_LINE, MAX_REPLY, Lines, encode  # noqa: E402
from host.service import Service  # noqa: E402
from inside import kernel  # noqa: E402


def _read_request(line: bytes) -> dict[str, Any]:
    if not line:
        raise RunnerError("tooLarge", f"A request line must have 1 to {MAX_LINE:,} bytes.")
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise RunnerError("badRequest", "A request must be one JSON object on one line.") from None
    if not isinstance(request, dict) or not isinstance(request.get("op"), str):
        raise RunnerError("badRequest", "A request must be an object with an op.")
    return request


def _failure(kind: ErrorKind, message: str) -> dict[str, Any]:
    return {"ok": False, "error": {"kind": kind, "message": message}}


async def _answer(lines: Lines, service: Service, request: dict[str, Any]) -> None:
    """Run one request and write its one reply."""
    reply: dict[str, Any] = {"id": request.get("id")}
    try:
        line = encode(reply | {"ok": True, "result": await service.handle(request)})
        if len(line) <= MAX_REPLY:
            lines.write(line)
            return
        reply |= _failure("tooLarge", f"The answer has more than {MAX_REPLY:,} bytes.")
    except RunnerError as error:
        reply |= _failure(error.kind, str(error))
    except asyncio.CancelledError:
        reply |= _failure("cancelled", "The job was cancelled.")
    except Exception as error:  # noqa: BLE001 - a fault of ours: tell it, keep serving
        reply |= _failure("internal", f"{type(error).__name__}: {error}")
    lines.write(encode(reply))


async def _serve(lines: Lines, service: Service) -> None:
    await lines.open()
    tasks: set[asyncio.Task[None]] = set()
    while (line := await lines.read()) is not None:
        try:
            request = _read_request(line)
        except RunnerError as error:
            lines.write(encode({"id": None} | _failure(error.kind, str(error))))
            continue
        task = asyncio.create_task(_answer(lines, service, request))
        service.remember(request, task)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        if request["op"] in ("hello", "shutdown"):
            await task  # requests behind a hello wait for its sandbox
        if request["op"] == "shutdown":
            return


def main() -> None:
    lines = Lines()
    kernel.die_with_parent()  # a parent already gone shows as the end of standard input
    os.umask(0o022)  # a program sees the same one whoever starts it; nothing here is secret
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the engine, which decides
    service = Service()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        asyncio.run(_serve(lines, service))
    finally:
        service.stop()


if __name__ == "__main__":
    main()
