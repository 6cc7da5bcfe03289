"""Statements of toy programs: each knows its source, its effect, its line of trace and its hint.

A trace line copies the source, substitutes the values and gives the result
(`y=x*3=8*3=24`, `x=x[1:]='DAB'[1:]='AB'`). Copying the line first is what made traces learnable:
traces of bare values stayed near zero accuracy in earlier trials. Writing out lists, strings and
loop counters as well took their errors away; short traces without them serve early training only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from .values import OutOfBounds, Value, bounded, literal, operand

Environment = dict[str, Any]  # values by variable; a statement knows the type of what it reads
OPERATOR_WORDS = {"+": "add", "-": "sub", "*": "mul", "//": "div", "%": "mod"}
LETTERS = "ABCD"
CONSTANT_RANGES = {"+": (1, 5), "-": (1, 5), "*": (2, 3), "//": (2, 3), "%": (2, 5)}


class Trace(list[str]):
    """The lines of one run; detailed ones write out sequences and loop counters."""

    def __init__(self, detailed: bool) -> None:
        super().__init__()
        self.detailed = detailed

    def sequence_line(self, source: str, substituted: str, result: Value) -> None:
        middle = f"={substituted}" if self.detailed else ""
        self.append(f"{source}{middle}={literal(result)}")

    def counter(self, value: Value) -> None:
        if self.detailed:
            self.append(f"i={literal(value)}")


class Statement(Protocol):
    def source(self) -> list[str]: ...
    def run(self, env: Environment, trace: Trace) -> None: ...
    def hint(self) -> list[str]: ...
    def altered(self, rng: Random) -> Statement: ...


def constant(rng: Random, operator: str) -> int:
    return rng.randint(*CONSTANT_RANGES[operator])


def compute(left: int, operator: str, right: int) -> int:
    """Integer arithmetic inside the toy world; raises OutOfBounds."""
    if operator in ("//", "%") and right == 0:
        raise OutOfBounds("division by zero")
    if operator == "+":
        result = left + right
    elif operator == "-":
        result = left - right
    elif operator == "*":
        result = left * right
    elif operator == "//":
        result = left // right
    else:
        result = left % right
    bounded(result)
    return result


@dataclass(frozen=True)
class Arithmetic:
    """`y=x*3` or `y=x+z`; the right side is a number or a variable."""

    target: str
    left: str
    operator: str
    right: int | str

    def source(self) -> list[str]:
        return [f"{self.target}={self.left}{self.operator}{self.right}"]

    def run(self, env: Environment, trace: Trace) -> None:
        left = env[self.left]
        right = self.right if isinstance(self.right, int) else env[self.right]
        result = compute(left, self.operator, right)
        env[self.target] = result
        trace.append(f"{self.source()[0]}={left}{self.operator}{operand(right)}={result}")

    def hint(self) -> list[str]:
        return [OPERATOR_WORDS[self.operator]]

    def altered(self, rng: Random) -> Arithmetic:
        return replace(self, right=constant(rng, self.operator))


@dataclass(frozen=True)
class Call:
    """`y=abs(x)`, `y=max(x,7)`, `y=min(x,7)`."""

    target: str
    function: str
    argument: str
    bound: int | None

    def source(self) -> list[str]:
        tail = "" if self.bound is None else f",{self.bound}"
        return [f"{self.target}={self.function}({self.argument}{tail})"]

    def run(self, env: Environment, trace: Trace) -> None:
        value = env[self.argument]
        if self.bound is None:
            result, shown = abs(value), f"{self.function}({value})"
        else:
            choose = max if self.function == "max" else min
            result, shown = choose(value, self.bound), f"{self.function}({value},{self.bound})"
        env[self.target] = result
        trace.append(f"{self.source()[0]}={shown}={result}")

    def hint(self) -> list[str]:
        return [self.function]

    def altered(self, rng: Random) -> Call:
        return self if self.bound is None else replace(self, bound=rng.randint(1, 15))


@dataclass(frozen=True)
class Condition:
    """`if x>5:` with one statement, and perhaps an `else:` with one."""

    variable: str
    comparison: str
    threshold: int
    then: Arithmetic
    otherwise: Arithmetic | None

    def source(self) -> list[str]:
        lines = [f"if {self.variable}{self.comparison}{self.threshold}:"]
        lines += [" " + line for line in self.then.source()]
        if self.otherwise:
            lines += ["else:"] + [" " + line for line in self.otherwise.source()]
        return lines

    def run(self, env: Environment, trace: Trace) -> None:
        value = env[self.variable]
        test = f"{self.comparison}{self.threshold}"
        holds = value > self.threshold if self.comparison == ">" else value < self.threshold
        trace.append(f"{self.variable}{test}: {value}{test} {'yes' if holds else 'no'}")
        if holds:
            self.then.run(env, trace)
        elif self.otherwise:
            self.otherwise.run(env, trace)

    def hint(self) -> list[str]:
        words = ["if", *self.then.hint()]
        return [*words, "else", *self.otherwise.hint()] if self.otherwise else words

    def altered(self, rng: Random) -> Condition:
        return replace(self, threshold=rng.randint(1, 20), then=self.then.altered(rng))


@dataclass(frozen=True)
class Repeat:
    """`for i in range(3):` over one arithmetic statement."""

    times: int
    body: Arithmetic

    def source(self) -> list[str]:
        return [f"for i in range({self.times}):"] + [" " + line for line in self.body.source()]

    def run(self, env: Environment, trace: Trace) -> None:
        for index in range(self.times):
            env["i"] = index
            trace.counter(index)
            self.body.run(env, trace)

    def hint(self) -> list[str]:
        return ["loop", *self.body.hint()]

    def altered(self, rng: Random) -> Repeat:
        return replace(self, body=self.body.altered(rng))
