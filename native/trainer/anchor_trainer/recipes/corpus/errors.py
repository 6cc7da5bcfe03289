"""Programs whose last line may raise: predict the exception's name, or NoError (AZR's code_e)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from .programs import Program, draft, held_out_task, random_input
from .prompts import fence, proposal_turn, render, solution_turn
from .samples import Sample, draw_keys, prompt_of, traces, with_type
from .statements import LETTERS
from .values import TYPE_NAMES, OutOfBounds, Value, literal, operand, type_name

NO_ERROR = "NoError"
NUMBER_RISKS = ("divide", "modulo", "gap", "length")
LIST_RISKS = ("index", "index", "largest", "add")
TEXT_RISKS = ("index", "index", "number", "find", "add")


@dataclass(frozen=True)
class Risk:
    """The last assignment: its expression over `name`, and what Python does with it."""

    kind: str
    name: str
    number: int
    letter: str

    def expression(self, shown: str) -> str:
        """The right side with `shown` in the place of the variable."""
        return {
            "divide": f"{self.number + 7}//{shown}",
            "modulo": f"{self.number + 7}%{shown}",
            "gap": f"9//({shown}-{self.number})",
            "length": f"len({shown})",
            "index": f"{shown}[{self.number}]",
            "largest": f"max({shown})",
            "number": f"int({shown})",
            "find": f"{shown}.index('{self.letter}')",
            "add": f"{shown}+{self.number}",
        }[self.kind]

    def source(self) -> str:
        return f"y={self.expression(self.name)}"

    def outcome(self, value: Any) -> str:
        """Name of the exception this line raises on `value`, or NoError."""
        if self.kind in ("length", "add"):
            return "TypeError"
        if self.kind in ("divide", "modulo"):
            return "ZeroDivisionError" if value == 0 else NO_ERROR
        if self.kind == "gap":
            return "ZeroDivisionError" if value == self.number else NO_ERROR
        if self.kind == "index":
            return "IndexError" if self.number >= len(value) else NO_ERROR
        if self.kind == "largest":
            return NO_ERROR if value else "ValueError"
        return NO_ERROR if self.kind == "find" and self.letter in value else "ValueError"

    def trace(self, value: Any) -> str:
        """The line, its substitution, what decides, the outcome."""
        shown = operand(value) if isinstance(value, int) else literal(value)
        decides = f" len {len(value)}" if self.kind == "index" else ""
        return f"{self.source()} {self.expression(shown)}{decides} {self.outcome(value)}"


@dataclass(frozen=True)
class ErrorTask:
    program: Program
    risk: Risk
    given: Value
    outcome: str
    steps: tuple[str, ...]

    def source(self) -> str:
        lines = [*self.program.body(), self.risk.source(), "return y"]
        return "\n".join(["def f(x):"] + [" " + line for line in lines])

    def plan(self) -> str:
        return f"{self.program.steps() + 1} steps on {self.program.input_type}"


def _draft(rng: Random) -> ErrorTask | None:
    """A task of 0 to 2 sound statements and a risky one; None where it leaves the bounds."""
    count = rng.choice([0, 1, 1, 2])
    program = (
        draft(rng, None, count, loops=False)
        if count > 0
        else Program(rng.choice(TYPE_NAMES), (), "x")
    )
    if not isinstance(program.result, str):
        program = replace(program, result=program.result[0])
    name = str(program.result)
    given = random_input(rng, program.input_type)
    try:
        value, trace = program.run(given)
    except OutOfBounds:
        return None
    risks = {"int": NUMBER_RISKS, "list": LIST_RISKS, "str": TEXT_RISKS}[type_name(value)]
    kind = rng.choice(risks)
    number = rng.randint(1, 4) if kind == "index" else rng.randint(1, 9)
    if kind == "gap" and isinstance(value, int) and 0 < value <= 9 and rng.random() < 0.5:
        number = value
    risk = Risk(kind, name, number, rng.choice(LETTERS))
    steps = (*trace[:-1], risk.trace(value))  # the last line only repeats the value
    return ErrorTask(program, risk, given, risk.outcome(value), steps)


def random_error_task(rng: Random, held: bool = False) -> ErrorTask:
    """Half of the tasks raise; rare exceptions are as frequent as the draws make them."""
    raises = rng.random() < 0.5
    while True:
        task = _draft(rng)
        if task is None or (task.outcome != NO_ERROR) != raises:
            continue
        if held_out_task(task.source(), len(task.program.statements) + 1, task.given) == held:
            return task


def error_prediction(rng: Random) -> Sample:
    keys = draw_keys(rng, "solver")
    task = random_error_task(rng)
    user = render("solve-error", program=task.source(), input=literal(task.given))
    thought = " ".join(task.steps) if traces(rng, keys) else "direct"
    thought = with_type(thought, keys, "str")
    return Sample(
        "error",
        prompt_of(rng, "solver", keys, user),
        solution_turn(task.plan(), thought, task.outcome),
        tuple(keys),
    )


def error_proposal(rng: Random) -> Sample:
    keys = draw_keys(rng, "proposer", 0.8)
    references = [random_error_task(rng) for _ in range(rng.choice([0, 1, 1, 2]))]
    task = random_error_task(rng)
    shown = "".join(render("reference", program=reference.source()) for reference in references)
    answer = "\n".join([fence("python", task.source()), fence("input", literal(task.given))])
    return Sample(
        "propose-error",
        prompt_of(rng, "proposer", keys, render("propose-error", references=shown)),
        proposal_turn(task.plan(), answer),
        tuple(keys),
    )
