"""Rounding fp32 to bf16 at random, so that the expected value is the number itself.

A bf16 number has eight significant bits: a change below half of the distance to its neighbour,
0.2 to 0.4 % of the number, is gone when it is rounded to the nearest. Steps of a
reinforcement-learning rate are far below that, so weights kept in bf16 alone would not move.
Rounded up with a probability of how far a number is on its way to the upper neighbour, they move
by the right amount on average (Gupta et al. 2015, Deep learning with limited numerical precision).

The randomness is a function of seed, optimizer step, parameter and element, so a step that is taken
again, in other slices or on another device gives the same bits.
"""

from __future__ import annotations

import hashlib

import torch

from ..rollout.noise import GOLDEN, MASK

# Of the 64 bits of a draw, each element takes as many as rounding to bf16 drops.
ELEMENTS_PER_DRAW = 4
DROPPED = 0xFFFF
# SplitMix64's output function, as `rollout.noise.mix` has it for Python's numbers.
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST_SHIFT = 31


def rounding_key(seed: int, step: int, parameter: str) -> int:
    """The 64-bit state from which the draws of one parameter in one optimizer step derive."""
    path = f"{seed}\0rounding\0{step}\0{parameter}"
    return int.from_bytes(hashlib.sha256(path.encode()).digest()[:8], "little")


def round_into(
    target: torch.Tensor,
    exact: torch.Tensor,
    key: int,
    start: int,
    scratch: tuple[torch.Tensor, torch.Tensor],
) -> None:
    """Rounds `exact`, fp32 [n], into `target`, bf16 [n]; `exact` is spent.

    The numbers are elements `start` (a multiple of ELEMENTS_PER_DRAW) and following of the
    parameter that `key` is of. Both of `scratch` are fp32 of n elements at least, an even number of
    them, and n may be rounded up to a multiple of ELEMENTS_PER_DRAW in them; nothing else is
    allocated. What is not finite stays so.
    """
    count = len(exact)
    drawn = _draw(key, start // ELEMENTS_PER_DRAW, -(-count // ELEMENTS_PER_DRAW), scratch[0])
    noise = scratch[1].view(torch.int32)[:count]
    noise.copy_(drawn.view(torch.int16)[:count]).bitwise_and_(DROPPED)
    # The bits of fp32 are those of bf16 and sixteen more. A random number of sixteen bits that is
    # added to them carries over as often as they are large. Of a negative number the size is
    # rounded, as the sign has a bit of its own.
    exact.view(torch.int32).add_(noise).bitwise_and_(~DROPPED)
    target.copy_(exact)


def _draw(key: int, start: int, count: int, scratch: torch.Tensor) -> torch.Tensor:
    """int64 [count]: the draws `start` and following, as `noise.mix` would give each of them."""
    words = scratch.view(torch.int64)
    drawn, shifted = words[:count], words[count : 2 * count]
    torch.arange(count, out=drawn)
    drawn.mul_(_signed(GOLDEN)).add_(_signed(key + (start + 1) * GOLDEN))
    for places, factor in MIXING:
        _fold(drawn, shifted, places)
        drawn.mul_(_signed(factor))
    _fold(drawn, shifted, LAST_SHIFT)
    return drawn


def _fold(words: torch.Tensor, shifted: torch.Tensor, places: int) -> None:
    """words ^= words >> places, of numbers without a sign."""
    torch.bitwise_right_shift(words, places, out=shifted)
    words.bitwise_xor_(shifted.bitwise_and_((1 << (64 - places)) - 1))


def _signed(value: int) -> int:
    """The 64 low bits of a number, as PyTorch has them: products overflow alike either way."""
    value &= MASK
    return value - (1 << 64) if value >> 63 else value
