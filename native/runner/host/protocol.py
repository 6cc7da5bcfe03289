"""Newline-delimited JSON over descriptors nobody else writes to."""

from __future__ import annotations

import asyncio
import json
import os

MAX_LINE = 32 << 20  # one test of a programming contest has up to ten megabytes of input
# The engine reads a reply in one go, on the thread that answers everybody; it takes 20 MiB a line.
MAX_REPLY = 18 << 20


def encode(message: object) -> bytes:
    """One line. ValueError for a number that JSON does not have."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class Lines:
    """One JSON object per line in, one out. Descriptors 0 and 1 are given away first, so that a
    stray print goes to the log and never between two messages."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        nothing = os.open("/dev/null", os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        os.set_blocking(self._out, True)

    async def open(self) -> None:
        self._reader = asyncio.StreamReader(limit=MAX_LINE)
        protocol = asyncio.StreamReaderProtocol(self._reader)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: protocol, os.fdopen(self._in, "rb", buffering=0)
        )

    async def read(self) -> bytes | None:
        """The next line without its end; None at end of file; b'' for one that was too long."""
        try:
            return (await self._reader.readuntil(b"\n"))[:-1]
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError:
            return await self._skip_line()

    async def _skip_line(self) -> bytes | None:
        while True:
            part = await self._reader.read(1 << 20)
            if not part:
                return None
            _, newline, rest = part.partition(b"\n")
            if newline:
                # StreamReader has no way to give bytes back but its buffer's front.
                self._reader._buffer[:0] = rest  # type: ignore[attr-defined]
                return b""

    def write(self, line: bytes) -> None:
        """Blocks while the reader is slow: replies must not pile up in memory."""
        data = memoryview(line)
        while data:
            data = data[os.write(self._out, data) :]
