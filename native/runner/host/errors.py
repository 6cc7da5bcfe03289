"""Errors the broker answers with."""

from __future__ import annotations

from typing import Literal

ErrorKind = Literal[
    "badRequest",
    "tooLarge",
    "unknownOp",
    "notReady",
    "alreadyStarted",
    "executionDisabled",
    "levelUnavailable",
    "startFailed",
    "sandboxFailed",
    "noInterpreter",
    "cancelled",
    "internal",
]


class RunnerError(Exception):
    """A refused or failed request. kind is a stable word for programs, the message one sentence."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ZygoteGone(Exception):
    """The process that forks jobs ended while one was running, or while it started."""
