"""
Texts that are alike (R-Zero, penalty for repetition): average linkage over 1 - BLEU of four orders
(Papineni et al. 2002; zero counts are smoothed to 0.1, Chen and Cherry 2014, method 1).
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

MOST_TEXTS = 512
"""The number of pairs grows with its square."""

ORDERS = 4
SMOOTHED = 0.1


def cluster_shares(texts: list[str], cut: float) -> list[float]:
    """For each text the share of all texts that are in its cluster."""
    counts = [_grams(text.split()) for text in texts]
    n = len(texts)
    apart = np.full((n, n), np.inf)
    for i in range(n):
        for j in range(i + 1, n):
            apart[i, j] = apart[j, i] = 1 - bleu(counts[i], counts[j])
    members: list[list[int]] = [[i] for i in range(n)]
    while n > 1:
        i, j = divmod(int(np.argmin(apart)), n)
        if not apart[i, j] < cut:
            break
        weights = len(members[i]), len(members[j])
        merged = (weights[0] * apart[i] + weights[1] * apart[j]) / sum(weights)
        apart[i], apart[:, i] = merged, merged
        apart[i, i] = np.inf
        apart[j], apart[:, j] = np.inf, np.inf
        members[i] += members[j]
        members[j] = []
    shares = [0.0] * n
    for group in members:
        for place in group:
            shares[place] = len(group) / n
    return shares


def _grams(words: list[str]) -> list[Counter[tuple[str, ...]]]:
    """How often each run of 1 to 4 words occurs."""
    return [
        Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))
        for order in range(1, ORDERS + 1)
    ]


def bleu(
    hypothesis: list[Counter[tuple[str, ...]]], reference: list[Counter[tuple[str, ...]]]
) -> float:
    """Of two texts by their counts; 0 where they share no word."""
    length, other = hypothesis[0].total(), reference[0].total()
    logs = []
    for order in range(ORDERS):
        shared = (hypothesis[order] & reference[order]).total()
        if order == 0 and shared == 0:
            return 0.0
        logs.append(math.log((shared or SMOOTHED) / max(1, hypothesis[order].total())))
    brevity = 1.0 if length > other else math.exp(1 - other / length)
    return brevity * math.exp(math.fsum(logs) / ORDERS)
