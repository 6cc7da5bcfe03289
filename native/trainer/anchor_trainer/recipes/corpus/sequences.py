"""Statements over lists and strings; same shape as the statements over numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from .statements import LETTERS, Environment, Trace
from .values import OutOfBounds, bounded, literal, operand


@dataclass(frozen=True)
class SumLoop:
    """The sum of a list, added up in a loop: two lines of source."""

    def source(self) -> list[str]:
        return ["y=0", "for i in x:", " y=y+i"]

    def run(self, env: Environment, trace: Trace) -> None:
        total = 0
        for item in env["x"]:
            result = total + item
            bounded(result)
            trace.counter(item)
            trace.append(f"y=y+i={total}+{operand(item)}={result}")
            total = result
        env["y"] = total

    def hint(self) -> list[str]:
        return ["loop", "add"]

    def altered(self, rng: Random) -> SumLoop:
        return self


@dataclass(frozen=True)
class ListToNumber:
    """`y=sum(x)`, `y=len(x)`, `y=x[0]` and their like."""

    reading: str | int

    def source(self) -> list[str]:
        if isinstance(self.reading, int):
            return [f"y=x[{self.reading}]"]
        return [f"y={self.reading}(x)"]

    def run(self, env: Environment, trace: Trace) -> None:
        items = env["x"]
        shown = f"{self.reading}({literal(items)})"
        if isinstance(self.reading, int):
            shown = f"{literal(items)}[{self.reading}]"
            if not -len(items) <= self.reading < len(items):
                raise OutOfBounds("index outside the list")
            result = items[self.reading]
        elif not items and self.reading in ("max", "min"):
            raise OutOfBounds("empty list")
        else:
            readings: dict[str, Callable[[list[int]], int]]
            readings = {"sum": sum, "len": len, "max": max, "min": min}
            result = readings[self.reading](items)
        env["y"] = bounded(result)
        if self.reading == "sum" and len(items) > 1:  # in short traces too: it is arithmetic
            terms = "+".join(operand(item) for item in items)
            trace.append(f"{self.source()[0]}={terms}={result}")
        else:
            trace.sequence_line(self.source()[0], shown, result)

    def hint(self) -> list[str]:
        return [self.reading if isinstance(self.reading, str) else "index"]

    def altered(self, rng: Random) -> ListToNumber:
        if not isinstance(self.reading, int):
            return self
        return replace(self, reading=rng.choice([0, 1, -1]))


READINGS: list[str | int] = ["sum", "len", "max", "min", 0, -1, 1]
LIST_RANGES = {"app": (0, 9), "addm": (1, 5), "mulm": (2, 3), "filt": (1, 6)}
LIST_KINDS = ("sort", "rev", "tail", "app", "addm", "mulm", "filt")


@dataclass(frozen=True)
class ListStep:
    """A list made into a list: sorted, reversed, tail, append, map, filter."""

    kind: str
    number: int

    def source(self) -> list[str]:
        number = self.number
        return [
            "x="
            + {
                "sort": "sorted(x)",
                "rev": "x[::-1]",
                "tail": "x[1:]",
                "app": f"x+[{number}]",
                "addm": f"[i+{number} for i in x]",
                "mulm": f"[i*{number} for i in x]",
                "filt": f"[i for i in x if i>{number}]",
            }[self.kind]
        ]

    def run(self, env: Environment, trace: Trace) -> None:
        items, number, shown = env["x"], self.number, literal(env["x"])
        if self.kind == "sort":
            result, shown = sorted(items), f"sorted({shown})"
        elif self.kind == "rev":
            result, shown = items[::-1], f"{shown}[::-1]"
        elif self.kind == "tail":
            result, shown = items[1:], f"{shown}[1:]"
        elif self.kind == "app":
            result, shown = [*items, number], f"{shown}+[{number}]"
        elif self.kind == "addm":
            result = [item + number for item in items]
            shown = "[" + ",".join(f"{item}+{number}" for item in items) + "]"
        elif self.kind == "mulm":
            result = [item * number for item in items]
            shown = "[" + ",".join(f"{item}*{number}" for item in items) + "]"
        else:
            result = [item for item in items if item > number]
            shown = "[" + ",".join(f"{item}>{number}" for item in items) + "]"
        env["x"] = bounded(result)
        trace.sequence_line(self.source()[0], shown, result)

    def hint(self) -> list[str]:
        return [self.kind]

    def altered(self, rng: Random) -> ListStep:
        return replace(self, number=rng.randint(*LIST_RANGES.get(self.kind, (0, 0))))


TEXT_KINDS = ("rev", "app", "pre", "dbl", "tail", "head", "rep")


@dataclass(frozen=True)
class TextStep:
    """A string made into a string; every kind is spelled out so that source is the whole truth."""

    kind: str
    letter: str
    other: str

    def source(self) -> list[str]:
        return [
            "x="
            + {
                "rev": "x[::-1]",
                "app": f"x+'{self.letter}'",
                "pre": f"'{self.letter}'+x",
                "dbl": "x*2",
                "tail": "x[1:]",
                "head": "x[:2]",
                "rep": f"x.replace('{self.letter}','{self.other}')",
            }[self.kind]
        ]

    def run(self, env: Environment, trace: Trace) -> None:
        text, letter = env["x"], self.letter
        if self.kind == "rev":
            result, shown = text[::-1], f"'{text}'[::-1]"
        elif self.kind == "app":
            result, shown = text + letter, f"'{text}'+'{letter}'"
        elif self.kind == "pre":
            result, shown = letter + text, f"'{letter}'+'{text}'"
        elif self.kind == "dbl":
            result, shown = text * 2, f"'{text}'*2"
        elif self.kind == "tail":
            result, shown = text[1:], f"'{text}'[1:]"
        elif self.kind == "head":
            result, shown = text[:2], f"'{text}'[:2]"
        else:
            result = text.replace(letter, self.other)
            shown = f"'{text}'.replace('{letter}','{self.other}')"
        env["x"] = bounded(result)
        trace.sequence_line(self.source()[0], shown, result)

    def hint(self) -> list[str]:
        return [self.kind]

    def altered(self, rng: Random) -> TextStep:
        return replace(self, letter=rng.choice(LETTERS), other=rng.choice(LETTERS))


@dataclass(frozen=True)
class TextToNumber:
    """`y=len(x)` or `y=x.count('A')`."""

    letter: str | None

    def source(self) -> list[str]:
        return ["y=len(x)" if self.letter is None else f"y=x.count('{self.letter}')"]

    def run(self, env: Environment, trace: Trace) -> None:
        text = env["x"]
        if self.letter is None:
            result, shown = len(text), f"len('{text}')"
        else:
            result, shown = text.count(self.letter), f"'{text}'.count('{self.letter}')"
        env["y"] = result
        trace.sequence_line(self.source()[0], shown, result)

    def hint(self) -> list[str]:
        return ["len" if self.letter is None else "count"]

    def altered(self, rng: Random) -> TextToNumber:
        return self if self.letter is None else replace(self, letter=rng.choice(LETTERS))
