"""Shares with 95 % Wilson intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z = 1.959964  # two-sided 95 %


@dataclass(frozen=True)
class Share:
    """`hits` of `n`; printed in percent with its interval."""

    hits: int
    n: int

    @property
    def value(self) -> float:
        return self.hits / self.n if self.n else float("nan")

    def interval(self) -> tuple[float, float]:
        if self.n == 0:
            return 0.0, 1.0
        middle = self.value + Z * Z / (2 * self.n)
        spread = Z * math.sqrt(self.value * (1 - self.value) / self.n + (Z / (2 * self.n)) ** 2)
        scale = 1 + Z * Z / self.n
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{100 * self.value:.1f} % ({100 * low:.1f} to {100 * high:.1f}, n={self.n})"


def share(outcomes: list[bool]) -> Share:
    return Share(sum(outcomes), len(outcomes))
