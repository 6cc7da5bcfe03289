"""Weights in bf16 alone: what an update moves is rounded at random, by the same bits each time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from anchor_trainer.rollout.noise import GOLDEN, MASK, mix
from anchor_trainer.training import optimizer as optimizer_room
from anchor_trainer.training.rounding import round_into, rounding_key
from update_batches import ONE_BATCH, QUIET, items, loss_spec, updater

DRAWS = 1 << 18
KEY = rounding_key(7, 1, "layer.0.qkv")


def rounded(values, key=KEY, start=0):
    length = 4 * -(-len(values) // 4)
    target = torch.empty(len(values), dtype=torch.bfloat16)
    round_into(target, values.clone(), key, start, (torch.empty(length), torch.empty(length)))
    return target


@pytest.mark.parametrize("value", [1.001, -1.001, 3.3e-4, -0.1234567, 2.9e38, 1e-40])
def test_a_number_becomes_one_of_its_neighbours_and_on_average_itself(value):
    exact = torch.full((DRAWS,), value)
    bits = exact[:1].view(torch.int32) & ~0xFFFF
    below = bits.view(torch.float32).bfloat16()
    above = (bits + 0x10000).view(torch.float32).bfloat16()
    found = rounded(exact)
    went_up = (found == above).double()
    assert bool(((found == below) | (found == above)).all())
    share = float((exact[0].double() - below.double()) / (above.double() - below.double()))
    # Five standard errors of a share among DRAWS.
    error = 5 * (share * (1 - share) / DRAWS) ** 0.5
    assert float(went_up.mean()) == pytest.approx(share, abs=error)
    mean = float(found.double().mean())
    spacing = float((above.double() - below.double()).abs())
    assert mean == pytest.approx(float(exact[0]), abs=5 * spacing / 2 / DRAWS**0.5)


def test_numbers_that_bf16_has_stay_as_they_are():
    kept = torch.tensor([0.0, -0.0, 1.0, -0.5, 3.0e38, float("inf"), -float("inf"), 2.0**-126])
    kept = kept.bfloat16().float().repeat(1000)
    assert torch.equal(rounded(kept).float(), kept)


def test_the_draws_are_those_of_the_counter_based_noise():
    """Element 4 i + j takes the j-th sixteen bits of the i-th draw of SplitMix64."""
    fractions = torch.arange(4096) * 16
    exact = (torch.tensor(0x3F800000, dtype=torch.int32) + fractions.int()).view(torch.float32)
    found = rounded(exact, start=400).float().view(torch.int32) > 0x3F800000
    draws = [mix((KEY + (100 + at + 1) * GOLDEN) & MASK) for at in range(1024)]
    halves = np.array(draws, dtype="<u8").view("<u2").astype(int)
    assert found.tolist() == (fractions.numpy() + halves > 0xFFFF).tolist()


def test_seed_step_and_parameter_draw_apart_and_slices_together():
    noise = torch.rand(DRAWS, generator=torch.Generator().manual_seed(1)) + 1
    whole = rounded(noise)
    parts = [rounded(noise[at : at + 1000], start=at) for at in range(0, DRAWS, 1000)]
    assert torch.equal(torch.cat(parts), whole)
    assert torch.equal(rounded(noise), whole)
    errors = whole.double() - noise.double()
    for other in ((8, 1, "layer.0.qkv"), (7, 2, "layer.0.qkv"), (7, 1, "layer.1.qkv")):
        others = rounded(noise, rounding_key(*other)).double() - noise.double()
        # What one rounding does says nothing of what another one does.
        assert abs(float(torch.corrcoef(torch.stack((errors, others)))[0, 1])) < 5 / DRAWS**0.5


def learnt(models, steps, rate, **train):
    """How much an updater's rollouts gained in log-probability of what was rewarded."""
    subject = updater(models("one-layer"), seed=3, **train)
    chosen = items(advantages=(1.0,) * 5)
    losses = []
    for _ in range(steps):
        # At the old log-probabilities of the weights themselves the gradient is the plain one.
        told = subject.apply(chosen, loss_spec(clipLow=1, clipHigh=1e9), ONE_BATCH, rate, QUIET)
        losses.append(told["loss"][0])
    return losses[0] - losses[-1], subject


def test_steps_below_half_a_spacing_are_learnt_from_and_lost_where_the_nearest_is_taken(
    models, monkeypatch
):
    """Twelve steps of 1e-5: of a weight of 0.1 all of them together are a quarter of a spacing."""
    steps, rate = 12, 1e-5
    gained, _ = learnt(models, steps, rate)
    gained_at_random, subject = learnt(models, steps, rate, precision="bf16")
    weights = subject.weights
    assert weights.master is weights.compute
    assert {one.dtype for one in weights.master.values()} == {torch.bfloat16}

    def nearest(target, exact, key, start, scratch):
        target.copy_(exact)

    monkeypatch.setattr(optimizer_room, "round_into", nearest)
    gained_nearest, _ = learnt(models, steps, rate, precision="bf16")
    assert gained > 0
    assert 0.8 * gained < gained_at_random < 1.25 * gained
    assert abs(gained_nearest) < 0.3 * gained


def test_a_step_is_the_same_to_the_bit_whatever_the_slices(models, monkeypatch):
    results = []
    for size in (1 << 18, 4096):
        monkeypatch.setattr(optimizer_room, "SMALL_SLICE", size)
        _, subject = learnt(models, 2, 1e-3, precision="bf16", optim={"kind": "adamw8bit"})
        results.append({**subject.weights.named_views(), **subject.optimizer.named_state()})
    assert all(torch.equal(one, results[1][name]) for name, one in results[0].items())
    assert any(name.endswith(".codes") for name in results[0])
