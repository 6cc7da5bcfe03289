"""The verbs of grading: grade (one program, many tests) and extract (programs from answers)."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

from host.grading.reports import read_grading
from host.grading.requests import GradeRequest
from host.interpret import clean_error, ending_status, told_lines
from host.limits import Limits
from host.pool import Pool
from host.protocol import MAX_REPLY, encode
from host.zygote import RawOutcome

_EXTRACT_LIMITS = Limits(cpuSeconds=30, wallSeconds=60, memoryBytes=1 << 30)
_EXTRACT_BATCH = 20  # a text of a thousand broken lines takes about a second


async def grade_program(pool: Pool, request: GradeRequest, totals: Counter[str]) -> dict[str, Any]:
    """The 'grade' verb: one process, the module body once, then every call within its own time."""
    job = {**request.job(), "limits": request.limits}
    outcome = await pool.run(request.hash_seed, request.limits, job)
    result = read_grading(
        pool.level,
        outcome,
        len(request.calls),
        request.also is not None,
        request.stop_on_error,
        request.limits["cpuSeconds"],
    )
    # Characters beyond ASCII are written as escapes and some numbers in full, longer than in the
    # report; a short one is not measured.
    if len(outcome.report) > MAX_REPLY // 6 and len(encode(result)) > MAX_REPLY - 1000:
        cut = [{"status": "output"} if "value" in call else call for call in result["calls"]]
        result |= {"status": "output", "calls": cut}
    totals[result["status"]] += 1
    return result


async def extract_programs(
    pool: Pool, texts: list[list[Any]], hash_seed: int
) -> list[dict[str, Any]]:
    """The 'extract' verb: {program} or {error} per text, in order. One that ends the process costs
    only itself."""
    answers: list[dict[str, Any]] = []
    while len(answers) < len(texts):
        batch = texts[len(answers) : len(answers) + _EXTRACT_BATCH]
        limits = _EXTRACT_LIMITS.as_json()
        outcome = await pool.run(
            hash_seed, limits, {"kind": "extract", "texts": batch, "limits": limits}
        )
        answers += _read_programs(outcome, len(batch))
    return answers


def _read_programs(outcome: RawOutcome, count: int) -> list[dict[str, Any]]:
    """Answers of one batch, at least one: where it broke off, an error stands for that text."""
    answers: list[dict[str, Any]] = []
    try:
        for told in islice(told_lines(outcome.report), count):
            if told.get("extract") != len(answers):
                break
            if isinstance(told.get("program"), str):
                answers.append({"program": told["program"]})
            else:
                answers.append({"error": clean_error(told.get("error"))["type"]})
    except (ValueError, RecursionError):
        pass  # what came before it stands
    if len(answers) < count:
        answers.append({"error": f"ParserStopped_{ending_status(outcome, 30)}"})
    return answers
