"""The forward pass over packed sequences, used for prompts, log-probabilities and training.

Sequences lie one after another in a single row without padding. Attention is computed per
sequence, so a sequence never sees its neighbours and its numbers do not depend on them. A sequence
may branch: what several continuations have in common is then computed once for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from .config import ModelConfig
from .rope import rotate
from .weights import LayerWeights, Weights

# Matrix libraries switch to another summation order below this many rows; padding up to it keeps
# a row's numbers independent of how many rows are computed with it.
MIN_ROWS = 4

# Receives (layer, keys, values), each [tokens, kv_heads, head_dim], of one packed row.
KeyValueSink = Callable[[int, torch.Tensor, torch.Tensor], None]


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    if x.dtype == torch.float32:
        return F.rms_norm(x, (x.shape[-1],), weight, eps)
    return F.rms_norm(x.float(), (x.shape[-1],), None, eps).to(x.dtype) * weight


def feed_forward(layer: LayerWeights, x: torch.Tensor) -> torch.Tensor:
    gate, up = F.linear(x, layer.gate_up, layer.gate_up_bias).chunk(2, dim=-1)
    return F.linear(F.silu(gate) * up, layer.down, layer.down_bias)


def project_qkv(
    layer: LayerWeights, x: torch.Tensor, config: ModelConfig, cos: torch.Tensor, sin: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries [T, heads, d], keys and values [T, kv_heads, d], rotated to their positions.

    `cos` and `sin` are fp32 [T, d].
    """
    rows, heads, d = x.shape[0], config.heads, config.head_dim
    fused = F.linear(x, layer.qkv, layer.qkv_bias).view(rows, heads + 2 * config.kv_heads, d)
    if layer.q_norm is None or layer.k_norm is None:
        turning = fused[:, : heads + config.kv_heads]
    else:
        turning = torch.cat(
            (
                rms_norm(fused[:, :heads], layer.q_norm, config.norm_eps),
                rms_norm(fused[:, heads : heads + config.kv_heads], layer.k_norm, config.norm_eps),
            ),
            dim=1,
        )
    turned = rotate(turning, cos.to(x.dtype).unsqueeze(1), sin.to(x.dtype).unsqueeze(1))
    return turned[:, :heads], turned[:, heads:], fused[:, heads + config.kv_heads :]


@dataclass(frozen=True)
class Layout:
    """How the tokens of a packed row belong together; all numbers are tokens.

    Sequence i has `lengths[i]` tokens, followed by its branches, `branches[i]` tokens each: they
    continue the sequence and do not see each other. No `branches` at all means that none branches.
    """

    lengths: Sequence[int]
    branches: Sequence[Sequence[int]] = ()
    _masks: dict[tuple[int, int, torch.dtype], torch.Tensor] = field(default_factory=dict)

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

    def mask(self, seen: int, own: int, like: torch.Tensor) -> torch.Tensor:
        """What a branch of `own` tokens must not see of the `seen` before it and of itself."""
        key = (seen, own, like.dtype)
        if key not in self._masks:
            blocked = torch.full((own, seen + own), -math.inf, device=like.device, dtype=like.dtype)
            self._masks[key] = blocked.triu(seen + 1)
        return self._masks[key]


def attend_packed(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, layout: Layout
) -> torch.Tensor:
    """Causal attention inside each sequence of a packed row; returns [T, heads * d]."""
    # Cut once: the gradient of a split is one concatenation, that of a slice a whole row of zeros.
    queries, keys, values = (iter(one.split(layout.runs())) for one in (q, k, v))
    outputs = []
    for length, branches in layout.parts():
        trunk_keys, trunk_values = next(keys), next(values)
        outputs.append(_attend(next(queries), trunk_keys, trunk_values, None))
        for own in branches:
            seen = torch.cat((trunk_keys, next(keys))), torch.cat((trunk_values, next(values)))
            outputs.append(_attend(next(queries), *seen, layout.mask(length, own, q)))
    return torch.cat(outputs).reshape(q.shape[0], -1)


def _attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    """Attention of one sequence, [T, heads, d] each; causal where there is no mask."""
    attended = F.scaled_dot_product_attention(
        q.transpose(0, 1).unsqueeze(0),
        k.transpose(0, 1).unsqueeze(0),
        v.transpose(0, 1).unsqueeze(0),
        attn_mask=mask,
        is_causal=mask is None,
        enable_gqa=q.shape[1] != k.shape[1],
    )
    return attended.squeeze(0).transpose(0, 1)


def run_layer(
    layer: LayerWeights,
    x: torch.Tensor,
    config: ModelConfig,
    angles: tuple[torch.Tensor, torch.Tensor],
    layout: Layout,
    number: int = 0,
    sink: KeyValueSink | None = None,
) -> torch.Tensor:
    """One decoder layer over a packed row [T, hidden]."""
    normed = rms_norm(x, layer.input_norm, config.norm_eps)
    q, k, v = project_qkv(layer, normed, config, *angles)
    if sink is not None:
        sink(number, k, v)
    x = x + F.linear(attend_packed(q, k, v, layout), layer.output, layer.output_bias)
    return x + feed_forward(layer, rms_norm(x, layer.post_norm, config.norm_eps))


def hidden_states(
    weights: Weights,
    ids: torch.Tensor,
    layout: Layout | Sequence[int],
    *,
    sink: KeyValueSink | None = None,
    save_memory: bool = False,
) -> torch.Tensor:
    """Final hidden states [T, hidden] of packed sequences.

    `ids` is int64 [T]; `layout` says which of them belong together, and the lengths of sequences
    without branches are enough. Positions restart at 0 in every sequence.
    `save_memory` recomputes each layer in the backward pass instead of keeping its activations.
    """
    if not isinstance(layout, Layout):
        layout = Layout(layout)
    padding = MIN_ROWS - ids.shape[0]
    if padding > 0:
        # A row this short is one short sequence, or a few: the spare tokens are one more.
        ids = F.pad(ids, (0, padding))
        layout = Layout(
            [*layout.lengths, padding], [*layout.branches, ()] if layout.branches else ()
        )
    positions = layout.positions(ids.device)
    angles = (weights.cos[positions], weights.sin[positions])
    x = F.embedding(ids, weights.embedding, sparse=weights.sparse_embedding)
    for number, layer in enumerate(weights.layers):
        if save_memory:
            x = checkpoint(run_layer, layer, x, weights.config, angles, layout, use_reentrant=False)
        else:
            x = run_layer(layer, x, weights.config, angles, layout, number, sink)
    x = rms_norm(x, weights.norm, weights.config.norm_eps)
    return x[:-padding] if padding > 0 else x


def logits_of(weights: Weights, hidden: torch.Tensor) -> torch.Tensor:
    """fp32 logits [T, vocab] of hidden states [T, hidden]."""
    padding = MIN_ROWS - hidden.shape[0]
    if padding > 0:
        return F.linear(F.pad(hidden, (0, 0, 0, padding)), weights.head)[:-padding].float()
    return F.linear(hidden, weights.head).float()
