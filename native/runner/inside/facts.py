"""Static facts about a program, by the ast module.

Runs inside the sandbox like any program: a crafted source can exhaust or crash the parser.
"""

from __future__ import annotations

import ast
import json
import os
from typing import Any

from inside.driver import describe_error, send_line

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)


def _dotted(node: ast.expr) -> str | None:
    """a.b.c of a chain of attributes on a name; None for anything computed."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return "." + parts[0] if parts else None
    return ".".join([node.id, *reversed(parts)])


def _functions(tree: ast.AST) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, nested = pending.pop()
        inner = nested
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            spec = node.args
            every = [
                *spec.posonlyargs,
                *spec.args,
                *filter(None, [spec.vararg]),
                *spec.kwonlyargs,
                *filter(None, [spec.kwarg]),
            ]
            found.append(
                {
                    "name": node.name,
                    "line": node.lineno,
                    "nested": nested,
                    "args": [argument.arg for argument in every],
                }
            )
            inner = True
        elif isinstance(node, ast.ClassDef):
            inner = True
        pending.extend((child, inner) for child in ast.iter_child_nodes(node))
    return sorted(found, key=lambda function: function["line"])


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "")]
    return []


def describe_program(source: str) -> dict[str, Any]:
    """imports: modules named by import statements, in order, once each. functions: every def with
    its arguments; nested is true inside another def or a class. statements and loops (comprehension
    clauses included) and astNodes are counts. callsTo: dotted names called, '.name' for a method of
    a computed value. normalized: the program printed from its tree, without comments."""
    tree = ast.parse(source, "<program>")
    imports: dict[str, None] = {}
    calls: dict[str, None] = {}
    statements = loops = nodes = 0
    for node in ast.walk(tree):
        nodes += 1
        statements += isinstance(node, ast.stmt)
        loops += isinstance(node, _LOOPS)
        imports.update(dict.fromkeys(_imports(node)))
        if isinstance(node, ast.Call) and (name := _dotted(node.func)):
            calls[name] = None
    return {
        "ok": True,
        "imports": list(imports),
        "functions": _functions(tree),
        "statements": statements,
        "loops": loops,
        "callsTo": list(calls),
        "astNodes": nodes,
        "normalized": ast.unparse(tree),
    }


def parse_programs(job: dict[str, Any]) -> None:
    """One line {"parse": k, "facts": ...} or {"parse": k, "error": ...} per program, then leave."""
    for index, source in enumerate(job["programs"]):
        try:
            text = '"facts":%s' % json.dumps(describe_program(source))
        except BaseException as error:  # noqa: BLE001 - one text must not end the others
            message = str(getattr(error, "msg", "")) or type(error).__name__
            text = '"error":%s,"message":%s' % (describe_error(error), json.dumps(message[:200]))
        send_line('{"parse":%d,%s}' % (index, text))
    send_line('{"end":true}')
    os._exit(0)
