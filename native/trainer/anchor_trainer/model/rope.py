"""Rotary position embedding: the angles of each position, and their application."""

from __future__ import annotations

import math

import torch

from .config import ModelConfig


def inverse_frequencies(config: ModelConfig) -> torch.Tensor:
    """One angular step per pair of dimensions, fp32 [head_dim / 2]."""
    exponent = torch.arange(0, config.head_dim, 2, dtype=torch.float32) / config.head_dim
    steps = 1.0 / (config.rope_theta**exponent)
    if config.rope_llama3 is not None:
        return steps / llama3_divisors(config)
    return steps / config.rope_linear_factor


def llama3_divisors(config: ModelConfig) -> torch.Tensor:
    """How much Llama 3.1's scaling slows each pair down, fp32 [head_dim / 2], at least 1.

    Short wavelengths are left alone, long ones are slowed by the full factor, and those between
    are blended linearly in the number of turns they make over the original context.
    """
    scaling = config.rope_llama3
    assert scaling is not None
    exponent = torch.arange(0, config.head_dim, 2, dtype=torch.float32) / config.head_dim
    wavelength = 2 * math.pi * config.rope_theta**exponent
    turns = scaling.original_context / wavelength
    share = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor)
    share = share.clamp(0.0, 1.0)
    return 1.0 / (share + (1.0 - share) / scaling.factor)


def angle_table(config: ModelConfig, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of positions 0..length-1, each fp32 [length, head_dim]."""
    positions = torch.arange(length, dtype=torch.float32)
    angles = torch.outer(positions, inverse_frequencies(config))
    doubled = torch.cat((angles, angles), dim=-1)
    return doubled.cos(), doubled.sin()


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotates the last dimension of `x` in (first half, second half) pairs."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
