"""What was checked by which rule, what differed, and what could not be checked and why."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = Any

MOST_FURTHER = 99


@dataclass
class Difference:
    """One value that is not what the rule gives. `about` names the record as its own id does."""

    about: str
    stored: Json
    recomputed: Json


@dataclass
class Tally:
    rule: str
    says: str
    source: str
    checked: int = 0
    differing: int = 0
    first: Difference | None = None
    further: list[str] = field(default_factory=list)
    """What the next ones are about, up to MOST_FURTHER."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Why something was not checked, and how often."""


class Ledger:
    """Collects the outcome of every rule, in the order in which rules are declared."""

    def __init__(self, rules: list[tuple[str, str, str]]) -> None:
        self.tallies = {rule: Tally(rule, says, source) for rule, says, source in rules}

    def check(
        self, rule: str, about: str, stored: Json, recomputed: Json, tolerance: float = 0.0
    ) -> bool:
        """Counts one comparison; numbers may differ by `tolerance`, relative above 1."""
        tally = self.tallies[rule]
        tally.checked += 1
        if alike(stored, recomputed, tolerance):
            return True
        tally.differing += 1
        if tally.first is None:
            tally.first = Difference(about, stored, recomputed)
        elif len(tally.further) < MOST_FURTHER:
            tally.further.append(about)
        return False

    def skip(self, rule: str, why: str, count: int = 1) -> None:
        """Counts what a rule could not be applied to."""
        skipped = self.tallies[rule].skipped
        skipped[why] = skipped.get(why, 0) + count

    @property
    def differing(self) -> int:
        return sum(tally.differing for tally in self.tallies.values())


def alike(stored: Json, recomputed: Json, tolerance: float) -> bool:
    """Equality; of two numbers within a tolerance that grows with their size above 1."""
    if isinstance(stored, float | int) and isinstance(recomputed, float | int):
        if isinstance(stored, bool) or isinstance(recomputed, bool):
            return stored is recomputed
        if math.isnan(stored) or math.isnan(recomputed):
            return False
        return abs(stored - recomputed) <= tolerance * max(1.0, abs(recomputed))
    return bool(stored == recomputed)
