"""The longest run of lines of a text that is Python, as EvalPlus looks for it.

Of all runs of two lines and more that parse, the one with the most lines that are not blank; of
several, the one that begins first, then the one that ends first. Trying every pair of lines parses
a quadratic number of texts; here a failed parse tells how far back the next end must lie.
"""

from __future__ import annotations

import ast


def _error_line(source: str) -> int | None:
    """None when the source parses, else the line (from 1) the parser stopped at."""
    try:
        ast.parse(source)
        return None
    except SyntaxError as error:
        return error.lineno or 1
    except (MemoryError, RecursionError, ValueError):
        return source.count("\n") + 1


def _filled_before(lines: list[str]) -> list[int]:
    """Lines that are not blank among the first k, for every k."""
    counts = [0]
    for line in lines:
        counts.append(counts[-1] + bool(line.strip()))
    return counts


def longest_program(text: str) -> str:
    """The lines of that run, joined; the first line where no run of two lines parses."""
    lines = text.split("\n")
    filled = _filled_before(lines)
    best, span = 0, (0, 0)
    for start in range(len(lines)):
        end = len(lines) - 1
        while end > start and filled[end + 1] - filled[start] > best:
            stopped = _error_line("\n".join(lines[start : end + 1]))
            if stopped is None:
                best = filled[end + 1] - filled[start]
                span = (start, _first_end(lines, filled, start, end))
                break
            # Whatever stopped the parser on that line stops it there for every later end as well.
            end = min(end - 1, start + stopped - 2)
    return "\n".join(lines[span[0] : span[1] + 1])


def _first_end(lines: list[str], filled: list[int], start: int, end: int) -> int:
    """Of the ends that only add blank lines, the first that parses too."""
    first = end
    while first - 1 > start and filled[first] == filled[end + 1]:
        first -= 1
    while first < end and _error_line("\n".join(lines[start : first + 1])) is not None:
        first += 1
    return first
