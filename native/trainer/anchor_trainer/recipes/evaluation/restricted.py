"""Runs model-written toy programs by interpreting a whitelist of syntax; nothing is ever executed.

Anything outside the grammar (imports, attributes, other calls) is refused before a step is taken,
and a step budget ends every loop. Production verifies programs in the sandboxed runner instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..corpus.values import Value

STEP_BUDGET = 2_000
LARGEST_RESULT = 10**6
LONGEST_RESULT = 1_000
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "max": max,
    "min": min,
    "sum": sum,
    "len": len,
    "sorted": sorted,
    "range": range,
    "int": int,
}
METHODS = ("replace", "count", "index")
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
COMPARISONS: dict[type, Callable[..., Any]] = {
    ast.Gt: lambda a, b: a > b,
    ast.Lt: lambda a, b: a < b,
    ast.Eq: lambda a, b: a == b,
}


class Refused(Exception):
    """Not a program of the toy grammar, or it failed or did not end."""


class Raised(Refused):
    """The program raised; the word is the exception's name."""


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


def parse_program(source: str) -> ast.FunctionDef:
    """The single function `f(x)` of `source`; raises Refused."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Refused("syntax") from error
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != "f":
        raise Refused("not one function f")
    if [argument.arg for argument in body[0].args.args] != ["x"] or body[0].decorator_list:
        raise Refused("not one argument x")
    return body[0]


def parse_literal(text: str) -> Value:
    """A literal of the toy world's types; raises Refused."""
    try:
        value = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Refused("literal") from error
    return checked(value)


def checked(value: Any) -> Value:
    found: Value = value
    items = value if isinstance(value, list) else [value]
    kinds = (int,) if isinstance(value, list) else (int, str)
    if any(isinstance(item, bool) or not isinstance(item, kinds) for item in items):
        raise Refused("type")
    if any(isinstance(item, int) and abs(item) > LARGEST_RESULT for item in items):
        raise Refused("number too large")
    if isinstance(value, (list, str)) and len(value) > LONGEST_RESULT:
        raise Refused("sequence too long")
    return found


class Interpreter:
    """One run of one program."""

    def __init__(self) -> None:
        self.steps = 0
        self.names: dict[str, Any] = {}

    def run(self, function: ast.FunctionDef, given: Value) -> Value:
        self.names["x"] = list(given) if isinstance(given, list) else given
        try:
            self._block(function.body)
        except _Return as result:
            return checked(result.value)
        except (
            TypeError,
            ValueError,
            IndexError,
            KeyError,
            ZeroDivisionError,
            OverflowError,
        ) as error:
            raise Raised(type(error).__name__) from error
        raise Refused("no return")

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.steps += 1
            if self.steps > STEP_BUDGET:
                raise Refused("did not end")
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Return) and node.value is not None:
            raise _Return(self._value(node.value))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self.names[node.targets[0].id] = self._value(node.value)
        elif isinstance(node, ast.If):
            self._block(node.body if self._value(node.test) else node.orelse)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and not node.orelse:
            for item in self._value(node.iter):
                self.names[node.target.id] = item
                self._block(node.body)
        else:
            raise Refused(type(node).__name__)

    def _value(self, node: ast.expr) -> Any:
        self.steps += 1
        if self.steps > STEP_BUDGET:
            raise Refused("did not end")
        if isinstance(node, ast.Constant) and type(node.value) in (int, str):
            return node.value
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self._sized(
                OPERATORS[type(node.op)](self._value(node.left), self._value(node.right))
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            return COMPARISONS[type(node.ops[0])](
                self._value(node.left), self._value(node.comparators[0])
            )
        if isinstance(node, ast.List):
            return [self._value(item) for item in node.elts]
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call) and not node.keywords:
            return self._call(node)
        if isinstance(node, ast.ListComp) and len(node.generators) == 1:
            return self._comprehension(node)
        raise Refused(type(node).__name__)

    def _sized(self, value: Any) -> Any:
        """Growth is bounded at every operation, not only at the end."""
        return checked(value)

    def _subscript(self, node: ast.Subscript) -> Any:
        held = self._value(node.value)
        if not isinstance(node.slice, ast.Slice):
            return held[self._value(node.slice)]
        parts = (node.slice.lower, node.slice.upper, node.slice.step)
        return held[slice(*(None if part is None else self._value(part) for part in parts))]

    def _call(self, node: ast.Call) -> Any:
        arguments = [self._value(argument) for argument in node.args]
        if isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            result = FUNCTIONS[node.func.id](*arguments)
            if isinstance(result, range) and len(result) > STEP_BUDGET:
                raise Refused("did not end")
            return result
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            held = self._value(node.func.value)
            if not isinstance(held, str):
                raise Refused("method of another type")
            return self._sized(getattr(held, node.func.attr)(*arguments))
        raise Refused("call")

    def _comprehension(self, node: ast.ListComp) -> list[Any]:
        clause = node.generators[0]
        if not isinstance(clause.target, ast.Name):
            raise Refused("comprehension")
        out = []
        for item in self._value(clause.iter):
            self.names[clause.target.id] = item
            if all(self._value(test) for test in clause.ifs):
                out.append(self._value(node.elt))
        return out


def outcome(source: str, given: Value) -> str:
    """Name of the exception `source` raises on `given`, or NoError; raises Refused otherwise."""
    try:
        run_program(source, given)
    except Raised as error:
        return str(error)
    return "NoError"


def run_program(source: str, given: Value) -> Value:
    """Output of `source` on `given`; raises Refused with a word that says why not."""
    return Interpreter().run(parse_program(source), given)
