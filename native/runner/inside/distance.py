"""How far apart programs are by their syntax trees, as Absolute Zero's repository measures it.

1 - difflib's ratio of the JSON texts of both trees, keys sorted, indented by two: a node is its
type and its fields without `ctx`; of a list only the nodes in it count, and None is left out. What
the original fails at (no Python, a value that JSON has no form for) it puts at distance 0. It looks
at programs after a formatter, which changes trees in one thing, white space of docstrings; here
they stand as written.

Runs inside the sandbox like any program: a crafted source can exhaust or crash the parser.
"""

from __future__ import annotations

import ast
import json
import os
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from inside.driver import send_line

# Characters of a tree's text, which difflib takes the square of: some four seconds for a pair.
# A line of a program makes about a thousand.
LONGEST = 100_000
# Of a node, whether its text is written or, as that of a `ctx`, is not: the fewest on average.
_CHARACTERS_OF_A_NODE = 15
# Not among the fields of the version that the original ran on, or emptied by its formatter.
_LEFT_OUT = ("ctx", "type_params", "kind")

# A piece of text, or a node that one is to be made of, and the level of its indentation.
_Part = str | tuple[ast.AST, int]


class TooLong(ValueError):
    """A tree whose text is longer than what is compared here; the original has no such bound."""


def tree_text(source: str) -> str:
    """The text that a program is compared by. TooLong; whatever the parser and JSON raise where the
    original fails as well."""
    tree = ast.parse(source, "<program>")
    most = LONGEST // _CHARACTERS_OF_A_NODE
    if next(islice(ast.walk(tree), most, None), None) is not None:
        raise TooLong
    pieces: list[str] = []
    length = 0
    pending: list[_Part] = [(tree, 0)]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(reversed(_parts(*part)))
            continue
        pieces.append(part)
        length += len(part)
        if length > LONGEST:
            raise TooLong
    return "".join(pieces)


def _parts(node: ast.AST, level: int) -> list[_Part]:
    """The text of one node, with its children where theirs belongs."""
    fields: dict[str, Any] = {
        name: value
        for name, value in ast.iter_fields(node)
        if name not in _LEFT_OUT and value is not None
    } | {"node_type": type(node).__name__}
    parts: list[_Part] = []
    opening = "{"
    for name in sorted(fields):
        parts.append(f'{opening}{_line(level + 1)}"{name}": ')
        parts += _value_parts(fields[name], level + 1)
        opening = ","
    return [*parts, _line(level) + "}"]


def _value_parts(value: Any, level: int) -> list[_Part]:
    if isinstance(value, ast.AST):
        return [(value, level)]
    if not isinstance(value, list):
        return [json.dumps(value)]
    parts: list[_Part] = []
    for item in value:
        if isinstance(item, ast.AST):
            parts += [("," if parts else "[") + _line(level + 1), (item, level + 1)]
    return [*parts, _line(level) + "]"] if parts else ["[]"]


def _line(level: int) -> str:
    return "\n" + "  " * level


def distance(left: str | None, right: str | None) -> float:
    """Of the texts of two trees; None is one that the original fails at."""
    if left is None or right is None:
        return 0.0
    return 1.0 - SequenceMatcher(None, left, right).ratio()


def measure_distances(job: dict[str, Any]) -> None:
    """One line {"distance": k, "value": number or null} a reference, null where a text is too long
    to be compared; then leave."""
    for index, reference in enumerate(job["references"]):
        try:
            value = json.dumps(distance(_text_of(job["program"]), _text_of(reference)))
        except TooLong:
            value = "null"
        send_line('{"distance":%d,"value":%s}' % (index, value))
    send_line('{"end":true}')
    os._exit(0)


def _text_of(source: str) -> str | None:
    try:
        return tree_text(source)
    except TooLong:
        raise
    except Exception:  # noqa: BLE001 - whatever a parser raises, the original calls it 0
        return None
