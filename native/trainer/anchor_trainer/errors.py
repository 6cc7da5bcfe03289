"""The one exception type that reaches the engine, and the kinds it may carry."""

from __future__ import annotations

import errno
from typing import Any, Literal

import torch

ErrorKind = Literal[
    "parse",
    "badRequest",
    "protocolMismatch",
    "notLoaded",
    "versionMismatch",
    "unknownRollout",
    "promptTooLong",
    "oom",
    "cancelled",
    "badModel",
    "diskFull",
    "internal",
]

# JSON-RPC 2.0 reserves these two; every failure of our own uses one code and is told apart by
# `data.kind`, so that the engine switches on a word and not on a number.
JSONRPC_CODE = {"parse": -32700, "badRequest": -32602}
APPLICATION_ERROR_CODE = -32000

OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class TrainerError(Exception):
    """A failure a person can act on: one sentence, a kind, and perhaps a hint."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        retryable: bool = False,
        hint: str | None = None,
        detail: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retryable = retryable
        self.hint = hint
        self.detail = detail

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind, "retryable": self.retryable}
        if self.hint is not None:
            data["hint"] = self.hint
        if self.detail is not None:
            data["detail"] = self.detail
        code = JSONRPC_CODE.get(self.kind, APPLICATION_ERROR_CODE)
        return {"code": code, "message": self.message, "data": data}


def ran_out_of_memory(error: BaseException) -> bool:
    """On a CPU, PyTorch has no exception of its own for it."""
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )


def disk_error(error: OSError, what: str) -> TrainerError:
    """Turns a failed write into a sentence; `what` names the file or folder being written."""
    # numpy reports a short write without an error number.
    if error.errno in OUT_OF_SPACE or error.errno is None:
        return TrainerError(
            "diskFull",
            f"The disk is full: {what} could not be written and nothing was left half-written.",
            retryable=True,
            hint="Free space on that disk, then try again.",
        )
    reason = error.strerror or type(error).__name__
    return TrainerError("badRequest", f"{what} could not be written: {reason}.")
