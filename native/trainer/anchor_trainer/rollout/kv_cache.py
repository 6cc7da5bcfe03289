"""Key/value memory of the running rows: one slot each, packed towards slot 0."""

from __future__ import annotations

import torch

from ..model.config import ModelConfig

# Positions are attended to in blocks of this many. Fixed-size blocks mean that the same
# multiplications are done for a row whatever the lengths of its neighbours.
BLOCK = 64


class KeyValueCache:
    """Slots of keys and values per layer, each [slots, kv_heads, capacity, head_dim].

    Capacity grows by doubling up to `longest` positions: most rows are far shorter than the
    longest allowed, and memory should follow what is used.
    """

    def __init__(
        self,
        config: ModelConfig,
        slots: int,
        longest: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.config = config
        self.slots = slots
        self.longest = _round_up(longest)
        self.dtype = dtype
        self.device = device
        self.release()

    def release(self) -> None:
        """Gives all memory back; what was stored is gone."""
        self.capacity = 0
        self.keys: list[torch.Tensor] = []
        self.values: list[torch.Tensor] = []

    def reserve(self, length: int) -> None:
        """Makes room for rows of `length` positions, keeping what is stored."""
        if length <= self.capacity:
            return
        capacity = min(self.longest, max(_round_up(length), 2 * self.capacity, 4 * BLOCK))
        for stores in (self.keys, self.values):
            if not stores:
                stores += [self._zeros(capacity) for _ in range(self.config.layers)]
                continue
            # Layer by layer: only one of them is in memory twice.
            for layer, old in enumerate(stores):
                stores[layer] = self._zeros(capacity)
                stores[layer][:, :, : self.capacity] = old
        self.capacity = capacity

    def _zeros(self, capacity: int) -> torch.Tensor:
        """Zeros, as masked positions are multiplied by 0, and 0 times garbage may be NaN."""
        shape = (self.slots, self.config.kv_heads, capacity, self.config.head_dim)
        return torch.zeros(shape, dtype=self.dtype, device=self.device)

    def fill(self, layer: int, slot: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Stores a prompt's keys and values, each [tokens, kv_heads, head_dim], from position 0."""
        length = keys.shape[0]
        self.keys[layer][slot, :, :length] = keys.transpose(0, 1)
        self.values[layer][slot, :, :length] = values.transpose(0, 1)

    def copy(self, source: int, target: int, length: int) -> None:
        """Copies the first `length` positions of one slot to another."""
        for store in (self.keys, self.values):
            for layer in store:
                layer[target, :, :length] = layer[source, :, :length]

    def append(
        self, layer: int, places: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> None:
        """Stores one position per row; `keys` and `values` are [rows, kv_heads, head_dim]."""
        d = self.config.head_dim
        self.keys[layer].view(-1, d).index_copy_(0, places, keys.reshape(-1, d))
        self.values[layer].view(-1, d).index_copy_(0, places, values.reshape(-1, d))

    def places(self, positions: torch.Tensor) -> torch.Tensor:
        """Where row b's position `positions[b]` lies for every head, for `append`."""
        heads = self.config.kv_heads
        rows = torch.arange(len(positions) * heads, device=self.device)
        return rows * self.capacity + positions.repeat_interleave(heads)

    def byte_count(self) -> int:
        stores = [*self.keys, *self.values]
        return sum(tensor.numel() * tensor.itemsize for tensor in stores)


def blocks_of(length: int) -> int:
    """How many blocks hold `length` positions."""
    return -(-length // BLOCK)


def _round_up(length: int) -> int:
    return blocks_of(length) * BLOCK
