"""Lengths of responses that do not depend on what a model wants to write."""

from __future__ import annotations

import numpy as np
import torch
from transformers import LogitsProcessor

EQUAL_LENGTH = 60


class EndAt(LogitsProcessor):
    """Bans the end token until a row has its length, then forces it; for one call of generate."""

    def __init__(self, lengths: list[int], eos: list[int]) -> None:
        self.lengths = torch.tensor(lengths)
        self.eos = eos
        self.written = 0

    def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        self.written += 1
        scores[:, self.eos] = -torch.inf
        done = self.lengths <= self.written
        scores[done] = -torch.inf
        scores[done, self.eos[0]] = 0
        return scores


def response_lengths(kind: str, rows: int, equal: int = EQUAL_LENGTH) -> list[int]:
    """Tokens of each response: `fixed` gives all of them `equal`, `skew` log-normal ones.

    Those have a median of two thirds of `equal` and at most 10 / 3 of it, always the same draw.
    """
    if kind == "fixed":
        return [equal] * rows
    noise = np.random.default_rng(0)
    drawn = noise.lognormal(np.log(2 * equal / 3), 0.7, rows).astype(int)
    return drawn.clip(4, 10 * equal // 3).tolist()
