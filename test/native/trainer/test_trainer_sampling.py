"""Drawing tokens from logits: the distribution, its truncations, and packing of rows."""

from __future__ import annotations

import numpy as np
import torch

from anchor_trainer.rollout.noise import shuffled
from anchor_trainer.rollout.sampling import sample
from anchor_trainer.training.packing import fill, pack


def draw(logits, uniform, temperature=1.0, top_k=0, top_p=1.0):
    rows = len(uniform)
    return sample(
        logits.expand(rows, -1),
        np.full(rows, temperature),
        np.full(rows, top_k),
        np.full(rows, top_p),
        np.asarray(uniform),
    )


LOGITS = torch.log(torch.tensor([[0.5, 0.25, 0.125, 0.125]]))


def test_tokens_are_drawn_in_proportion_to_their_probability():
    drawn = draw(LOGITS, (np.arange(8000) + 0.5) / 8000).tokens
    assert np.bincount(drawn, minlength=4).tolist() == [4000, 2000, 1000, 1000]


def test_temperature_sharpens_and_zero_takes_the_likeliest():
    half = draw(LOGITS, (np.arange(8000) + 0.5) / 8000, temperature=0.5)
    weights = np.array([0.25, 0.0625, 0.015625, 0.015625])
    expected = 8000 * weights / weights.sum()
    assert np.abs(np.bincount(half.tokens, minlength=4) - expected).max() <= 1
    np.testing.assert_allclose(half.logp, np.log(weights / weights.sum())[half.tokens], atol=1e-6)
    assert set(draw(LOGITS, [0.0, 0.9, 0.999], temperature=0).tokens) == {0}


def test_top_k_and_top_p_cut_the_tail_and_break_ties_by_token_id():
    spread = (np.arange(800) + 0.5) / 800
    assert np.bincount(draw(LOGITS, spread, top_k=3).tokens, minlength=4)[3] == 0
    assert set(draw(LOGITS, spread, top_p=0.75).tokens) == {0, 1}
    assert set(draw(LOGITS, spread, top_p=0.76).tokens) == {0, 1, 2}
    assert set(draw(LOGITS, spread, top_p=1e-6).tokens) == {0}


def test_a_large_vocabulary_is_cut_where_its_whole_order_says():
    noise = torch.Generator().manual_seed(0)
    logits = torch.randn(6, 2_000, generator=noise) * torch.tensor([[1.0], [2], [3], [4], [6], [9]])
    shares = np.array([0.95, 0.5, 0.99, 0.8, 0.9, 0.95])
    for row, share in enumerate(shares):
        probability = torch.log_softmax(logits[row], -1).exp().double().numpy()
        order = np.argsort(-probability, kind="stable")
        before = np.cumsum(probability[order]) - probability[order]
        kept = order[before < share * probability.sum()]
        # Drawn at the middle of each token's part, every token that stays is met and no other.
        within = np.sort(kept)
        ends = np.cumsum(probability[within])
        middles = (ends - probability[within] / 2) / ends[-1]
        drawn = draw(logits[row : row + 1], middles, top_p=share).tokens
        assert np.array_equal(drawn, within)


def test_the_log_probability_is_of_the_whole_vocabulary_whatever_was_cut():
    one = draw(LOGITS, [0.1], top_k=1)
    np.testing.assert_allclose(one.logp, [np.log(0.5)], atol=1e-6)


def test_an_impossible_token_is_never_drawn_even_at_the_edges():
    logits = torch.tensor([[-float("inf"), 0.0, -float("inf"), 0.0, -float("inf")]])
    edges = [0.0, 0.5 - 2**-53, 0.5, 1 - 2**-53]
    tokens = draw(logits.clamp_min(-1e30), edges).tokens
    assert tokens.tolist() == [1, 1, 3, 3]


def test_shuffled_is_a_permutation_that_depends_on_the_seed():
    assert sorted(shuffled(50, 1)) == list(range(50))
    assert shuffled(50, 1) == shuffled(50, 1) != shuffled(50, 2)
    # Every position sees every value about equally often.
    first = np.bincount([shuffled(5, seed)[0] for seed in range(5000)], minlength=5)
    assert np.abs(first - 1000).max() < 150


def test_packing_keeps_every_sequence_whole_and_rows_within_capacity():
    noise = np.random.default_rng(0)
    lengths = noise.lognormal(4, 0.9, 300).astype(int).clip(1, 500).tolist()
    rows = pack(lengths, 512)
    assert sorted(one for row in rows for one in row) == list(range(300))
    assert all(sum(lengths[one] for one in row) <= 512 for row in rows)
    assert fill(lengths, rows, 512) > 0.95
    assert len(rows) <= 11 / 9 * np.ceil(sum(lengths) / 512) + 1


def test_a_sequence_longer_than_the_capacity_gets_its_own_row():
    assert pack([700, 10, 20], 512) == [[0], [1, 2]]
    assert pack([], 512) == []
