"""Key/value memory of the running rows, in blocks that rows take as they grow and give back.

A row has a table of blocks, so memory follows the tokens that are there and not the longest row.
What rows of one prompt have in common is stored once. All blocks in use lie at the beginning of
one pool: whoever reads the pool reads what is needed, in place and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch

from ..model.config import ModelConfig

# Positions of a block. Attention multiplies block by block, so the same products are computed for
# a row whatever the lengths of its neighbours.
BLOCK = 64
# Shorter beginnings are copied to each row: a product of its own for each of them would take
# longer than what it saves.
SHARED_BLOCKS = 4
# A pool that is full grows by this part of itself, and by a block for every slot at least.
GROWTH = 1 / 8


@dataclass(eq=False)
class SharedBlocks:
    """The first whole blocks of a prompt, read by several rows; one store for each layer.

    Keys and values are [blocks, kv_heads, BLOCK, head_dim].
    """

    keys: list[torch.Tensor]
    values: list[torch.Tensor]
    slots: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.keys[0])


class KeyValueCache:
    """Blocks of keys and values for each layer, [capacity, kv_heads, BLOCK, head_dim].

    `slots` rows at a time, of up to `longest` positions each.
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
        self.longest = longest
        self.dtype = dtype
        self.device = device
        self.slots = slots
        self.release()

    def release(self, slots: int | None = None) -> None:
        """Gives all memory back; what was stored is gone. There are `slots` rows from now on."""
        if slots is not None:
            self.slots = slots
        self.keys: list[torch.Tensor] = []
        self.values: list[torch.Tensor] = []
        self.capacity = 0
        self.used = 0  # blocks at the beginning of the pool that belong to rows, and holes
        self._holes: list[int] = []
        # Of a slot: its blocks in order, how many there are, and how many of these are shared
        # ones, whose places in the table mean nothing.
        self.table = np.zeros((self.slots, blocks_of(self.longest)), np.int64)
        self.counts = np.zeros(self.slots, np.int64)
        self.shared: list[SharedBlocks | None] = [None] * self.slots
        # Of a block: its row, and which block of it this is.
        self.owners = np.zeros(0, np.int64)
        self.ordinals = np.zeros(0, np.int64)

    def reserve(self, slots: np.ndarray, lengths: np.ndarray) -> None:
        """Gives rows the blocks that they lack for `lengths` positions; both are int64 [rows]."""
        missing = np.maximum(-(-lengths // BLOCK) - self.counts[slots], 0)
        if not missing.any():
            return
        owners = np.repeat(slots, missing)
        first = np.cumsum(missing) - missing
        ordinals = np.arange(len(owners)) - np.repeat(first - self.counts[slots], missing)
        blocks = self._take(len(owners))
        self._give(blocks, owners, ordinals)
        self.counts[slots] += missing

    def free(self, slot: int) -> None:
        """Ends a row: other rows take its blocks."""
        shared = self.shared[slot]
        if shared is not None:
            shared.slots.remove(slot)
            self.shared[slot] = None
        self._holes += self._own(slot, 0 if shared is None else len(shared)).tolist()
        self.counts[slot] = 0

    def move(self, source: int, target: int) -> None:
        """Makes a row that of a free slot; nothing is copied."""
        shared = self.shared[source]
        first = 0 if shared is None else len(shared)
        self.owners[self._own(source, first)] = target
        self.table[target] = self.table[source]
        self.counts[target], self.counts[source] = self.counts[source], 0
        self.shared[target], self.shared[source] = shared, None
        if shared is not None:
            shared.slots.remove(source)
            shared.slots.add(target)

    def share(self, source: int, target: int, length: int) -> None:
        """Begins a row with the first `length` positions of another one.

        Whole blocks become the property of both; the rest is copied.
        """
        shared = self.shared[source]
        if shared is None and length // BLOCK >= SHARED_BLOCKS:
            shared = self._set_apart(source, length // BLOCK)
        first = 0
        if shared is not None:
            first = len(shared)
            shared.slots.add(target)
            self.shared[target] = shared
        self.counts[target] = first
        self.reserve(np.array([target]), np.array([length]))
        copied = self._indices(self._own(source, first)[: blocks_of(length) - first])
        places = self._indices(self._own(target, first))
        for store in (*self.keys, *self.values):
            store.index_copy_(0, places, store[copied])

    def fill(self, layer: int, slot: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Stores a prompt's keys and values, each [tokens, kv_heads, head_dim], from position 0."""
        whole, rest = divmod(len(keys), BLOCK)
        blocks = self._own(slot, 0)
        places = self._indices(blocks[:whole])
        for store, given in ((self.keys[layer], keys), (self.values[layer], values)):
            by_block = given[: whole * BLOCK].unflatten(0, (whole, BLOCK)).transpose(1, 2)
            store.index_copy_(0, places, by_block)
            if rest:
                store[blocks[whole], :, :rest] = given[whole * BLOCK :].transpose(0, 1)

    def append(
        self, layer: int, places: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> None:
        """Stores one position per row; `keys` and `values` are [rows, kv_heads, head_dim]."""
        d = self.config.head_dim
        self.keys[layer].view(-1, d).index_copy_(0, places, keys.reshape(-1, d))
        self.values[layer].view(-1, d).index_copy_(0, places, values.reshape(-1, d))

    def places(self, positions: np.ndarray) -> torch.Tensor:
        """Where row b's position `positions[b]` lies for every head, for `append`."""
        rows = np.arange(len(positions))
        blocks = self.table[rows, positions // BLOCK]
        heads = blocks[:, None] * self.config.kv_heads + np.arange(self.config.kv_heads)
        return self._indices((heads * BLOCK + (positions % BLOCK)[:, None]).reshape(-1))

    def close_gaps(self) -> None:
        """Moves the last blocks into those that ended rows left, so that the pool has none."""
        if not self._holes:
            return
        kept = self.used - len(self._holes)
        is_hole = np.zeros(self.used, bool)
        is_hole[self._holes] = True
        targets = np.flatnonzero(is_hole[:kept])
        sources = kept + np.flatnonzero(~is_hole[kept:])
        if len(targets):
            from_, to = self._indices(sources), self._indices(targets)
            for store in (*self.keys, *self.values):
                store.index_copy_(0, to, store[from_])
            self._give(targets, self.owners[sources], self.ordinals[sources])
        self.used = kept
        self._holes = []

    def byte_count(self) -> int:
        apart = {id(one): one for one in self.shared if one is not None}.values()
        stores = [*self.keys, *self.values]
        stores += [store for one in apart for store in (*one.keys, *one.values)]
        return sum(store.numel() * store.itemsize for store in stores)

    def _own(self, slot: int, first: int) -> np.ndarray:
        """A row's blocks of the pool from its block `first` on."""
        found: np.ndarray = self.table[slot, first : self.counts[slot]]
        return found

    def _set_apart(self, slot: int, count: int) -> SharedBlocks:
        """Takes the first blocks of a row out of the pool, to be shared."""
        blocks = self._own(slot, 0)[:count].copy()
        places = self._indices(blocks)
        shared = SharedBlocks(
            [store[places] for store in self.keys], [store[places] for store in self.values], {slot}
        )
        self.shared[slot] = shared
        self._holes += blocks.tolist()
        return shared

    def _take(self, count: int) -> np.ndarray:
        """Blocks that belong to no row, int64 [count]: first those that ended rows left."""
        found, self._holes = self._holes[:count], self._holes[count:]
        fresh = count - len(found)
        self._grow(self.used + fresh)
        blocks = np.array([*found, *range(self.used, self.used + fresh)], np.int64)
        self.used += fresh
        return blocks

    def _give(self, blocks: np.ndarray, owners: np.ndarray, ordinals: np.ndarray) -> None:
        self.table[owners, ordinals] = blocks
        self.owners[blocks] = owners
        self.ordinals[blocks] = ordinals

    def _grow(self, wanted: int) -> None:
        """Makes room for so many blocks, keeping what is stored."""
        if wanted <= self.capacity:
            return
        most = self.slots * blocks_of(self.longest)
        capacity = max(wanted, self.capacity + max(self.slots, int(GROWTH * self.capacity)))
        capacity = max(wanted, min(capacity, most))
        shape = (capacity, self.config.kv_heads, BLOCK, self.config.head_dim)
        for stores in (self.keys, self.values):
            for layer in range(self.config.layers):
                # Zeros, as positions behind a row's end are multiplied by 0, and 0 times garbage
                # may be no number. Layer by layer: only one of them is in memory twice.
                grown = torch.empty(shape, dtype=self.dtype, device=self.device)
                if layer < len(stores):
                    grown[: self.used] = stores[layer][: self.used]
                    stores[layer] = grown
                else:
                    stores.append(grown)
                grown[self.used :] = 0
        more = np.zeros(capacity - self.capacity, np.int64)
        self.owners = np.concatenate([self.owners, more])
        self.ordinals = np.concatenate([self.ordinals, more])
        self.capacity = capacity

    def _indices(self, found: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(found).to(self.device)


def blocks_of(length: int) -> int:
    """How many blocks hold `length` positions."""
    return -(-length // BLOCK)
