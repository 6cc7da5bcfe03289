"""A lean Qwen2 for training: fused projections, causal attention without a padding mask.

Computes the same function as transformers' Qwen2ForCausalLM (tests compare them); rows are padded
on the right, so a causal mask alone keeps padding from reaching real tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Architecture:
    vocabulary: int = 768
    width: int = 192
    layers: int = 6
    heads: int = 6
    key_value_heads: int = 2
    feed_forward: int = 512
    context: int = 1024
    rope_theta: float = 10_000.0
    epsilon: float = 1e-6

    @property
    def head_width(self) -> int:
        return self.width // self.heads


class Block(nn.Module):
    def __init__(self, shape: Architecture) -> None:
        super().__init__()
        self.shape = shape
        key_value = shape.key_value_heads * shape.head_width
        self.sizes = [shape.width, key_value, key_value]
        self.attention_norm = nn.Parameter(torch.ones(shape.width))
        self.query_key_value = nn.Linear(shape.width, sum(self.sizes))
        self.attention_out = nn.Linear(shape.width, shape.width, bias=False)
        self.feed_forward_norm = nn.Parameter(torch.ones(shape.width))
        self.gate_up = nn.Linear(shape.width, 2 * shape.feed_forward, bias=False)
        self.down = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def forward(self, hidden: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """`hidden` is [rows, length, width]; cosine and sine are [length, head width]."""
        shape = self.shape
        rows, length, _ = hidden.shape
        normed = F.rms_norm(hidden, (shape.width,), self.attention_norm, shape.epsilon)
        parts = self.query_key_value(normed).view(rows, length, -1, shape.head_width)
        rotated_heads = shape.heads + shape.key_value_heads
        rotated = rotate(parts[:, :, :rotated_heads].transpose(1, 2), cosine, sine)
        value = parts[:, :, rotated_heads:].transpose(1, 2)
        mixed = attend(rotated[:, : shape.heads], rotated[:, shape.heads :], value)
        hidden = hidden + self.attention_out(mixed.transpose(1, 2).reshape(rows, length, -1))
        normed = F.rms_norm(hidden, (shape.width,), self.feed_forward_norm, shape.epsilon)
        gate, up = self.gate_up(normed).chunk(2, -1)
        fed: Tensor = self.down(F.silu(gate) * up)
        return hidden + fed


def rotate(vectors: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary embedding in the rotate-half layout of Qwen2; vectors are [.., length, head width]."""
    first, second = vectors.chunk(2, -1)
    return vectors * cosine + torch.cat((-second, first), -1) * sine


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention, [rows, heads, length, head width]; query heads share key-value heads.

    On CPU the plain form is used: at these lengths PyTorch's blocked kernel is slower, its
    backward pass in bfloat16 by a factor of five.
    """
    rows, heads, length, width = query.shape
    groups = key.shape[1]
    if query.device.type != "cpu":
        return F.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=heads != groups
        )
    future = torch.full((length, length), float("-inf")).triu(1)
    folded = query.reshape(rows, groups, heads // groups * length, width)
    scores = (folded @ key.mT).float().view(rows, heads, length, length)
    weights = torch.softmax(torch.add(future, scores, alpha=width**-0.5), -1).to(value.dtype)
    mixed = weights.view(rows, groups, heads // groups * length, length) @ value
    return mixed.view(rows, heads, length, width)


class TrainingModel(nn.Module):
    cosine: Tensor
    sine: Tensor

    def __init__(self, shape: Architecture, seed: int) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.empty(shape.vocabulary, shape.width))
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.Parameter(torch.ones(shape.width))
        half = torch.arange(0, shape.head_width, 2).float() / shape.head_width
        angles = torch.outer(torch.arange(shape.context).float(), shape.rope_theta**-half)
        self.register_buffer("cosine", torch.cat((angles, angles), -1).cos(), persistent=False)
        self.register_buffer("sine", torch.cat((angles, angles), -1).sin(), persistent=False)
        self._initialise(torch.Generator().manual_seed(seed))

    def layers(self) -> Iterator[Block]:
        return (cast(Block, block) for block in self.blocks)

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        """Matrices by fan-in; those that write to the residual stream are scaled by its depth."""
        self.embedding.normal_(std=0.02, generator=generator)
        for name, parameter in self.blocks.named_parameters():
            if parameter.dim() == 2:
                deviation = 0.6 / math.sqrt(parameter.shape[1])
                if "attention_out" in name or "down" in name:
                    deviation /= math.sqrt(2 * self.shape.layers)
                parameter.normal_(std=deviation, generator=generator)
            elif name.endswith("bias"):
                parameter.zero_()

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits [rows, length, vocabulary] for token ids [rows, length]."""
        length = tokens.shape[1]
        hidden = F.embedding(tokens, self.embedding)
        for block in self.layers():
            hidden = block(hidden, self.cosine[:length], self.sine[:length])
        hidden = F.rms_norm(hidden, (self.shape.width,), self.norm, self.shape.epsilon)
        return F.linear(hidden, self.embedding)
