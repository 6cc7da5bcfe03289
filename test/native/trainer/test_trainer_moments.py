"""AdamW's moments in eight bits: near to those in fp32, safe to divide by, saved and resumed."""

from __future__ import annotations

import pytest
import torch

from anchor_trainer.errors import TrainerError
from anchor_trainer.training.moments import BLOCK, BlockwiseMoments, dynamic_numbers
from update_batches import ONE_BATCH, QUIET, items, loss_spec, updater

EIGHT = {"optim": {"kind": "adamw8bit"}}


def kept_of(values, signed):
    """What is left of values after they were kept in eight bits once."""
    moments = BlockwiseMoments({"w": values}, signed=signed)
    count = len(values)
    padded = -(-count // BLOCK) * BLOCK
    room, indices = torch.empty(padded), torch.empty(padded, dtype=torch.int32)
    moments.open("w", 0, count, room, indices).copy_(values)
    moments.close("w", 0, count, room, indices)
    room.fill_(7.0)
    return moments.open("w", 0, count, room, indices).clone(), moments


def test_the_numbers_that_eight_bits_stand_for():
    for signed in (True, False):
        numbers = dynamic_numbers(signed)
        assert len(numbers) == 256 == len(set(numbers.tolist()))
        assert 0.0 in numbers and numbers[-1] == 1.0
        tenths = numbers[(numbers >= 0.1) & (numbers < 1)]
        assert len(tenths) == (64 if signed else 128)
        # Centres of cells of equal width.
        width = 0.9 / len(tenths)
        torch.testing.assert_close(tenths[0], torch.tensor(0.1 + width / 2, dtype=torch.float64))
        torch.testing.assert_close(tenths.diff(), torch.full((len(tenths) - 1,), width).double())
    assert dynamic_numbers(False).min() == 0
    # Symmetric but for 0 and 1, which have no counterpart.
    inner = dynamic_numbers(True)[:-1]
    torch.testing.assert_close(inner, -inner.flip(0))


@pytest.mark.parametrize("signed", [True, False])
def test_a_moment_is_the_nearest_number_of_its_block(signed):
    generator = torch.Generator().manual_seed(2)
    values = torch.randn(5000, generator=generator) * 10 ** torch.randn(5000, generator=generator)
    values = values if signed else values.square()
    values[BLOCK : 2 * BLOCK] = 0  # a block of nothing
    found, moments = kept_of(values, signed)
    for at in range(0, 5000, BLOCK):
        block, kept = values[at : at + BLOCK], found[at : at + BLOCK]
        largest = block.abs().max()
        choices = (dynamic_numbers(signed).float() * largest).unsqueeze(0)
        nearest = (block.unsqueeze(1) - choices).abs().min(1).values
        distance = (block - kept).abs()
        if not signed:
            assert bool((kept[block > 0] > 0).all())
            nearest = torch.where(kept <= choices[0, 1], distance, nearest)
        torch.testing.assert_close(distance, nearest, atol=float(largest) * 1e-6, rtol=1e-5)
        # A negative one has no -1 to be.
        assert kept.abs().max() == largest or largest == -block.min()
    assert moments.byte_count() == BlockwiseMoments.bytes_of(5000) == 5000 + 4 * 20


def test_the_first_step_is_that_of_fp32_and_later_ones_stay_near(models):
    plain, eight = (updater(models("qwen2-mha"), **more) for more in ({}, EIGHT))
    for step in range(8):
        chosen = items(advantages=(1.0, -1.0, 0.5, step, -2.0))
        for subject in (plain, eight):
            subject.apply(chosen, loss_spec(), ONE_BATCH, 1e-3, QUIET)
        theirs = eight.weights.named_views()
        for name, tensor in plain.weights.named_views().items():
            if step == 0:
                assert torch.equal(tensor, theirs[name]), name
    begun = updater(models("qwen2-mha")).weights.named_views()
    ours, theirs = plain.weights.named_views(), eight.weights.named_views()
    ways, others = (
        torch.cat([(one[name] - before).flatten() for name, before in begun.items()])
        for one in (ours, theirs)
    )
    cosine = torch.nn.functional.cosine_similarity(ways, others, dim=0)
    assert cosine > 0.97
    assert 0.95 < float(others.norm() / ways.norm()) < 1.05


def test_small_tensors_keep_their_moments_in_fp32(models):
    subject = updater(models("qwen2-gqa"), **EIGHT)
    state = subject.optimizer.named_state()
    assert state["first.norm"].dtype == torch.float32
    assert state["first.embedding.codes"].dtype == torch.uint8
    assert state["first.embedding.scales"].shape == (320 * 64 // BLOCK,)
    with pytest.raises(TrainerError, match="does not fit the model"):
        subject.optimizer.load_named_state(updater(models("qwen2-gqa")).optimizer.named_state(), 1)
