"""From what a job left behind to a result: a pure reading of bytes nobody trusts.

The report lines must come in the one order the driver writes them. Whatever breaks that order is
'badFrame' from there on; what was read before stays, since it can at worst be a wrong answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from host.frames import BadFrame, check_frame
from host.zygote import RawOutcome

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}\Z")
_SIGKILL, _SIGXCPU = -9, -24


@dataclass
class Report:
    """module: None while unknown, {} when the body ended well, else its error. passes: per pass,
    the calls that were told, in order. ended: the driver said so. forged: the order was broken.
    flooded: it has more parts than are read. memory: the body's error was that there was no
    more."""

    module: dict[str, Any] | None = None
    passes: list[list[dict[str, Any]]] = field(default_factory=list)
    ended: bool = False
    forged: bool = False
    flooded: bool = False
    memory: bool = False


def ending_status(outcome: RawOutcome, cpu_limit_s: float) -> str:
    """Why a job ended before it was through: timeout, memory, output or died."""
    if outcome.verdict in ("timeout", "memory", "output"):
        return outcome.verdict
    spent = outcome.cpu_ms >= 900 * cpu_limit_s  # the kernel's second guard was first
    return "timeout" if outcome.code in (_SIGKILL, _SIGXCPU) and spent else "died"


def clean_error(error: object) -> dict[str, Any]:
    """{type, line?} with a name fit for display and an int line; ValueError for anything else."""
    if not isinstance(error, dict):
        raise ValueError("not an error")
    name, line = error.get("type"), error.get("line")
    fit = isinstance(name, str) and _NAME.match(name)
    cleaned: dict[str, Any] = {"type": name if fit else "UnknownError"}
    if isinstance(line, int) and not isinstance(line, bool) and 0 < line < 10**7:
        cleaned["line"] = line
    return cleaned


# A part of a parsed line takes some ninety bytes of the broker's memory, and the engine reads it on
# the thread that answers everybody. Honest values stay far below: at most 20,000 parts of some four
# marks each, and 14,000 marks in the references of both EvalPlus sets.
MAX_PARTS = 200_000
# The same for all lines of a report together; those references have up to 165,000.
MAX_REPORT_PARTS = 1_000_000
# Deeper than any value is told (64 levels), and as deep as the engine reads.
_MAX_DEPTH = 200
# Values travel as text; the numbers beside them are counts, lines and seconds.
_MAX_DIGITS = 64
# From a quote to its end or to the end of the line, whichever comes first: nothing is read twice.
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?')


class TooManyParts(ValueError):
    """More than a line or a report may have; an honest value can be large, so it is no forgery."""


def _finite(text: str) -> float:
    value = float(text) if len(text) <= _MAX_DIGITS else math.inf
    if not math.isfinite(value):
        raise ValueError("JSON has no such number")
    return value


def _short(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError("no count has so many digits")
    return int(text)


def out_of_memory(error: dict[str, Any]) -> bool:
    """Whether an error as it was told is Python's own, and not a class that took its name."""
    return error.get("type") == "MemoryError" and error.get("own") is not True


def _count_parts(line: bytes) -> int:
    """At least 1, and at most one too many for each comma or bracket."""
    return 1 + sum(line.count(mark) for mark in (b",", b"[", b"{"))


def _parse_line(line: bytes) -> dict[str, Any]:
    told = json.loads(line, parse_constant=_finite, parse_float=_finite, parse_int=_short)
    if not isinstance(told, dict):
        raise ValueError("a report line is an object")
    if line.count(b"[") + line.count(b"{") > _MAX_DEPTH:
        _require_shallow(told)
    return told


def _require_shallow(value: object) -> None:
    """ValueError for a value too deep to be written again: writing recurses, and deeper than
    reading did, since an answer is put around it."""
    level: list[Any] = [value]
    for _ in range(_MAX_DEPTH):
        level = [
            part
            for holder in level
            for part in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(part, (list, dict))
        ]
        if not level:
            return
    raise ValueError("deeper than any value is told")


def told_lines(report: bytes) -> Iterator[dict[str, Any]]:
    """The lines of a report as objects, one at a time; what follows the last newline was cut off by
    the job's end. ValueError or RecursionError at the first that is anything else, is too deep or
    holds a number that JSON does not have or that is too long; TooManyParts beyond the bounds."""
    left = MAX_REPORT_PARTS
    start = 0
    while (end := report.find(b"\n", start)) >= 0:
        line = report[start:end]
        start = end + 1
        parts = _count_parts(line)
        if parts > min(left, MAX_PARTS):
            parts = _count_parts(_TEXT.sub(b"", line))
            if parts > min(left, MAX_PARTS):
                raise TooManyParts("more parts than any report has")
        left -= parts
        yield _parse_line(line)


def _read_call(told: dict[str, Any], index: int, turn: int) -> dict[str, Any]:
    if told.get("call") != index or told.get("pass") != turn:
        raise ValueError("out of order")
    if told.keys() == {"call", "pass", "value"}:
        check_frame(told["value"])
        return {"status": "ok", "value": told["value"]}
    if told.keys() != {"call", "pass", "error"}:
        raise ValueError("unknown report")
    error = clean_error(told["error"])
    return {"status": "memory" if out_of_memory(told["error"]) else "error", "error": error}


def read_report(report: bytes, calls: int, passes: int, stop_on_error: bool) -> Report:
    """Read the report of a job that was to make `calls` calls `passes` times over."""
    result = Report(passes=[[] for _ in range(passes)])
    expected = [(turn, index) for turn in range(passes) for index in range(calls)]
    try:
        for told in told_lines(report):
            if result.ended:
                raise ValueError("a line after the end")
            if result.module is None and told.keys() == {"module"}:
                result.module = {} if told["module"] is None else clean_error(told["module"])
                result.memory = bool(result.module) and out_of_memory(told["module"])
            elif (
                told == {"end": True}
                and result.module is not None
                and (not expected or result.module)
            ):
                result.ended = True
            elif result.module == {} and expected:
                turn, index = expected.pop(0)
                call = _read_call(told, index, turn)
                result.passes[turn].append(call)
                if stop_on_error and call["status"] != "ok":
                    expected = []
            else:
                raise ValueError("out of order")
    except TooManyParts:
        result.flooded = True
    except (ValueError, RecursionError, BadFrame):
        result.forged = True
    return result


def build_result(
    level: str, outcome: RawOutcome, report: Report, calls: int, cpu_limit_s: float
) -> dict[str, Any]:
    """The result of a run: see the package's README for its fields."""
    if outcome.verdict == "output" or report.flooded:
        # How far a flooding program came before it was stopped is chance, so it has no results.
        report = Report(module={}, passes=[], flooded=True)
    cause = (
        "badFrame"
        if report.forged
        else "output"
        if report.flooded
        else ending_status(outcome, cpu_limit_s)
    )
    told = list(report.passes[0]) if report.passes else []
    complete = report.ended and not report.forged
    if not complete and report.module == {} and len(told) < calls:
        told.append({"status": cause})
    told += [{"status": "notRun"} for _ in range(calls - len(told))]
    status = "ok" if complete else cause
    result: dict[str, Any] = {
        "level": level,
        "status": status,
        "calls": told,
        "stdout": outcome.stdout.decode("utf-8", "replace"),
        "stderr": outcome.stderr.decode("utf-8", "replace"),
        "wallMs": outcome.wall_ms,
        "cpuMs": outcome.cpu_ms,
    }
    if report.module:
        result["error"] = report.module
        result["status"] = "memory" if report.memory else "error"
    return result
