"""Keys and values in blocks: rows keep what they hold, and hold little more than that."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.model.weights import Weights
from anchor_trainer.rollout import block_attention, kv_cache
from anchor_trainer.rollout.kv_cache import BLOCK, SHARED_BLOCKS, KeyValueCache, blocks_of
from anchor_trainer.rollout.scheduler import Scheduler
from sampling_requests import request_of

CPU = torch.device("cpu")
LONGEST = 600
SLOTS = 6


class Mirror:
    """Rows of a cache, and beside them everything that was stored, row by row."""

    def __init__(self, config, seed):
        self.config = config
        self.cache = KeyValueCache(config, SLOTS, LONGEST, torch.float32, CPU)
        self.draws = np.random.default_rng(seed)
        self.held: list[list[torch.Tensor]] = []  # of each row, by layer: [2, positions, heads, d]
        self.prompts: list[int] = []

    def fresh(self, positions):
        shape = 2, positions, self.config.kv_heads, self.config.head_dim
        return [
            torch.from_numpy(self.draws.normal(size=shape).astype(np.float32))
            for _ in range(self.config.layers)
        ]

    def begin(self):
        slot, length = len(self.held), int(self.draws.integers(1, LONGEST - 80))
        self.cache.reserve(np.array([slot]), np.array([length]))
        self.held.append(self.fresh(length))
        self.prompts.append(length)
        for layer, (keys, values) in enumerate(self.held[-1]):
            self.cache.fill(layer, slot, keys, values)

    def share(self):
        source, target = int(self.draws.integers(len(self.held))), len(self.held)
        length = self.prompts[source]
        self.cache.share(source, target, length)
        self.held.append([one[:, :length].clone() for one in self.held[source]])
        self.prompts.append(length)

    def grow(self):
        lengths = np.array([one[0].shape[1] for one in self.held])
        self.cache.reserve(np.arange(len(lengths)), lengths + 1)
        self.cache.close_gaps()
        places, added = self.cache.places(lengths), self.fresh(len(lengths))
        for layer, (keys, values) in enumerate(added):
            self.cache.append(layer, places, keys, values)
            for row, held in enumerate(self.held):
                held[layer] = torch.cat((held[layer], added[layer][:, row : row + 1]), dim=1)

    def end(self):
        slot, last = int(self.draws.integers(len(self.held))), len(self.held) - 1
        self.cache.free(slot)
        if slot != last:
            self.cache.move(last, slot)
        for rows in (self.held, self.prompts):
            rows[slot] = rows[-1]
            rows.pop()

    def check(self):
        cache, owned = self.cache, []
        for slot, held in enumerate(self.held):
            shared = cache.shared[slot]
            first = 0 if shared is None else len(shared)
            blocks = cache.table[slot, first : cache.counts[slot]]
            owned += blocks.tolist()
            assert (cache.owners[blocks] == slot).all()
            assert cache.ordinals[blocks].tolist() == list(range(first, cache.counts[slot]))
            assert cache.counts[slot] == blocks_of(held[0].shape[1])
            for layer, expected in enumerate(held):
                for which, stores in enumerate((cache.keys, cache.values)):
                    parts = [stores[layer][torch.from_numpy(blocks)]]
                    if shared is not None:
                        apart = shared.keys if which == 0 else shared.values
                        parts.insert(0, apart[layer])
                    rows = torch.cat(parts).transpose(1, 2).flatten(0, 1)
                    assert torch.equal(rows[: expected.shape[1]], expected[which])
        assert len(set(owned)) == len(owned) <= cache.used <= cache.capacity
        assert cache.capacity <= SLOTS * blocks_of(LONGEST)
        cache.close_gaps()
        assert cache.used == len(owned)


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_that_begin_grow_share_move_and_end_hold_what_was_stored(models, seed):
    mirror = Mirror(read_config(models("one-layer")), seed)
    done: dict[str, int] = {}
    shared = 0
    for _ in range(300):
        few, rows = LONGEST, len(mirror.held)
        for held in mirror.held:
            few = min(few, LONGEST - held[0].shape[1])
        able = {
            "begin": rows < SLOTS,
            "share": 0 < rows < SLOTS,
            "grow": rows > 0 and few > 0,
            "end": rows > 0,
        }
        # Rows grow more often than they begin, as they do.
        choices = [name for name, may in able.items() if may] + ["grow"] * (
            2 if able["grow"] else 0
        )
        chosen = str(mirror.draws.choice(choices))
        getattr(mirror, chosen)()
        done[chosen] = done.get(chosen, 0) + 1
        shared += any(one is not None for one in mirror.cache.shared)
        mirror.check()
    assert min(done.values()) > 20 and len(done) == 4 and shared > 20


def test_memory_follows_the_tokens_that_are_there(models):
    """24 rows of 50 to 1,000 tokens: whole rows of the longest would take 1.8 times as much."""
    config = read_config(models("one-layer"))
    cache = KeyValueCache(config, 24, 1024, torch.float32, CPU)
    lengths = np.random.default_rng(7).integers(50, 1001, 24)
    per_token = 2 * 4 * config.layers * config.kv_heads * config.head_dim
    for slot, length in enumerate(lengths):
        cache.reserve(np.array([slot]), np.array([length]))
    assert cache.byte_count() <= 1.2 * lengths.sum() * per_token
    full = cache.byte_count()
    for _ in range(3):  # others take what ended rows had
        for slot in range(23, 11, -1):
            cache.free(slot)
        for slot in range(12, 24):
            cache.reserve(np.array([slot]), lengths[slot : slot + 1])
    assert cache.byte_count() == full
    cache.release()
    assert cache.byte_count() == 0

    prompt = SHARED_BLOCKS * BLOCK + 20
    cache.reserve(np.array([0]), np.array([prompt]))
    for slot in range(1, 24):
        cache.share(0, slot, prompt)
    assert cache.byte_count() <= 0.4 * 24 * prompt * per_token


@pytest.fixture
def sampled(models):
    """Rollouts of two prompts, four of each, and of a shorter one, with so many rows at a time."""
    folder = models("one-layer")
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), CPU)
    tokenizer = load_tokenizer(folder, config)

    def run(slots):
        scheduler, told = Scheduler(weights, tokenizer, slots, 256), {}
        request_of(scheduler, 1, [150, 20, 199], told, longest=50, n=4)
        apart = 0
        while scheduler.busy:
            scheduler.step()
            apart = max(apart, len({id(one) for one in scheduler.cache.shared if one is not None}))
        return told["rollouts"], apart

    return run


def test_answers_to_a_shared_prompt_have_the_bits_of_answers_to_copies_of_it(sampled, monkeypatch):
    monkeypatch.setattr(kv_cache, "SHARED_BLOCKS", 100)
    copied, apart = sampled(12)
    assert apart == 0 and len(copied) == 12
    monkeypatch.setattr(kv_cache, "SHARED_BLOCKS", 1)
    shared, apart = sampled(12)
    assert apart == 2 and shared == copied
    few, apart = sampled(5)  # some of a prompt wait while others of it end
    assert apart > 0 and few == copied


def test_products_that_a_gpu_would_compute_are_those_of_the_cpu(sampled, monkeypatch):
    monkeypatch.setattr(kv_cache, "SHARED_BLOCKS", 1)
    ours, _ = sampled(12)
    monkeypatch.setattr(block_attention, "_is_for_numpy", lambda device: False)
    theirs, _ = sampled(12)
    for name, (tokens, logp) in ours.items():
        assert theirs[name][0] == tokens
        assert theirs[name][1] == pytest.approx(logp, abs=1e-4)
