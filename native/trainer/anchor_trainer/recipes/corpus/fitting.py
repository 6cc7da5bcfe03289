"""How induction finds constants: the inverse of a program's last operation, and rival programs.

A model of this size does not guess that `mul add` on 2 -> 7 means `x*3` and `+1`; it can compute
7-6=1 once a candidate has led it to 6. So traced attempts state the inverse before the last
line, and a second example decides.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import cast

from .programs import Example, Program
from .statements import CONSTANT_RANGES, Arithmetic
from .values import OutOfBounds, Value, operand

_CONSTANT_LINE = re.compile(r"(?:[xyz]=)?[xyz]([-+*])(\d+)=(-?\d+)[-+*]\d+=(-?\d+)")


def _last_place(program: Program) -> int | None:
    """Index, from the end, of the trace line of the operation that makes the output."""
    if not isinstance(program.result, str):
        return -1
    last = program.statements[-1] if program.statements else None
    return -2 if isinstance(last, Arithmetic) and last.target == program.result else None


def inverse(line: str) -> tuple[str, str, int] | None:
    """(`7-6=1`, operator, constant) for the trace line `y+1=6+1=7`; None where there is none."""
    match = _CONSTANT_LINE.fullmatch(line)
    if match is None:
        return None
    operator, number, before, after = match[1], int(match[2]), int(match[3]), int(match[4])
    if operator == "*" and before <= 0:
        return None
    left, sign, right = {
        "+": (after, "-", before),
        "-": (before, "-", after),
        "*": (after, "//", before),
    }[operator]
    return f"{left}{sign}{operand(right)}={number}", operator, number


def with_inverse(program: Program, trace: list[str]) -> list[str]:
    """The trace with the inverse of the last operation before its line, where it has one."""
    place = _last_place(program)
    found = inverse(trace[place]) if place is not None and len(trace) >= -place else None
    return trace if found is None else [*trace[:place], found[0], *trace[place:]]


def refitted(program: Program, given: Value, output: Value) -> Program | None:
    """The program with a last constant that makes it map `given` to `output`, if one does."""
    place = _last_place(program)
    if place is None or not isinstance(output, int):
        return None
    try:
        reached, trace = program.run(given)
    except OutOfBounds:
        return None
    found = inverse(trace[place])
    if found is None or not isinstance(reached, int):
        return None
    _, operator, number = found
    if operator == "*":
        before = reached // number
        wanted = output // before if before > 0 and output % before == 0 else 0
    else:
        wanted = number + (output - reached) * (1 if operator == "+" else -1)
    lowest, highest = CONSTANT_RANGES[operator]
    if not lowest <= wanted <= highest:
        return None
    if not isinstance(program.result, str):
        return replace(program, result=(*program.result[:2], wanted))
    last = replace(cast(Arithmetic, program.statements[-1]), right=wanted)
    return replace(program, statements=(*program.statements[:-1], last))


def rival(rng: Random, example: Example) -> Program:
    """The same operations with other constants, fitted to the first example where possible."""
    candidate = example.program.altered(rng)
    return refitted(candidate, example.inputs[0], example.outputs[0]) or candidate
