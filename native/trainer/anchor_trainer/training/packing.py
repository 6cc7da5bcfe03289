"""Laying sequences of uneven length into rows, so that no multiplication is spent on padding."""

from __future__ import annotations

from collections.abc import Sequence


def pack(lengths: Sequence[int], capacity: int) -> list[list[int]]:
    """First-fit decreasing: rows of indices into `lengths`, each row at most `capacity` tokens.

    A sequence longer than the capacity gets a row of its own. Ties keep the given order, so equal
    input gives equal rows. Johnson (1974): at most 11/9 of the optimal number of rows.
    """
    rows: list[list[int]] = []
    free: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda one: (-lengths[one], one)):
        size = lengths[index]
        for row, space in enumerate(free):
            if size <= space:
                rows[row].append(index)
                free[row] -= size
                break
        else:
            rows.append([index])
            free.append(max(capacity - size, 0))
    return [sorted(row) for row in rows]


def share_prompts(
    prompts: Sequence[bytes], shared: Sequence[int], own: Sequence[int], capacity: int
) -> tuple[list[list[int]], list[int]]:
    """Sequences that begin with the same prompt, together: units of indices, and their tokens.

    Sequence i has the prompt `prompts[i]` of `shared[i]` tokens and `own[i]` more. A unit holds its
    prompt once and at most `capacity` tokens, unless a single sequence is longer.
    """
    units: list[list[int]] = []
    sizes: list[int] = []
    newest: dict[bytes, int] = {}
    for index, prompt in enumerate(prompts):
        unit = newest.get(prompt)
        if unit is None or sizes[unit] + own[index] > capacity:
            newest[prompt] = len(units)
            units.append([index])
            sizes.append(shared[index] + own[index])
        else:
            units[unit].append(index)
            sizes[unit] += own[index]
    return units, sizes


def fill(lengths: Sequence[int], rows: Sequence[Sequence[int]], capacity: int) -> float:
    """Share of the rows' capacity that holds tokens, in (0, 1]."""
    room = sum(max(capacity, sum(lengths[one] for one in row)) for row in rows)
    return sum(lengths) / room if room else 1.0
