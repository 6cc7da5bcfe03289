"""Small word problems, and drills of eight expressions that teach the arithmetic of the traces."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from .programs import held_out, random_input
from .prompts import solution_turn
from .samples import Sample, draw_keys, prompt_of, traces, with_type
from .statements import CONSTANT_RANGES, compute, constant
from .values import operand

NAMES = ("Tom", "Ana", "Li", "Sam", "Eva")
THINGS = ("pens", "cups", "books", "coins", "cards")
HELD_OUT_QUESTIONS = 8
TRACES_UNTOLD = 0.6  # more than elsewhere: word problems are meant to be mostly solved untold
DRILL_LENGTH = 8


@dataclass(frozen=True)
class Question:
    text: str
    steps: tuple[str, ...]
    answer: int


def _draft(rng: Random) -> Question:
    long = rng.random() < 0.4
    start, change, times = rng.randint(2, 20), rng.randint(2, 9), rng.randint(2, 3)
    name, thing = rng.choice(NAMES), rng.choice(THINGS)
    total, product = start + change, change * times
    kind = rng.randint(0, 4)
    if kind == 0:
        if not long:
            return Question(f"Compute {start}+{change}.", (f"{start}+{change}={total}",), total)
        return Question(
            f"Compute {start}+{change}*{times}.",
            (f"{change}*{times}={product}", f"{start}+{product}={start + product}"),
            start + product,
        )
    if kind == 1:
        if not long:
            return Question(f"Compute {total}-{change}.", (f"{total}-{change}={start}",), start)
        return Question(
            f"Compute {total}-{change}+{times}.",
            (f"{total}-{change}={start}", f"{start}+{times}={start + times}"),
            start + times,
        )
    if kind == 2:
        if not long:
            return Question(
                f"{name} has {start} {thing} and gets {change} more. How many {thing}?",
                (f"{start}+{change}={total}",),
                total,
            )
        given = rng.randint(1, total)
        return Question(
            f"{name} has {start} {thing}, gets {change} more and gives away {given}. "
            f"How many {thing}?",
            (f"{start}+{change}={total}", f"{total}-{given}={total - given}"),
            total - given,
        )
    if kind == 3:
        if not long:
            return Question(
                f"A box holds {change} {thing}. How many {thing} in {times} boxes?",
                (f"{change}*{times}={product}",),
                product,
            )
        return Question(
            f"A box holds {change} {thing}. {name} has {times} boxes and {start} "
            f"{thing}. How many {thing}?",
            (f"{change}*{times}={product}", f"{product}+{start}={product + start}"),
            product + start,
        )
    if not long:
        return Question(
            f"{name} shares {product} {thing} among {times} friends. How many each?",
            (f"{product}//{times}={change}",),
            change,
        )
    return Question(
        f"{name} has {product} {thing}, shares them among {times} friends and adds "
        f"{start} to each. How many each?",
        (f"{product}//{times}={change}", f"{change}+{start}={total}"),
        total,
    )


def random_question(rng: Random, held: bool = False) -> Question:
    while True:
        question = _draft(rng)
        if held_out(question.text, HELD_OUT_QUESTIONS) == held:
            return question


def arithmetic(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver")
    question = random_question(rng)
    thought = " ".join(question.steps) if traces(rng, keys, TRACES_UNTOLD) else "direct"
    thought = with_type(thought, keys, "int")
    return Sample(
        "arithmetic",
        prompt_of(rng, "solver", keys, question.text),
        solution_turn(f"{len(question.steps)} steps", thought, str(question.answer)),
        tuple(keys),
    )


def _expression(rng: Random) -> tuple[str, str]:
    """An expression and its worked form."""
    left: Any = random_input(rng, "int") if rng.random() < 0.75 else rng.randint(0, 40)
    operator = rng.choices([*CONSTANT_RANGES, ">", "<"], [5, 4, 3, 1.5, 2, 1.5, 1])[0]
    if operator in "<>":
        right = rng.randint(1, 20)
        holds = left > right if operator == ">" else left < right
        return f"{left}{operator}{right}", f"{left}{operator}{right} {'yes' if holds else 'no'}"
    wide = operator in "+-" and rng.random() < 0.4
    right = rng.randint(-9, 40) if wide else constant(rng, operator)
    if operator == "*":
        left %= 30  # keeps products within the largest number
    shown = f"{left}{operator}{operand(right)}"
    return shown, f"{shown}={compute(left, operator, right)}"


def drill(rng: Random) -> Sample:
    pairs = [_expression(rng) for _ in range(DRILL_LENGTH)]
    user = "Compute: " + " ".join(asked for asked, _ in pairs)
    return Sample(
        "drill",
        prompt_of(rng, "solver", [], user),
        solution_turn(f"{DRILL_LENGTH} steps", " ".join(done for _, done in pairs), "done"),
    )
