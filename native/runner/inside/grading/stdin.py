"""Standard input as two judges fake it, with the quirks that verdicts depend on.

Both put three functions on the interpreter's own sys.stdin: read() gives the whole text every time,
readlines() its parts between line ends, readline() the next of these parts and StopIteration after
the last. Then they put something else in the place of sys.stdin, so a program that kept the former
object (`from sys import stdin`, or the bare `stdin` of the prelude) reads otherwise than one that
asks for sys.stdin. What takes the place is all they differ in. `mock`, LiveCodeBench: a stand-in
with the same read and readlines, the readline of a text in memory, and a buffer that reads
everything or the first line; none of them can be iterated over. `text`, AZR's older copy of it: a
text in memory.
builtins.open gives a file with the text, whatever is to be opened.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Buffer:
    def __init__(self, text: str) -> None:
        self._bytes = text.encode()

    def read(self, *_: object) -> bytes:
        return self._bytes

    def readline(self, *_: object) -> bytes:
        return self._bytes.split(b"\n")[0] + b"\n"


class _StandIn:
    def __init__(self, text: str) -> None:
        self._text, self._file = text, io.StringIO(text)
        self.buffer = _Buffer(text)

    def read(self, *_: object) -> str:
        return self._text

    def readline(self, *size: int) -> str:
        return self._file.readline(*size)

    def readlines(self, *_: object) -> list[str]:
        return self._text.split("\n")

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)  # fileno and the like refuse, as a text in memory does


def _opener(text: str) -> Callable[..., Any]:
    """The mock both judges open, made when it is first asked for: few programs do."""
    made: list[Any] = []

    def opened(*arguments: object, **named: object) -> Any:
        if not made:
            from unittest.mock import mock_open

            made.append(mock_open(read_data=text))
        return made[0](*arguments, **named)

    return opened


@contextmanager
def faked(text: str, kind: str) -> Iterator[io.StringIO]:
    """For the time of one test; gives what the program prints. UnicodeEncodeError where the judge
    cannot make its buffer of the text."""
    builtins: Any = sys.modules["builtins"]
    kept = sys.stdin, sys.stdout, builtins.open
    printed = io.StringIO()
    # The judges mean to make closing harmless and forget that it has no argument: it raises.
    printed.close = lambda _: None  # type: ignore[assignment,misc]
    own: Any = sys.stdin
    parts = iter(text.split("\n"))
    sys.stdin = io.StringIO(text) if kind == "text" else _StandIn(text)
    own.read = lambda *_: text
    own.readlines = lambda *_: text.split("\n")
    own.readline = lambda *_: next(parts)
    sys.stdout, builtins.open = printed, _opener(text)
    try:
        yield printed
    finally:
        sys.stdin, sys.stdout, builtins.open = kept
        for name in ("read", "readlines", "readline"):
            vars(own).pop(name, None)
