"""Standard input as LiveCodeBench's judge fakes it, with the quirks that verdicts depend on.

read() and readlines() give the whole text every time; readline() gives the next line without its
end (so input() meets an empty line as the end of the file, and the end as StopIteration); the byte
buffer's readline() gives the first line every time. Iterating over it works as over a text file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator


class _FakeBuffer:
    def __init__(self, text: str) -> None:
        self._bytes = text.encode("utf-8", "surrogatepass")

    def read(self, *_: object) -> bytes:
        return self._bytes

    def readline(self, *_: object) -> bytes:
        return self._bytes.split(b"\n")[0] + b"\n"

    def readlines(self, *_: object) -> list[bytes]:
        return io.BytesIO(self._bytes).readlines()

    def __iter__(self) -> Iterator[bytes]:
        return iter(io.BytesIO(self._bytes))


class FakeStdin:
    def __init__(self, text: str) -> None:
        self._text, self._file = text, io.StringIO(text)
        self._lines = iter(text.split("\n"))
        self.buffer = _FakeBuffer(text)

    def read(self, *_: object) -> str:
        return self._text

    def readline(self, *_: object) -> str:
        return next(self._lines)

    def readlines(self, *_: object) -> list[str]:
        return self._text.split("\n")

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)  # fileno and the like refuse, as a text in memory does
