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


def response_lengths(kind: str, rows: int) -> list[int]:
    """`fixed`: all alike. `skew`: log-normal about 40 tokens, 4 to 200, always the same draw."""
    if kind == "fixed":
        return [EQUAL_LENGTH] * rows
    noise = np.random.default_rng(0)
    return noise.lognormal(np.log(40), 0.7, rows).astype(int).clip(4, 200).tolist()
