"""From a model's answer to the program that is graded, by EvalPlus's rules, with the ast module.

Kept of the longest run of lines that is Python: imports, then classes, functions that return, and
assignments of the top level, the first of each name; with an entry point only what it reaches.
Decorated definitions and `from __future__` lines are left out, as by the original, whose grammar
has other names for them. Runs in the sandbox, because a crafted text can exhaust a parser.
"""

from __future__ import annotations

import ast
import json
import os
from typing import Any

from inside.driver import describe_error, send_line
from inside.grading.longest import longest_program

_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Attributes of tree nodes that hold identifiers as texts.
_NAMING = ("id", "attr", "arg", "name", "asname", "module", "rest", "kwd_attrs", "names")


def _import(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module != "__future__"
    return isinstance(node, ast.Import)


def _first_identifier(*nodes: ast.expr | None) -> str | None:
    return next((node.id for node in nodes if isinstance(node, ast.Name)), None)


def _defined(node: ast.stmt) -> tuple[bool, str | None]:
    """Whether a statement is a definition to keep, and the name it goes by."""
    if isinstance(node, _DEFINES):
        returns = isinstance(node, ast.ClassDef) or any(
            isinstance(inner, ast.Return) for inner in ast.walk(node)
        )
        return returns and not node.decorator_list, node.name
    if isinstance(node, ast.Assign):
        right = node.value if len(node.targets) == 1 else None
        return True, _first_identifier(node.targets[0], right)
    if isinstance(node, ast.AnnAssign):
        return True, _first_identifier(node.target, node.value)
    return False, None


def _identifiers(node: ast.AST) -> set[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        for field in _NAMING:
            told = getattr(inner, field, None)
            if isinstance(told, str):
                found.update(told.split("."))
            elif isinstance(told, list):
                found.update(name for name in told if isinstance(name, str))
    return found


def _reached(entry: str, needs: dict[str | None, set[str]]) -> set[str]:
    reached, pending = {entry}, [entry]
    while pending:
        for name in needs.get(pending.pop(), ()):
            if name not in reached:
                reached.add(name)
                pending.append(name)
    return reached


def _kept(source: str, entry: str | None) -> str:
    tree = ast.parse(source)
    lines = source.encode("utf-8", "surrogatepass").split(b"\n")
    imports = [node for node in tree.body if _import(node)]
    kept: dict[str | None, ast.stmt] = {}
    for node in tree.body:
        wanted, name = _defined(node)
        if wanted and name not in kept:
            kept[name] = node
    if entry is not None:
        reached = _reached(entry, {name: _identifiers(node) for name, node in kept.items()})
        kept = {name: node for name, node in kept.items() if name in reached}
    return "\n".join(_text(lines, node) for node in [*imports, *kept.values()])


def _text(lines: list[bytes], node: ast.stmt) -> str:
    """The node's own characters; columns count bytes."""
    part = lines[node.lineno - 1 : node.end_lineno]
    part[-1] = part[-1][: node.end_col_offset]
    part[0] = part[0][node.col_offset :]
    return b"\n".join(part).decode("utf-8", "surrogatepass")


def extract_program(text: str, entry: str | None) -> str:
    """The program of an answer; the longest run itself where it holds nothing of those kinds."""
    source = longest_program(text)
    try:
        kept = _kept(source, entry).strip()
    except (SyntaxError, ValueError):
        kept = ""
    return kept or source


def extract_programs(job: dict[str, Any]) -> None:
    """One line {"extract": k, "program": text} or {"extract": k, "error": ...} per text."""
    for index, (text, entry) in enumerate(job["texts"]):
        try:
            told = '"program":%s' % json.dumps(extract_program(text, entry))
        except BaseException as error:  # noqa: BLE001 - one text must not end the others
            told = '"error":%s' % describe_error(error)
        send_line('{"extract":%d,%s}' % (index, told))
    send_line('{"end":true}')
    os._exit(0)
