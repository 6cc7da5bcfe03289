"""The running rows of the continuous batch, as arrays over slots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .noise import stream_key, uniforms
from .records import GenerateRequest, Item
from .sampling import Sampled


@dataclass(eq=False)
class Sample:
    """One of an item's n continuations, waiting or running."""

    request: GenerateRequest
    item: Item
    index: int
    admitted: float = 0.0


class Rows:
    """Slots 0..active-1 are running; every array is indexed by slot."""

    def __init__(self, slots: int, longest: int) -> None:
        self.slots = slots
        self.active = 0
        self.samples: list[Sample | None] = [None] * slots
        self.keys = np.zeros(slots, np.uint64)
        self.length = np.zeros(slots, np.int64)
        self.count = np.zeros(slots, np.int64)
        self.limit = np.zeros(slots, np.int64)
        self.last = np.zeros(slots, np.int64)
        self.temperature = np.zeros(slots, np.float64)
        self.top_k = np.zeros(slots, np.int64)
        self.top_p = np.zeros(slots, np.float64)
        self.stops = np.zeros(slots, np.int64)
        self.entropy = np.zeros(slots, np.float64)
        self.watched = np.zeros(slots, bool)
        self.tokens = np.zeros((slots, longest), np.int32)
        self.logp = np.zeros((slots, longest), np.float32)

    def place(self, slot: int, sample: Sample, longest: int, stops: int) -> None:
        """Starts `sample` in `slot`; `stops` is the number of its stop strings (`Stops`)."""
        sampling, item = sample.request.sampling, sample.item
        self.samples[slot] = sample
        self.keys[slot] = stream_key(item.seed, sample.index)
        self.length[slot] = len(item.prompt)
        self.count[slot] = 0
        self.limit[slot] = min(item.max_new_tokens, longest - len(item.prompt))
        self.temperature[slot] = item.temperature
        self.top_k[slot] = sampling.top_k
        self.top_p[slot] = item.top_p
        self.stops[slot] = stops
        self.entropy[slot] = 0.0
        self.watched[slot] = item.alternatives > 0

    def move(self, source: int, target: int) -> None:
        """Moves a row to a free slot; the cache is moved by the caller."""
        self.samples[target], self.samples[source] = self.samples[source], None
        for array in (
            self.keys,
            self.length,
            self.count,
            self.limit,
            self.last,
            self.temperature,
            self.top_k,
            self.top_p,
            self.stops,
            self.entropy,
            self.watched,
        ):
            array[target] = array[source]
        used = self.count[source]
        self.tokens[target, :used] = self.tokens[source, :used]
        self.logp[target, :used] = self.logp[source, :used]

    def noise(self, slots: np.ndarray) -> np.ndarray:
        return uniforms(self.keys[slots], self.count[slots])

    def accept(self, slots: np.ndarray, drawn: Sampled) -> None:
        """Records one new token per slot."""
        position = self.count[slots]
        self.tokens[slots, position] = drawn.tokens
        self.logp[slots, position] = drawn.logp
        self.entropy[slots] += drawn.entropy
        self.last[slots] = drawn.tokens
        self.count[slots] += 1
