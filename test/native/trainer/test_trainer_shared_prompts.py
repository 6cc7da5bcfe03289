"""Prompts that sequences of an update have in common are computed once, and change nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.weights import Weights
from anchor_trainer.training.logprobs import ScoredSequence, packed_logprobs
from anchor_trainer.training.packing import pack, share_prompts
from test_trainer_gradients import padded_reference, token_mean
from tiny_models import CONFIGS
from update_batches import gradients, items, loss_spec, updater


def grouped_items():
    """Three continuations of one prompt and two of another, mixed, and one that stands alone."""
    chosen = items(
        [(12, 7), (30, 2), (12, 20), (9, 4), (12, 1), (30, 15)], (1, -0.5, 2, -1, 0.3, 1)
    )
    prompt_of = {0: 0, 2: 0, 4: 0, 1: 1, 5: 1, 3: 3}
    return [
        replace(
            item, rollout=replace(item.rollout, prompt_ids=chosen[prompt_of[at]].rollout.prompt_ids)
        )
        for at, item in enumerate(chosen)
    ]


def sequences_of(chosen):
    found = []
    for item in chosen:
        ids = np.concatenate([item.rollout.prompt_ids, item.rollout.new_ids])
        found.append(ScoredSequence(torch.from_numpy(ids), len(item.rollout.prompt_ids)))
    return found


def weights_of(folder):
    config = read_config(folder)
    return Weights(config, load_tensors(folder, config), torch.device("cpu"))


@pytest.mark.parametrize("kind", CONFIGS)
def test_gradients_equal_autograd_on_the_padded_reference(models, kind):
    chosen = grouped_items()
    theirs = padded_reference(models(kind), chosen, token_mean)
    for train in ({"packTokens": 256}, {"packTokens": 40}, {"gradCheckpoint": True}):
        ours = gradients(
            updater(models(kind), **train), chosen, loss_spec(clipLow=0.2, clipHigh=0.28)
        )
        assert set(ours) == set(theirs)
        for name, gradient in theirs.items():
            torch.testing.assert_close(ours[name], gradient, atol=1e-5, rtol=1e-4, msg=name)


@torch.no_grad()
def test_log_probabilities_are_those_of_sequences_computed_apart(models):
    weights, row = weights_of(models("qwen2-gqa")), sequences_of(grouped_items())
    together = packed_logprobs(weights, row, 16, share=True)
    apart = packed_logprobs(weights, row, 16)
    for ours, expected in zip(together, apart, strict=True):
        torch.testing.assert_close(ours, expected, atol=2e-6, rtol=1e-5)


@torch.no_grad()
def test_sequences_without_a_common_prompt_keep_their_numbers_to_the_last_bit(models):
    weights, row = weights_of(models("qwen2-gqa")), sequences_of(items())
    together = packed_logprobs(weights, row, 16, share=True)
    apart = packed_logprobs(weights, row, 16)
    assert all(torch.equal(*pair) for pair in zip(together, apart, strict=True))


@torch.no_grad()
def test_a_continuation_does_not_see_its_siblings(models):
    weights, row = weights_of(models("qwen2-gqa")), sequences_of(grouped_items())
    lengths = [one.scored for one in row]
    before = packed_logprobs(weights, row, 16, share=True)[0].split(lengths)
    other = row[2].ids.clone()
    other[row[2].prompt :] += 1
    row[2] = replace(row[2], ids=other)
    after = packed_logprobs(weights, row, 16, share=True)[0].split(lengths)
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        assert torch.equal(old, new) == (index != 2)


def test_units_hold_a_prompt_once_and_fit_the_capacity():
    prompts = [b"a", b"b", b"a", b"a", b"b", b"a"]
    units, sizes = share_prompts(prompts, [10, 5, 10, 10, 5, 10], [4, 3, 4, 4, 3, 9], 20)
    assert units == [[0, 2], [1, 4], [3], [5]]
    assert sizes == [18, 11, 14, 19]
    noise = np.random.default_rng(1)
    shared, own = noise.integers(1, 90, 200).tolist(), noise.integers(1, 90, 200).tolist()
    alone, sizes = share_prompts([str(n).encode() for n in range(200)], shared, own, 128)
    assert alone == [[n] for n in range(200)]
    assert pack(sizes, 128) == pack([a + b for a, b in zip(shared, own, strict=True)], 128)


def test_a_row_holds_what_fits_and_no_more():
    assert pack([3, 3, 3], 6) == [[0, 1], [2]]
    assert pack([5, 4, 2, 1], 6) == [[0, 3], [1, 2]]
    # What is longer than a row has one of its own.
    assert pack([9, 1], 6) == [[0], [1]]
