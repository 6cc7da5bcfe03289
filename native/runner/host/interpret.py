"""From what a job left behind to a result: a pure reading of bytes nobody trusts.

The report lines must come in the one order the driver writes them. Whatever breaks that order is
'badFrame' from there on; what was read before stays, since it can at worst be a wrong answer.
"""

from __future__ import annotations

import json
import math
import re
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
    memory: the body's error was that there was no more."""

    module: dict[str, Any] | None = None
    passes: list[list[dict[str, Any]]] = field(default_factory=list)
    ended: bool = False
    forged: bool = False
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


# A part of a parsed line takes some ninety bytes of the broker's memory, so sixty megabytes of
# empty lists would take gigabytes. Honest reports stay far below: a million numbers are a million.
MAX_PARTS = 2_000_000
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("JSON has no such number")
    return value


def out_of_memory(error: dict[str, Any]) -> bool:
    """Whether an error as it was told is Python's own, and not a class that took its name."""
    return error.get("type") == "MemoryError" and error.get("own") is not True


def parse_line(line: bytes) -> dict[str, Any]:
    """One report line as an object; ValueError or RecursionError for anything else, numbers that
    JSON does not have and more than MAX_PARTS values included."""
    if sum(line.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
        bare = _TEXT.sub(b"", line)
        if sum(bare.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
            raise ValueError("more parts than any report has")
    told = json.loads(line, parse_constant=_finite, parse_float=_finite)
    if not isinstance(told, dict):
        raise ValueError("a report line is an object")
    return told


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
    lines = report.split(b"\n")
    lines.pop()  # what follows the last newline was cut off by the job's end
    result = Report(passes=[[] for _ in range(passes)])
    expected = [(turn, index) for turn in range(passes) for index in range(calls)]
    try:
        for line in lines:
            told = parse_line(line)
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
    except (ValueError, RecursionError, BadFrame):
        result.forged = True
    return result


def build_result(
    level: str, outcome: RawOutcome, report: Report, calls: int, cpu_limit_s: float
) -> dict[str, Any]:
    """The result of a run: see the package's README for its fields."""
    if outcome.verdict == "output":
        # How far a flooding program came before it was stopped is chance, so it has no results.
        report = Report(module={}, passes=[])
    cause = "badFrame" if report.forged else ending_status(outcome, cpu_limit_s)
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
