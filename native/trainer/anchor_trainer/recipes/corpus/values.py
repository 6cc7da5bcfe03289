"""Values of the toy world: small integers, short lists of integers, short strings of capitals.

Bounds are tight on purpose: a model of a few million parameters can learn to compute them, and a
run-away program is refused instead of flooding a trace.
"""

from __future__ import annotations

from typing import TypeAlias

Value: TypeAlias = int | str | list[int]

LARGEST_NUMBER = 99  # absolute value; three-digit arithmetic was never learned at this size
LONGEST_SEQUENCE = 10  # elements of a list, characters of a string
TYPE_NAMES = ("int", "list", "str")


class OutOfBounds(Exception):
    """A computation left the toy world (too large, too long, empty where it must not be)."""


def literal(value: Value) -> str:
    """Python literal in the compact style the models read and write: no spaces, single quotes."""
    if isinstance(value, list):
        return "[" + ",".join(literal(item) for item in value) + "]"
    if isinstance(value, str):
        return "'" + value + "'"
    return str(value)


def bounded(value: Value) -> Value:
    """Return `value`, or raise OutOfBounds when it is not a value of the toy world."""
    if isinstance(value, bool):
        raise OutOfBounds("a truth value is no toy value")
    if isinstance(value, int):
        if abs(value) > LARGEST_NUMBER:
            raise OutOfBounds("number too large")
    elif len(value) > LONGEST_SEQUENCE:
        raise OutOfBounds("sequence too long")
    elif isinstance(value, list):
        for item in value:
            bounded(item)
    return value


def type_name(value: Value) -> str:
    """`int`, `list` or `str`."""
    if isinstance(value, int):
        return "int"
    return "list" if isinstance(value, list) else "str"


def operand(number: int) -> str:
    """A number as it stands behind an operator: negative ones in parentheses."""
    return f"({number})" if number < 0 else str(number)
