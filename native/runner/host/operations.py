"""The verbs that execute or read programs: run, check (determinism), parse and distance."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from typing import Any

from host.errors import RunnerError
from host.interpret import build_result, clean_error, ending_status, read_report, told_lines
from host.limits import Limits
from host.pool import Pool
from host.requests import RunRequest
from host.zygote import RawOutcome

_PARSE_LIMITS = Limits(cpuSeconds=5, wallSeconds=10, memoryBytes=1 << 30)
# A pair of the longest trees takes some four seconds.
_DISTANCE_LIMITS = Limits(cpuSeconds=60, wallSeconds=60, memoryBytes=1 << 30)
# Programs in one sandboxed process; one that crashes costs those behind it a new process.
_PARSE_BATCH = 200
_FACTS = {
    "ok": bool,
    "imports": list,
    "functions": list,
    "statements": int,
    "loops": int,
    "callsTo": list,
    "astNodes": int,
    "normalized": str,
}


async def run_program(pool: Pool, request: RunRequest, totals: Counter[str]) -> dict[str, Any]:
    """The 'run' verb: one process, the module body once, then every call."""
    return (await _run(pool, request, request.hash_seed, 1, False, totals))[0]


async def _run(
    pool: Pool, request: RunRequest, seed: int, passes: int, shift_clock: bool, totals: Counter[str]
) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    limits = request.limits.as_json()
    job = {**request.job(passes, shift_clock), "limits": limits}
    outcome = await pool.run(seed, limits, job)
    count = len(request.calls)
    report = read_report(outcome.report, count, passes, request.stop_on_error)
    result = build_result(pool.level, outcome, report, count, request.limits.cpuSeconds)
    totals[result["status"]] += 1
    return result, report.passes


async def check_program(
    pool: Pool, request: RunRequest, hash_seeds: list[int], totals: Counter[str]
) -> dict[str, Any]:
    """The 'check' verb: the same calls twice over in one process per hash seed.

    The second process also sees a wall clock moved by years. A program is deterministic when every
    call ends the same way all four times; differs lists the calls (from 0) that did not,
    differedCall is the first of them or null. A program
    that fails as a whole is run once only and is not called deterministic.
    """
    told: list[list[dict[str, Any]]] = []
    first: dict[str, Any] = {}
    for position, seed in enumerate(hash_seeds[:2]):
        result, passes = await _run(pool, request, seed, 2, position > 0, totals)
        first = first or result
        told += passes
        if result["status"] != "ok":
            break
    complete = len(told) == 2 * len(hash_seeds[:2])
    differs = []
    for index in range(len(request.calls)):
        seen = {
            json.dumps(calls[index], sort_keys=True) if index < len(calls) else "" for calls in told
        }
        if len(seen) > 1:
            differs.append(index)
    clean = first["status"] == "ok" and complete and result["status"] == "ok"
    return {
        **first,
        "deterministic": clean and not differs,
        "differs": differs,
        "differedCall": differs[0] if differs else None,
    }


async def parse_programs(pool: Pool, programs: list[str], hash_seed: int) -> list[dict[str, Any]]:
    """The 'parse' verb: facts per program, in order. One that kills it costs only itself."""
    answers: list[dict[str, Any]] = []
    while len(answers) < len(programs):
        batch = programs[len(answers) : len(answers) + _PARSE_BATCH]
        limits = _PARSE_LIMITS.as_json()
        outcome = await pool.run(
            hash_seed, limits, {"kind": "parse", "programs": batch, "limits": limits}
        )
        answers += _read_facts(outcome, len(batch))
    return answers


async def measure_distances(
    pool: Pool, program: str, references: list[str], hash_seed: int
) -> list[float | None]:
    """The 'distance' verb: how far a program's tree is from that of each reference, in order; None
    for what is too long or was not reached in time."""
    limits = _DISTANCE_LIMITS.as_json()
    job = {"kind": "distance", "program": program, "references": references, "limits": limits}
    outcome = await pool.run(hash_seed, limits, job)
    return _read_distances(outcome, len(references))


def _read_distances(outcome: RawOutcome, count: int) -> list[float | None]:
    values: list[float | None] = []
    try:
        for told in islice(told_lines(outcome.report), count):
            value = told.get("value")
            is_share = isinstance(value, float) and 0 <= value <= 1
            if told.get("distance") != len(values) or not (value is None or is_share):
                break
            values.append(value)
    except (ValueError, RecursionError):
        pass  # what came before it stands
    return values + [None] * (count - len(values))


def _read_facts(outcome: RawOutcome, count: int) -> list[dict[str, Any]]:
    """Answers of one batch, at least one: where it broke off, an error stands for that program."""
    answers: list[dict[str, Any]] = []
    try:
        for told in islice(told_lines(outcome.report), count):
            if told.get("parse") != len(answers):
                break
            answers.append(_read_one(told))
    except (ValueError, RecursionError):
        pass  # what came before it stands
    if len(answers) < count:
        ending = ending_status(outcome, _PARSE_LIMITS.cpuSeconds)
        answers.append(
            _no_facts(
                {
                    "type": "ParserStopped",
                    "message": f"The parser did not survive this program ({ending}).",
                }
            )
        )
    return answers


def _read_one(told: dict[str, Any]) -> dict[str, Any]:
    if "error" in told:
        message = told.get("message")
        text = message if isinstance(message, str) else ""
        shown = "".join(letter if letter.isprintable() else " " for letter in text)
        return _no_facts({**clean_error(told["error"]), "message": shown[:200]})
    facts = told.get("facts")
    if (
        not isinstance(facts, dict)
        or facts.keys() != _FACTS.keys()
        or not all(isinstance(facts[name], kind) for name, kind in _FACTS.items())
    ):
        raise ValueError("unknown facts")
    return facts


def _no_facts(error: dict[str, Any]) -> dict[str, Any]:
    return {
        "ok": False,
        "error": error,
        "imports": [],
        "functions": [],
        "statements": 0,
        "loops": 0,
        "callsTo": [],
        "astNodes": 0,
    }


def require_pool(pool: Pool | None, allowed: bool, why: str) -> Pool:
    """The pool, or RunnerError: 'notReady' before hello, 'executionDisabled' with the reason."""
    if pool is None and not why:
        raise RunnerError("notReady", "Say hello first: no sandbox has been started.")
    if pool is None or not allowed:
        raise RunnerError("executionDisabled", why)
    return pool
