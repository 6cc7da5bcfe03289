"""Counter-based randomness: the noise of a token is a function of where it stands.

One uniform number per token, from (item seed, sample index, position), so a replay draws the same
numbers whatever else is in the batch and in whatever order it runs. The mixing function is
SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
"""

from __future__ import annotations

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
MASK = 0xFFFFFFFFFFFFFFFF
# float64 holds 53 bits exactly, so u is uniform on a grid of 2^-53 in [0, 1).
UNIT = 2.0**-53


def mix(value: int) -> int:
    """SplitMix64's output function on one 64-bit integer."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def stream_key(seed: int, index: int) -> int:
    """The 64-bit state from which all noise of one sample derives."""
    return mix((mix((seed + GOLDEN) & MASK) + index * GOLDEN) & MASK)


def uniforms(keys: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """float64 in [0, 1) for each (uint64 key, whole-number token position)."""
    value = keys + (positions.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    value = value ^ (value >> np.uint64(31))
    drawn: np.ndarray = (value >> np.uint64(11)).astype(np.float64) * UNIT
    return drawn


def shuffled(count: int, seed: int) -> list[int]:
    """A permutation of range(count), by Fisher and Yates, from `seed` alone."""
    order = list(range(count))
    key = stream_key(seed, count)
    for last in range(count - 1, 0, -1):
        # The bias of a 64-bit modulus is below 2^-40 for any batch that fits in memory.
        chosen = mix((key + last * GOLDEN) & MASK) % (last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return order
