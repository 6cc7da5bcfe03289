"""The forward pass over packed sequences, used for prompts, log-probabilities and training.

Sequences lie one after another in a single row without padding. Attention is computed per
sequence, so a sequence never sees its neighbours and its numbers do not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    if layer.q_norm is None:
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


def attend_packed(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: Sequence[int]
) -> torch.Tensor:
    """Causal attention inside each sequence of a packed row; returns [T, heads * d]."""
    grouped = q.shape[1] != k.shape[1]
    outputs = []
    sizes = list(lengths)
    for one_q, one_k, one_v in zip(q.split(sizes), k.split(sizes), v.split(sizes), strict=True):
        attended = F.scaled_dot_product_attention(
            one_q.transpose(0, 1).unsqueeze(0),
            one_k.transpose(0, 1).unsqueeze(0),
            one_v.transpose(0, 1).unsqueeze(0),
            is_causal=True,
            enable_gqa=grouped,
        )
        outputs.append(attended.squeeze(0).transpose(0, 1))
    return torch.cat(outputs).reshape(q.shape[0], -1)


def run_layer(
    layer: LayerWeights,
    x: torch.Tensor,
    config: ModelConfig,
    angles: tuple[torch.Tensor, torch.Tensor],
    lengths: Sequence[int],
    number: int = 0,
    sink: KeyValueSink | None = None,
) -> torch.Tensor:
    """One decoder layer over a packed row [T, hidden]."""
    normed = rms_norm(x, layer.input_norm, config.norm_eps)
    q, k, v = project_qkv(layer, normed, config, *angles)
    if sink is not None:
        sink(number, k, v)
    x = x + F.linear(attend_packed(q, k, v, lengths), layer.output, layer.output_bias)
    return x + feed_forward(layer, rms_norm(x, layer.post_norm, config.norm_eps))


def hidden_states(
    weights: Weights,
    ids: torch.Tensor,
    lengths: Sequence[int],
    *,
    sink: KeyValueSink | None = None,
    save_memory: bool = False,
) -> torch.Tensor:
    """Final hidden states [T, hidden] of packed sequences.

    `ids` is int64 [T] with T = sum(lengths); positions restart at 0 in every sequence.
    `save_memory` recomputes each layer in the backward pass instead of keeping its activations.
    """
    padding = MIN_ROWS - ids.shape[0]
    if padding > 0:
        ids, lengths = F.pad(ids, (0, padding)), [*lengths, padding]
    positions = torch.cat([torch.arange(n, device=ids.device) for n in lengths])
    angles = (weights.cos[positions], weights.sin[positions])
    x = F.embedding(ids, weights.embedding)
    for number, layer in enumerate(weights.layers):
        if save_memory:
            x = checkpoint(
                run_layer, layer, x, weights.config, angles, lengths, use_reentrant=False
            )
        else:
            x = run_layer(layer, x, weights.config, angles, lengths, number, sink)
    x = rms_norm(x, weights.norm, weights.config.norm_eps)
    return x[:-padding] if padding > 0 else x


def logits_of(weights: Weights, hidden: torch.Tensor) -> torch.Tensor:
    """fp32 logits [T, vocab] of hidden states [T, hidden]."""
    padding = MIN_ROWS - hidden.shape[0]
    if padding > 0:
        return F.linear(F.pad(hidden, (0, 0, 0, padding)), weights.head)[:-padding].float()
    return F.linear(hidden, weights.head).float()
