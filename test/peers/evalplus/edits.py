"""Small seeded changes of a program's syntax tree: the slips a programmer makes.

Each finds the places of the tree it applies to; `edited` picks one of them by the given generator
and returns the changed program, or None where there is no such place.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator

Change = Callable[[], None]
_OTHER_COMPARISON = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OTHER_OPERATION = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Div,
    ast.Div: ast.FloorDiv,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}


def _setter(node: ast.AST, field: str, value: object) -> Change:
    return lambda: setattr(node, field, value)


def _comparisons(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER_COMPARISON:
            other = _OTHER_COMPARISON[type(node.ops[0])]()
            yield _setter(node, "ops", [other, *node.ops[1:]])


def _operations(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _OTHER_OPERATION:
            yield _setter(node, "op", _OTHER_OPERATION[type(node.op)]())


def _numbers(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield _setter(node, "value", node.value + 1)
            yield _setter(node, "value", node.value - 1)


def _argument_orders(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) >= 2:
            yield _setter(node, "args", [node.args[1], node.args[0], *node.args[2:]])
        elif isinstance(node, ast.BinOp):

            def turn(node: ast.BinOp = node) -> None:
                node.left, node.right = node.right, node.left

            yield turn


def _branches(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            yield _setter(node, "body", node.orelse or [ast.Pass()])
            if node.orelse:
                yield _setter(node, "orelse", [])
        elif isinstance(node, ast.IfExp):
            yield _setter(node, "body", node.orelse)


def _statements(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or isinstance(node, ast.Module):
            continue
        for index, statement in enumerate(body):
            if isinstance(statement, (ast.AugAssign, ast.Expr, ast.Break, ast.Continue)):
                yield _setter(node, "body", [*body[:index], ast.Pass(), *body[index + 1 :]])


def _conditions(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp)):
            yield _setter(node, "test", ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.BoolOp):
            yield _setter(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _returns(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            yield _setter(node, "value", None)


EDITS = {
    "comparison": _comparisons,
    "operation": _operations,
    "off by one": _numbers,
    "swapped operands": _argument_orders,
    "dropped branch": _branches,
    "dropped statement": _statements,
    "negated condition": _conditions,
    "dropped result": _returns,
}


def edited(source: str, kind: str, chance: random.Random) -> str | None:
    """The program with one change of this kind, without its comments; None where none applies."""
    tree = copy.deepcopy(ast.parse(source))
    changes = list(EDITS[kind](tree))
    if not changes:
        return None
    chance.choice(changes)()
    text = ast.unparse(ast.fix_missing_locations(tree))
    return None if text == ast.unparse(ast.parse(source)) else text
