"""One decoding step: a new token for every running row, from the keys and values it has."""

from __future__ import annotations

import numpy as np
import torch

from ..model.forward import MIN_ROWS, hidden_states, logits_of
from ..model.language_model import Answering
from .block_attention import BlockAttention
from .kv_cache import KeyValueCache


@torch.no_grad()
def prefill(
    weights: Answering, cache: KeyValueCache, prompts: list[list[int]], slots: list[int]
) -> torch.Tensor:
    """Reads whole prompts into their slots; returns fp32 logits [prompts, V] of the next token."""
    lengths = [len(prompt) for prompt in prompts]
    cache.reserve(np.array(slots), np.array(lengths))

    def store(layer: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        start = 0
        for slot, length in zip(slots, lengths, strict=True):
            stop = start + length
            cache.fill(layer, slot, keys[start:stop], values[start:stop])
            start = stop

    flat = torch.tensor([token for prompt in prompts for token in prompt], device=weights.device)
    hidden = hidden_states(weights, flat, lengths, sink=store)
    last = torch.tensor(lengths, device=weights.device).cumsum(0) - 1
    return logits_of(weights, hidden[last])


@torch.no_grad()
def decode(
    weights: Answering, cache: KeyValueCache, tokens: np.ndarray, lengths: np.ndarray
) -> torch.Tensor:
    """Appends one token per row and returns fp32 logits [B, V] of the token after it.

    Row b lives in slot b: `tokens` int64 [B] are put at positions `lengths` [B], which counts
    what the slot holds already.
    """
    rows = len(tokens)
    padded = max(rows, MIN_ROWS)
    cache.reserve(np.arange(rows), lengths + 1)
    ids = torch.zeros(padded, dtype=torch.int64)
    ids[:rows] = torch.from_numpy(tokens)
    positions = torch.zeros(padded, dtype=torch.int64)
    positions[:rows] = torch.from_numpy(lengths)
    ids, positions = ids.to(weights.device), positions.to(weights.device)
    x = weights.run(ids, positions, BlockAttention(cache, lengths))
    return logits_of(weights, x)[:rows]
