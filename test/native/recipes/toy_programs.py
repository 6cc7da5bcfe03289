"""Reading toy programs in tests."""

from __future__ import annotations


def statements_of(source: str) -> int:
    """Statements of a toy program before `return`; the summing loop's two lines are one."""
    lines = source.split("\n")[1:-1]
    top = sum(not line.startswith(("  ", " else:")) for line in lines)
    return top - (" for i in x:" in lines)
