"""Attention of packed sequences: which tokens of a row belong together, and what each sees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

# Receives (layer, keys, values), each [tokens, kv_heads, head_dim], of one packed row.
KeyValueSink = Callable[[int, torch.Tensor, torch.Tensor], None]


@dataclass(frozen=True)
class AttentionRule:
    """How one layer attends beside being causal.

    `scale` multiplies the products (None: 1 / sqrt(head_dim)); `window` is how many tokens, the
    own one among them, are seen (None: all before); `softcap` bounds scores by its tanh (Gemma 2).
    """

    scale: float | None = None
    window: int | None = None
    softcap: float | None = None


PLAIN = AttentionRule()

# (layer, queries [T, heads, d], keys and values [T, kv_heads, d], rule) -> [T, heads * d].
Attend = Callable[[int, torch.Tensor, torch.Tensor, torch.Tensor, AttentionRule], torch.Tensor]


@dataclass(frozen=True)
class Layout:
    """How the tokens of a packed row belong together; all numbers are tokens.

    Sequence i has `lengths[i]` tokens, followed by its branches, `branches[i]` tokens each: they
    continue the sequence and do not see each other. No `branches` at all means that none branches.
    """

    lengths: Sequence[int]
    branches: Sequence[Sequence[int]] = ()
    _masks: dict[tuple[int, int, int | None, torch.dtype], torch.Tensor] = field(
        default_factory=dict
    )

    def parts(self) -> list[tuple[int, Sequence[int]]]:
        """(length, branches) of each sequence, in the order of the row."""
        branches = self.branches or [()] * len(self.lengths)
        return list(zip(self.lengths, branches, strict=True))

    def runs(self) -> list[int]:
        """Tokens of each sequence and of each of its branches, in the order of the row."""
        return [run for length, branches in self.parts() for run in (length, *branches)]

    def positions(self, device: torch.device) -> torch.Tensor:
        """Place of each token in its own text, int64 [T]; a branch goes on where it left."""
        runs = []
        for length, branches in self.parts():
            runs.append(torch.arange(length, device=device))
            runs += [torch.arange(length, length + one, device=device) for one in branches]
        return torch.cat(runs)

    def mask(
        self, seen: int, own: int, like: torch.Tensor, window: int | None = None
    ) -> torch.Tensor:
        """What `own` tokens must not see of the `seen` before them and of themselves."""
        key = (seen, own, window, like.dtype)
        if key not in self._masks:
            blocked = torch.full((own, seen + own), -math.inf, device=like.device, dtype=like.dtype)
            mask = blocked.triu(seen + 1)
            if window is not None:
                mask += blocked.tril(seen - window)
            self._masks[key] = mask
        return self._masks[key]


class PackedAttention:
    """Attention inside each sequence of a packed row; keys and values also go to `sink`."""

    def __init__(self, layout: Layout, sink: KeyValueSink | None = None) -> None:
        self.layout = layout
        self.sink = sink

    def __call__(
        self,
        layer: int,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        rule: AttentionRule,
    ) -> torch.Tensor:
        if self.sink is not None:
            self.sink(layer, k, v)
        # Cut once: the gradient of a split is one concatenation, that of a slice a row of zeros.
        queries, keys, values = (iter(one.split(self.layout.runs())) for one in (q, k, v))
        outputs = []
        for length, branches in self.layout.parts():
            trunk_keys, trunk_values = next(keys), next(values)
            outputs.append(self._attend(0, next(queries), trunk_keys, trunk_values, rule))
            for _ in branches:
                seen = torch.cat((trunk_keys, next(keys))), torch.cat((trunk_values, next(values)))
                outputs.append(self._attend(length, next(queries), *seen, rule))
        return torch.cat(outputs).reshape(q.shape[0], -1)

    def _attend(
        self, seen: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rule: AttentionRule
    ) -> torch.Tensor:
        """Attention of one sequence, [T, heads, d] each, whose first query follows `seen` keys."""
        window = rule.window if rule.window is not None and rule.window < len(k) else None
        masked = seen > 0 or window is not None or rule.softcap is not None
        mask = self.layout.mask(seen, len(q), q, window) if masked else None
        grouped = q.shape[1] != k.shape[1]
        if grouped and masked and (q.device.type == "cuda" or rule.softcap is not None):
            # Fused kernels for GPUs take a mask or groups of heads; given both, torch falls back
            # to one that keeps the whole square of scores.
            k, v = (one.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for one in (k, v))
            grouped = False
        q, k, v = (one.transpose(0, 1).unsqueeze(0) for one in (q, k, v))
        if rule.softcap is not None:
            attended = _capped(q, k, v, mask, rule)
        else:
            attended = F.scaled_dot_product_attention(
                q,
                k,
                v,
                attn_mask=mask,
                is_causal=mask is None,
                scale=rule.scale,
                enable_gqa=grouped,
            )
        return attended.squeeze(0).transpose(0, 1)


def _capped(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    rule: AttentionRule,
) -> torch.Tensor:
    """Attention whose scores are bounded before the softmax, which no fused kernel offers."""
    scale = rule.scale or 1.0 / math.sqrt(q.shape[-1])
    scores = softcapped((q @ k.transpose(-1, -2)) * scale, rule.softcap)
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, dim=-1, dtype=torch.float32).to(v.dtype) @ v


def softcapped(scores: torch.Tensor, cap: float | None) -> torch.Tensor:
    return scores if cap is None else torch.tanh(scores / cap) * cap
