"""Random toy programs with inputs, outputs and traces; every label comes from running the program.

A program of two or more statements whose text falls into the held-out bucket never reaches training
(neither as a task nor as a reference nor as a proposal). There are too few programs of one
statement for that: whole operations would be missing from training. They are held out together with
an input instead: the first of a suite's item, and every one that training runs them on.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from random import Random

from .sequences import (
    LIST_KINDS,
    LIST_RANGES,
    READINGS,
    TEXT_KINDS,
    ListStep,
    ListToNumber,
    SumLoop,
    TextStep,
    TextToNumber,
)
from .statements import (
    LETTERS,
    OPERATOR_WORDS,
    Arithmetic,
    Call,
    Condition,
    Environment,
    Repeat,
    Statement,
    Trace,
    compute,
    constant,
)
from .values import OutOfBounds, Value, bounded, literal, operand

HELD_OUT_BUCKETS = 16  # one program text in sixteen is held out
BAIT = ("import os", "os.getcwd()")  # in a few proposals: something for validator and reviewer


def held_out(text: str, buckets: int = HELD_OUT_BUCKETS) -> bool:
    return zlib.crc32(text.encode()) % buckets == 0


@dataclass(frozen=True)
class Program:
    """`f(x)` of some statements and a return value (`y`, or `y+3` as a triple)."""

    input_type: str
    statements: tuple[Statement, ...]
    result: str | tuple[str, str, int]
    bait: bool = False

    def body(self) -> list[str]:
        lines = list(BAIT) if self.bait else []
        for statement in self.statements:
            lines += statement.source()
        return lines

    def source(self) -> str:
        returned = self.result if isinstance(self.result, str) else "".join(map(str, self.result))
        lines = [*self.body(), f"return {returned}"]
        return "\n".join(["def f(x):"] + [" " + line for line in lines])

    def run(self, given: Value, detailed: bool = True) -> tuple[Value, list[str]]:
        """Output and trace for one input; raises OutOfBounds. `given` is not changed."""
        env: Environment = {"x": given}
        trace = Trace(detailed)
        for statement in self.statements:
            statement.run(env, trace)
        if isinstance(self.result, str):
            output = env[self.result]
            trace.append(f"{self.result}={literal(output)}")
        else:
            name, operator, number = self.result
            output = compute(env[name], operator, number)
            shown = f"{env[name]}{operator}{operand(number)}"
            trace.append(f"{name}{operator}{number}={shown}={output}")
        return bounded(output), trace

    def hint(self) -> str:
        words = [word for statement in self.statements for word in statement.hint()]
        if not isinstance(self.result, str):
            words.append(OPERATOR_WORDS[self.result[1]])
        return " ".join(words) or "copy"

    def loops(self) -> bool:
        return any(isinstance(statement, (Repeat, SumLoop)) for statement in self.statements)

    def steps(self) -> int:
        """Top-level statements before `return`, as a reader of the source counts them."""
        return sum(not line.startswith((" ", "else:")) for line in self.body())

    def plan(self) -> str:
        return f"{self.steps()} steps on {self.input_type}" + (" with loop" if self.loops() else "")

    def altered(self, rng: Random) -> Program:
        """The same operations with other constants in one statement: a near miss."""
        index = rng.randrange(len(self.statements))
        statements = list(self.statements)
        statements[index] = statements[index].altered(rng)
        return replace(self, statements=tuple(statements))


@dataclass(frozen=True)
class Example:
    """A program with inputs, outputs and traces that belong together by position."""

    program: Program
    inputs: list[Value]
    outputs: list[Value]
    traces: list[list[str]]


def random_input(rng: Random, input_type: str) -> Value:
    if input_type == "int":
        share = rng.random()
        if share < 0.80:
            return rng.randint(0, 9)
        return rng.randint(10, 20) if share < 0.98 else -rng.randint(1, 5)
    length = rng.randint(2, 4)
    if input_type == "list":
        return [rng.randint(0, 9) for _ in range(length)]
    return "".join(rng.choice(LETTERS) for _ in range(length))


def _arithmetic(rng: Random, numbers: list[str], target: str) -> Arithmetic:
    operator = rng.choices(["+", "-", "*", "//", "%"], [5, 4, 3, 1.2, 1.5])[0]
    left = rng.choice(numbers)
    if operator in "+-*" and len(numbers) > 1 and rng.random() < 0.3:
        return Arithmetic(target, left, operator, rng.choice([n for n in numbers if n != left]))
    return Arithmetic(target, left, operator, constant(rng, operator))


def _sequence_step(rng: Random, input_type: str) -> Statement:
    if input_type == "str":
        return TextStep(rng.choice(TEXT_KINDS), rng.choice(LETTERS), rng.choice(LETTERS))
    kind = rng.choice(LIST_KINDS)
    return ListStep(kind, rng.randint(*LIST_RANGES.get(kind, (0, 0))))


def _number_step(rng: Random, numbers: list[str], want_loop: bool, may_loop: bool) -> Statement:
    """One statement over number variables; a new variable it writes is added to `numbers`."""
    share = rng.random()
    free = [name for name in ("y", "z") if name not in numbers]
    target = rng.choice(numbers) if rng.random() < 0.45 or not free else free[0]
    if want_loop or (share < 0.15 and may_loop):
        name = rng.choice(numbers)
        operator = rng.choice(["+", "+", "-", "*"])
        if operator == "*":
            return Repeat(2, Arithmetic(name, name, "*", 2))
        right = "i" if rng.random() < 0.3 else rng.randint(1, 5)
        return Repeat(rng.randint(2, 4), Arithmetic(name, name, operator, right))
    if share < 0.35:
        name = rng.choice(numbers)
        otherwise = _arithmetic(rng, numbers, name) if rng.random() < 0.4 else None
        return Condition(
            rng.choice(numbers),
            rng.choice("><"),
            rng.randint(1, 20),
            _arithmetic(rng, numbers, name),
            otherwise,
        )
    if share < 0.45:
        function = rng.choice(["abs", "max", "min"])
        statement: Statement = Call(
            target, function, rng.choice(numbers), None if function == "abs" else rng.randint(1, 15)
        )
    else:
        statement = _arithmetic(rng, numbers, target)
    if target not in numbers:
        numbers.append(target)
    return statement


def draft(rng: Random, input_type: str | None, count: int, loops: bool | None) -> Program:
    """One random program of `count` statements; it may still leave the bounds when run."""
    input_type = input_type or rng.choices(["int", "list", "str"], [5, 3, 2])[0]
    numbers = ["x"] if input_type == "int" else []
    statements: list[Statement] = []
    looped = False
    for position in range(count):
        want_loop = bool(loops) and not looped and position == count - 1
        if numbers:
            statement = _number_step(rng, numbers, want_loop, loops is not False)
        elif input_type == "list" and (want_loop or (loops is not False and rng.random() < 0.12)):
            statement, numbers = SumLoop(), ["y"]
        elif input_type == "list" and rng.random() < 0.4:
            statement, numbers = (
                ListToNumber(rng.choice(READINGS)),
                ["y"],
            )
        elif input_type == "str" and rng.random() < 0.25:
            statement = TextToNumber(None if rng.random() < 0.5 else rng.choice(LETTERS))
            numbers = ["y"]
        else:
            statement = _sequence_step(rng, input_type)
        looped = looped or isinstance(statement, (Repeat, SumLoop))
        statements.append(statement)
    if not numbers:
        return Program(input_type, tuple(statements), "x")
    last = statements[-1]
    name = last.target if isinstance(last, Arithmetic) else numbers[-1]
    if rng.random() < 0.3:
        operator = rng.choice("+-*")
        return Program(input_type, tuple(statements), (name, operator, constant(rng, operator)))
    return Program(input_type, tuple(statements), name)


def held_out_task(source: str, statements: int, given: Value) -> bool:
    """Whether a task belongs to the held-out suites; `given` is its first input."""
    return held_out(source if statements > 1 else f"{source}\n{literal(given)}")


def random_example(
    rng: Random,
    *,
    count: int,
    inputs: int = 1,
    input_type: str | None = None,
    loops: bool | None = None,
    held: bool = False,
    detailed: bool = True,
) -> Example:
    """A program of `count` statements that runs in bounds on `inputs` distinct random inputs."""
    while True:
        program = draft(rng, input_type, count, loops)
        source, statements = program.source(), len(program.statements)
        if statements > 1 and held_out(source) != held:
            continue
        example = Example(program, [], [], [])
        for _ in range(inputs * 4):
            given = random_input(rng, program.input_type)
            if given in example.inputs:
                continue
            # Only the first input of a suite's item asks something; training shows and traces all.
            asks = not held or not example.inputs
            if asks and held_out_task(source, statements, given) != held:
                continue
            try:
                output, trace = program.run(given, detailed)
            except OutOfBounds:
                break  # a program that fails on a typical input makes a poor task
            example.inputs.append(given)
            example.outputs.append(output)
            example.traces.append(trace)
            if len(example.inputs) == inputs:
                return example
