"""Attention of one new position per row over the blocks of keys and values that the row has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from ..model.attention import AttentionRule, softcapped
from .kv_cache import BLOCK, KeyValueCache, SharedBlocks

# Of numpy on the CPU, of torch elsewhere: both are indexed the same way, and numpy's indexing and
# its products of small matrices take half the time of torch's or less.
Array = Any


class BlockAttention:
    """Each row's new position is stored in its last block and sees what the row has.

    Row b is in slot b and stands at `positions[b]` (int64), which its blocks have room for. Rows
    that are computed beside them and hold nothing get zeros.

    Products are computed block by block, in the order in which blocks lie in memory, and put where
    they belong in a table of all rows; only there is a row as long as the longest. Keys and values
    are read where they are and never copied.
    """

    def __init__(self, cache: KeyValueCache, positions: np.ndarray) -> None:
        self.cache = cache
        self.by_numpy = _is_for_numpy(cache.device)
        cache.close_gaps()
        self.positions = torch.from_numpy(positions).to(cache.device)
        self.places = cache.places(positions)
        self.length = int(positions.max()) // BLOCK + 1  # of the longest row, in blocks
        # One entry for each row of each block: those of the pool, then those that rows share.
        rows, blocks = [cache.owners[: cache.used]], [cache.ordinals[: cache.used]]
        self.shared: list[tuple[SharedBlocks, slice, tuple[int, int]]] = []
        end = cache.used
        for one in {id(one): one for one in cache.shared[: len(positions)] if one}.values():
            shape = len(one), len(one.slots)
            rows.append(np.tile(sorted(one.slots), shape[0]))
            blocks.append(np.repeat(np.arange(shape[0]), shape[1]))
            self.shared.append((one, slice(end, end + len(rows[-1])), shape))
            end += len(rows[-1])
        self.rows = self._array(torch.from_numpy(np.concatenate(rows)).to(cache.device))
        self.blocks = self._array(torch.from_numpy(np.concatenate(blocks)).to(cache.device))
        self.masks: dict[int | None, torch.Tensor] = {}
        # Of all layers: each writes to the same places, and what belongs to no block stays 0.
        self.scores: torch.Tensor | None = None
        self.parts: torch.Tensor | None = None

    def __call__(
        self, layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rule: AttentionRule
    ) -> torch.Tensor:
        rows = len(self.positions)
        self.cache.append(layer, self.places, k[:rows], v[:rows])
        attended = self._attend(layer, q[:rows], rule).to(q.dtype)
        return F.pad(attended, (0, 0, 0, len(q) - rows)) if rows < len(q) else attended

    def _attend(self, layer: int, q: torch.Tensor, rule: AttentionRule) -> torch.Tensor:
        """q [rows, heads, d] -> fp32 [rows, heads * d].

        Query heads that share a key head are stacked as rows of one small product, which is what
        grouped attention saves.
        """
        rows, heads, d = q.shape
        kv_heads = self.cache.config.kv_heads
        group = heads // kv_heads
        if self.scores is None or self.parts is None:
            table = (rows, kv_heads, group, self.length, BLOCK)
            self.scores = torch.zeros(table, device=q.device)
            self.parts = torch.zeros((rows, kv_heads, self.length, group, d), device=q.device)
        queries = (q * (rule.scale or 1.0 / math.sqrt(d))).view(rows, kv_heads, group, d)
        products = self._products(
            self._array(queries)[self.rows],
            self.cache.keys[layer].transpose(-1, -2),
            [one.keys[layer].transpose(-1, -2) for one, _, _ in self.shared],
        )
        self._array(self.scores)[self.rows, :, :, self.blocks] = products
        scores = softcapped(self.scores.view(rows, kv_heads, group, -1), rule.softcap)
        shares = torch.softmax(scores.add_(self._mask(rule.window)), dim=-1)
        parts = self._products(
            self._array(shares.view(self.scores.shape))[self.rows, :, :, self.blocks],
            self.cache.values[layer],
            [one.values[layer] for one, _, _ in self.shared],
        )
        self._array(self.parts)[self.rows, :, self.blocks] = parts
        return self.parts.sum(2).reshape(rows, heads * d)

    def _products(self, left: Array, pool: torch.Tensor, apart: list[torch.Tensor]) -> Array:
        """fp32 [entries, kv_heads, m, n]: `left` [entries, kv_heads, m, k] times its blocks.

        Blocks are [blocks, kv_heads, k, n], of the pool and of what rows share.
        """
        used = self.cache.used
        shape = (*left.shape[:-1], pool.shape[-1])
        found = torch.empty(shape, dtype=torch.float32, device=pool.device)
        out = self._array(found)
        if self.by_numpy:
            np.matmul(left[:used], self._array(pool[:used]), out=out[:used])
            for (_, at, pair), blocks in zip(self.shared, apart, strict=True):
                # A row has a product of its own with each block, as if nobody shared it.
                right = self._array(blocks)[:, None]
                np.matmul(
                    left[at].reshape(*pair, *shape[1:-1], -1),
                    right,
                    out=out[at].reshape(*pair, *shape[1:]),
                )
            return out
        out[:used] = _product(left[:used], pool[:used])
        for (_, at, pair), blocks in zip(self.shared, apart, strict=True):
            # The rows of a block are stacked, so that it is read once.
            stacked = left[at].unflatten(0, pair).transpose(1, 2)
            products = _product(stacked.flatten(2, 3), blocks)
            by_row = products.unflatten(2, (pair[1], -1)).transpose(1, 2)
            out[at] = by_row.flatten(0, 1)
        return out

    def _array(self, tensor: torch.Tensor) -> Array:
        if not self.by_numpy:
            return tensor
        return (tensor.float() if tensor.is_floating_point() else tensor).numpy()

    def _mask(self, window: int | None) -> torch.Tensor:
        """What rows must not see of their blocks, [rows, 1, 1, positions]."""
        if window not in self.masks:
            places = torch.arange(self.length * BLOCK, device=self.positions.device)
            blocked = places > self.positions.unsqueeze(1)
            if window is not None:
                blocked |= places <= self.positions.unsqueeze(1) - window
            mask = torch.zeros(blocked.shape, device=blocked.device)
            self.masks[window] = mask.masked_fill_(blocked, -math.inf)[:, None, None]
        return self.masks[window]


def _is_for_numpy(device: torch.device) -> bool:
    return device.type == "cpu"


def _product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """fp32 products of matrices [N, kv_heads, m, k] and [N, kv_heads, k, n], each by itself."""
    pairs = left.to(right.dtype).flatten(0, 1), right.flatten(0, 1)
    if right.dtype == torch.float32:
        found = torch.bmm(*pairs)
    else:
        found = torch.bmm(*pairs, out_dtype=torch.float32)
    return found.view(*left.shape[:2], *found.shape[1:])
