"""Limits of a job: what a request may ask for, and what it gets when it does not ask."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from host.errors import RunnerError

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """cpuSeconds of the process and all its threads, wallSeconds from the moment the job starts
    (less what it waited for a processor), memoryBytes of address space, outputBytes of each of
    stdout and stderr."""

    cpuSeconds: float = 2.0
    wallSeconds: float = 3.0
    memoryBytes: int = 512 * _MIB
    outputBytes: int = 65_536

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


# An interpreter needs about 40 MiB of address space before the program's first line.
_RANGES = {
    "cpuSeconds": (0.05, 600),
    "wallSeconds": (0.05, 600),
    "memoryBytes": (96 * _MIB, 64 << 30),
    "outputBytes": (0, 2 * _MIB),
}


def read_limits(given: object) -> Limits:
    """Limits of a request; RunnerError 'badRequest' names the field that is out of range."""
    if given is None:
        return Limits()
    if not isinstance(given, dict):
        raise RunnerError("badRequest", "limits must be an object.")
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _RANGES:
            known = ", ".join(_RANGES)
            raise RunnerError("badRequest", f"limits.{str(name)[:40]} is unknown; use {known}.")
        low, high = _RANGES[name]
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not low <= value <= high:
            raise RunnerError("badRequest", f"limits.{name} must be between {low} and {high}.")
        values[name] = int(value) if name.endswith("Bytes") else float(value)
    return Limits(**values)
