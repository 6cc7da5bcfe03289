"""Reads requests of the grading verbs: every field checked once, with a sentence that names it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from host.errors import RunnerError
from host.requests import MAX_CALLS, MAX_PROGRAM_CHARS, MAX_PROGRAMS

_MIB = 1 << 20
_STDIN_KINDS = ("mock", "text")
# A name, or a name within a module.
_WITHHELD = re.compile(r"(?:[A-Za-z_]\w*\.)?[A-Za-z_]\w*")
_MODES = {"function": "args", "method": "json", "script": "stdin"}
_DEFAULTS = {
    "cpuSeconds": 60.0,
    "wallSeconds": 60.0,
    "memoryBytes": 4096 * _MIB,
    "reportBytes": 4 * _MIB,
}
_RANGES = {
    "cpuSeconds": (0.05, 36_000),
    "wallSeconds": (0.05, 36_000),
    "memoryBytes": (96 * _MIB, 64 << 30),
    "reportBytes": (4096, 16 * _MIB),
}
_CALL_RANGE = (0.05, 3_600)


@dataclass(frozen=True)
class GradeRequest:
    program: str
    mode: str
    entry: str
    calls: list[dict[str, Any]]
    also: str | None
    stop_on_error: bool
    stdin_kind: str
    withheld: list[str]
    limits: dict[str, Any]
    hash_seed: int

    def job(self) -> dict[str, Any]:
        """The part that enters the sandbox. Nothing here tells what answer is hoped for."""
        return {
            "kind": "grade",
            "program": self.program,
            "mode": self.mode,
            "entry": self.entry,
            "calls": self.calls,
            "also": self.also,
            "stopOnError": self.stop_on_error,
            "stdinKind": self.stdin_kind,
            "withheld": self.withheld,
        }


def _bad(message: str) -> RunnerError:
    return RunnerError("badRequest", message)


def _number(value: object, name: str, low: float, high: float) -> float:
    if (
        not isinstance(value, (int, float))
        or isinstance(value, bool)
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        raise _bad(f"{name} must be between {low} and {high}.")
    return value


def _read_limits(given: object, calls: int) -> dict[str, Any]:
    """cpuSeconds, wallSeconds, memoryBytes, reportBytes; callSeconds: of the body, then each call.
    A request tells callSeconds as one number for every call or a list of one per call, and
    bodySeconds for the module body; without them only the job as a whole is limited."""
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise _bad("limits must be an object.")
    known = {*_RANGES, "callSeconds", "bodySeconds"}
    for name in given:
        if name not in known:
            raise _bad(f"limits.{str(name)[:40]} is unknown; use {', '.join(sorted(known))}.")
    limits: dict[str, Any] = {"outputBytes": 0}
    for name, (low, high) in _RANGES.items():
        value = _number(given.get(name, _DEFAULTS[name]), f"limits.{name}", low, high)
        limits[name] = int(value) if name.endswith("Bytes") else float(value)
    each = given.get("callSeconds")
    if each is None or isinstance(each, (int, float)):
        each = [each] * calls
    if not isinstance(each, list) or len(each) != calls:
        raise _bad("limits.callSeconds must be a number, or a list of one number per call.")
    seconds = [given.get("bodySeconds"), *each]
    limits["callSeconds"] = [
        None
        if value is None
        else _number(
            value,
            "limits.bodySeconds" if at == 0 else f"limits.callSeconds[{at - 1}]",
            *_CALL_RANGE,
        )
        for at, value in enumerate(seconds)
    ]
    return limits


def _read_calls(given: object, mode: str) -> list[dict[str, Any]]:
    field = _MODES[mode]
    kind = list if field == "args" else str
    if not isinstance(given, list) or len(given) > MAX_CALLS:
        raise _bad(f"calls must be a list of at most {MAX_CALLS:,} calls.")
    for index, call in enumerate(given):
        if (
            not isinstance(call, dict)
            or call.keys() != {field}
            or not isinstance(call[field], kind)
        ):
            raise _bad(
                f"calls[{index}] must be {{{field}: "
                f"{'[frame, ...]' if kind is list else 'text'}}} in mode {mode}."
            )
    return given


def _read_withheld(given: object) -> list[str]:
    if not isinstance(given, list) or not all(
        isinstance(name, str) and _WITHHELD.fullmatch(name) for name in given
    ):
        raise _bad("withheld must be a list of names such as os.getcwd or joblib.")
    return given


def read_grade(request: dict[str, Any], hash_seeds: list[int]) -> GradeRequest:
    """RunnerError 'badRequest' for the first field that is wrong."""
    mode = request.get("mode")
    if mode not in _MODES:
        raise _bad("mode must be function, method or script.")
    program, entry = request.get("program"), request.get("entry", "")
    if not isinstance(program, str) or len(program) > MAX_PROGRAM_CHARS:
        raise _bad(f"program must be a text of at most {MAX_PROGRAM_CHARS:,} characters.")
    if not isinstance(entry, str) or (not entry and mode != "script"):
        raise _bad("entry must be the name of a function.")
    calls = _read_calls(request.get("calls", []), mode)
    also = request.get("also")
    if also not in (None, "set", "arguments"):
        raise _bad("also must be set or arguments.")
    stop = request.get("stopOnError", False)
    if not isinstance(stop, bool):
        raise _bad("stopOnError must be true or false.")
    stdin_kind = request.get("stdinKind", "mock")
    if stdin_kind not in _STDIN_KINDS:
        raise _bad("stdinKind must be mock or text.")
    hash_seed = request.get("hashSeed", hash_seeds[0])
    if hash_seed not in hash_seeds:
        raise _bad(f"hashSeed must be one of {hash_seeds}, as given to hello.")
    return GradeRequest(
        program,
        mode,
        entry,
        calls,
        also,
        stop,
        stdin_kind,
        _read_withheld(request.get("withheld", [])),
        _read_limits(request.get("limits"), len(calls)),
        hash_seed,
    )


def read_extract(request: dict[str, Any]) -> list[list[Any]]:
    """The [text, entry or null] pairs of an extract request."""
    texts = request.get("texts")
    if not isinstance(texts, list) or len(texts) > MAX_PROGRAMS:
        raise _bad(f"texts must be a list of at most {MAX_PROGRAMS:,} entries.")
    for index, pair in enumerate(texts):
        fits = (
            isinstance(pair, dict)
            and isinstance(pair.get("text"), str)
            and len(pair["text"]) <= MAX_PROGRAM_CHARS
            and isinstance(pair.get("entry"), (str, type(None)))
        )
        if not fits:
            raise _bad(f"texts[{index}] must be {{text, entry?}}.")
    return [[pair["text"], pair.get("entry")] for pair in texts]
