"""Reads what a graded job left behind: lines nobody trusts, in the one order they may come in.

Values are passed on unread. The engine reads them as data; told_lines bounds how much there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from host.interpret import TooManyParts, clean_error, ending_status, out_of_memory, told_lines
from host.zygote import RawOutcome


def _read_call(
    told: dict[str, Any], index: int, also: bool, rung: frozenset[int]
) -> dict[str, Any]:
    seconds = told.get("seconds")
    running = {"running": True} if told.get("running") is True else {}
    told = {name: part for name, part in told.items() if name not in running}
    if (
        told.get("call") != index
        or not isinstance(seconds, (int, float))
        or isinstance(seconds, bool)
    ):
        raise ValueError("out of order")
    if told.keys() == {"call", "error", "seconds"}:
        error = clean_error(told["error"])
        # An alarm that rings while a line is on its way is met by the call after it.
        alarmed = bool(rung & {index, index + 1})
        status = (
            "timeout"
            if error["type"] == "TimeoutException" and alarmed
            else "memory"
            if out_of_memory(told["error"])
            else "error"
        )
        return {"status": status, "error": error, "seconds": seconds, **running}
    if told.keys() != (
        {"call", "value", "also", "seconds"} if also else {"call", "value", "seconds"}
    ):
        raise ValueError("unknown report")
    call = {"status": "ok", "value": told["value"], "seconds": seconds, **running}
    return {**call, "also": told["also"]} if also else call


_LATE = {"type": "TimeoutException"}


# Going through a value too large to carry takes longer than any allowance for telling: twenty
# million numbers two seconds. How long it took is the program's word, so it excuses no more.
_MAX_TELLING_S = 5.0


def _take_telling(report: dict[str, Any]) -> float | None:
    """Take out of a line how long telling the value took; None where that is no digest."""
    if "value" not in report:
        return None
    seconds = report.pop("telling", 0.0)
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        raise ValueError("no number of seconds")
    digests = [
        value
        for value in (report.get("value"), report.get("also"))
        if isinstance(value, list) and value[:1] == ["h"]
    ]
    return min(seconds, _MAX_TELLING_S) if digests else None


def _too_late(late: Mapping[int, float], telling: list[float | None]) -> set[int]:
    """The lines of calls that came later than telling their value excuses."""
    return {
        line
        for line, excuse in enumerate(telling, 1)
        if line in late and (excuse is None or late[line] > excuse)
    }


def _without_late(told: list[dict[str, Any]], late: set[int]) -> list[dict[str, Any]]:
    """The calls, those that came too late as time-outs whatever they told."""
    return [
        {"status": "timeout", "error": _LATE, "seconds": call["seconds"]} if line in late else call
        for line, call in enumerate(told, 1)
    ]


def read_grading(
    level: str, outcome: RawOutcome, calls: int, also: bool, stop_on_error: bool, cpu_limit_s: float
) -> dict[str, Any]:
    """{level, status, error?, calls, wallMs, cpuMs}; see the package's README for the fields."""
    told: list[dict[str, Any]] = []
    telling: list[float | None] = []
    body: dict[str, Any] | None = None
    ended = forged = flooded = stopped = False
    try:
        for report in told_lines(outcome.report):
            if ended:
                raise ValueError("a line after the end")
            if body is None and report.keys() == {"module"}:
                body = {} if report["module"] is None else clean_error(report["module"])
            elif (
                report == {"end": True}
                and body is not None
                and (body or stopped or len(told) == calls)
            ):
                ended = True
            elif body == {} and len(told) < calls and not stopped:
                telling.append(_take_telling(report))
                told.append(_read_call(report, len(told), also, outcome.rung))
                stopped = stop_on_error and told[-1]["status"] != "ok"
            else:
                raise ValueError("out of order")
    except TooManyParts:
        flooded = True
    except (ValueError, RecursionError):
        forged = True
    if 0 in outcome.late and body is not None:
        body, told = _LATE, []
    elif late := _too_late(outcome.late, telling[: len(told)]):
        told = _without_late(told, late)
        if stop_on_error:
            told, stopped = told[: min(late)], True
    cause = "badFrame" if forged else "output" if flooded else ending_status(outcome, cpu_limit_s)
    complete = ended and not forged and not flooded and outcome.verdict != "output"
    if not complete and body == {} and len(told) < calls and not stopped:
        told.append({"status": cause})
    told += [{"status": "notRun"} for _ in range(calls - len(told))]
    result = {
        "level": level,
        "status": "ok" if complete else cause,
        "calls": told,
        "wallMs": outcome.wall_ms,
        "cpuMs": outcome.cpu_ms,
    }
    if body:
        result |= {"status": "error", "error": body}
    return result
