"""The one exception type that reaches the engine."""

from __future__ import annotations

from typing import Any, Literal

ErrorKind = Literal["parse", "badRequest", "missingPackage", "wrongVersion", "selfTest"]

# JSON-RPC 2.0 reserves these two. Every failure of our own uses the third; `data.kind` says which.
_CODES = {"parse": -32700, "badRequest": -32602}
_OTHER = -32000


class GraderError(Exception):
    """A failure a person can act on: a kind and one sentence."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

    def to_json(self) -> dict[str, Any]:
        return {
            "code": _CODES.get(self.kind, _OTHER),
            "message": self.message,
            "data": {"kind": self.kind},
        }
