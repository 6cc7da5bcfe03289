"""One decoding step: a new token for every running row, from its slot's keys and values."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from ..model.attention import AttentionRule, softcapped
from ..model.forward import MIN_ROWS, hidden_states, logits_of
from ..model.language_model import Answering
from .kv_cache import BLOCK, KeyValueCache, blocks_of


@torch.no_grad()
def prefill(
    weights: Answering, cache: KeyValueCache, prompts: list[list[int]], slots: list[int]
) -> torch.Tensor:
    """Reads whole prompts into their slots; returns fp32 logits [prompts, V] of the next token."""
    lengths = [len(prompt) for prompt in prompts]
    cache.reserve(max(lengths))

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
    what the slot already holds.
    """
    rows = len(tokens)
    padded = max(rows, MIN_ROWS)  # see MIN_ROWS: spare rows write at their own slot's position 0
    cache.reserve(int(lengths.max()) + 1)
    reach = blocks_of(int(lengths.max()) + 1) * BLOCK
    ids = torch.zeros(padded, dtype=torch.int64)
    ids[:rows] = torch.from_numpy(tokens)
    positions = torch.zeros(padded, dtype=torch.int64)
    positions[:rows] = torch.from_numpy(lengths)
    ids, positions = ids.to(weights.device), positions.to(weights.device)
    x = weights.run(ids, positions, SlotAttention(cache, positions, reach))
    return logits_of(weights, x)[:rows]


class SlotAttention:
    """Each row's new position is stored in its slot and sees what the slot holds.

    `positions` int64 [B] are where the rows stand, `reach` how many positions are looked at.
    """

    def __init__(self, cache: KeyValueCache, positions: torch.Tensor, reach: int) -> None:
        self.cache = cache
        self.positions = positions
        self.reach = reach
        self.places = cache.places(positions)
        self.masks: dict[int | None, torch.Tensor] = {}

    def __call__(
        self, layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rule: AttentionRule
    ) -> torch.Tensor:
        self.cache.append(layer, self.places, k, v)
        rows = len(self.positions)
        keys = self.cache.keys[layer][:rows, :, : self.reach]
        values = self.cache.values[layer][:rows, :, : self.reach]
        return _attend(q, keys, values, self._mask(rule.window, q.dtype), rule)

    def _mask(self, window: int | None, dtype: torch.dtype) -> torch.Tensor:
        """What rows must not see of their slots, [B, reach]."""
        if window not in self.masks:
            places = torch.arange(self.reach, device=self.positions.device)
            blocked = places > self.positions.unsqueeze(1)
            if window is not None:
                blocked |= places <= self.positions.unsqueeze(1) - window
            mask = torch.zeros(blocked.shape, device=blocked.device, dtype=dtype)
            self.masks[window] = mask.masked_fill_(blocked, -math.inf)
        return self.masks[window]


def _attend(
    q: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor,
    rule: AttentionRule,
) -> torch.Tensor:
    """Attention of one query per head over a slot: q [B, heads, d], keys [B, kv_heads, T, d].

    Query heads that share a key head are stacked as rows of one small product, which is what
    grouped attention saves. Returns [B, heads * d].
    """
    rows, heads, d = q.shape
    kv_heads, reach = keys.shape[1], keys.shape[2]
    group = heads // kv_heads
    scale = rule.scale or 1.0 / math.sqrt(d)
    if q.device.type != "cpu" or q.dtype != torch.float32:
        stacked = q.reshape(rows, kv_heads, group, d)
        hidden = mask[:, None, None]
        if rule.softcap is not None:
            scores = softcapped((stacked @ keys.transpose(-1, -2)).float() * scale, rule.softcap)
            return (torch.softmax(scores + hidden, -1).to(values.dtype) @ values).reshape(rows, -1)
        attended = F.scaled_dot_product_attention(
            stacked, keys, values, attn_mask=hidden, scale=scale
        )
        return attended.reshape(rows, heads * d)
    # On the CPU the time goes into thousands of tiny products; numpy's matrix library needs half
    # the time of torch's for these, and the fixed block keeps every product the same shape.
    blocks = reach // BLOCK
    queries = (q * scale).reshape(rows, kv_heads, 1, group, d).numpy()
    by_block = (rows, kv_heads, blocks, BLOCK, d)
    products = np.matmul(queries, keys.view(by_block).numpy().swapaxes(-1, -2))
    scores = torch.from_numpy(products).permute(0, 1, 3, 2, 4).reshape(rows, kv_heads, group, reach)
    scores = softcapped(scores, rule.softcap)
    shares = torch.softmax(scores.add_(mask[:, None, None]), dim=-1)
    blocked = shares.view(rows, kv_heads, group, blocks, BLOCK).permute(0, 1, 3, 2, 4).numpy()
    parts = np.matmul(blocked, values.view(by_block).numpy())
    return torch.from_numpy(parts).sum(2).reshape(rows, heads * d)
