"""Checks canonical data frames on the trusted side, so that only well-formed ones go further."""

from __future__ import annotations

import re
from typing import Any

MAX_DEPTH = 64
MAX_NODES = 20_000
MAX_STRING = 100_000
_INT = re.compile(r"-?0x[0-9a-f]{1,5000}\Z")  # 20,000 bits
_FLOAT = re.compile(r"[0-9a-f]{16}\Z")
_BYTES = re.compile(r"(?:[0-9a-f]{2}){0,100000}\Z")


class BadFrame(Exception):
    """Not a canonical data frame; the message says what was met."""


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.match(value) is not None


def _check_leaf(tag: str, rest: list[Any]) -> bool:
    if tag == "n":
        return rest == []
    if tag == "z":
        return len(rest) == 2 and all(_matches(_FLOAT, part) for part in rest)
    if len(rest) != 1:
        return False
    value = rest[0]
    if tag == "b":
        return value is True or value is False
    if tag == "s":
        return isinstance(value, str) and len(value) <= MAX_STRING
    pattern = {"i": _INT, "f": _FLOAT, "y": _BYTES}.get(tag)
    return pattern is not None and _matches(pattern, value)


def _children(tag: str, rest: list[Any]) -> list[Any] | None:
    """Frames inside a container frame; None when the tag is none or its content is malformed."""
    if tag not in ("l", "t", "S", "F", "d") or len(rest) != 1 or not isinstance(rest[0], list):
        return None
    if tag != "d":
        return rest[0]
    pairs = rest[0]
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        return None
    return [part for pair in pairs for part in pair]


def check_frame(frame: object) -> None:
    """BadFrame unless this parsed JSON is one frame within the limits. Without recursion."""
    pending: list[tuple[object, int]] = [(frame, 1)]
    nodes = 0
    while pending:
        node, depth = pending.pop()
        nodes += 1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            raise BadFrame("a frame has more than 20,000 nodes or 64 levels")
        if not isinstance(node, list) or not node or not isinstance(node[0], str):
            raise BadFrame("a frame is an array that starts with its tag")
        children = _children(node[0], node[1:])
        if children is not None:
            pending.extend((child, depth + 1) for child in children)
        elif not _check_leaf(node[0], node[1:]):
            raise BadFrame(f"a frame tagged {node[0][:8]!r} is malformed")
