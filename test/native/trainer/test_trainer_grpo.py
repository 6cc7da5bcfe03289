"""The loss of GRPO against a reading of its publications in numpy, on random batches.

Written from the formulas, without the trainer's code, after how verl computes them: PPO's clip with
bounds of its own to each side (DAPO), the bound of the loss for negative advantages (dual clip, Ye
et al. 2020), Schulman's third estimator of the divergence clamped to both sides, and a mean over
the tokens of each micro-batch. Gradients are those of the same formulas, by hand.
"""

from __future__ import annotations

import json
import math
import subprocess

import numpy as np
import pytest
import torch

from anchor_trainer.training.loss import (
    LossSums,
    TokenBatch,
    kl_penalty,
    token_loss,
    token_weights,
)
from trainer_process import CHECKOUT
from update_batches import loss_spec

CASES = 200  # of each way to add up
LOW, HIGH, DUAL, COEF, CLAMP = 0.2, 0.3, 3.0, 0.01, 10.0


def batch_of(case):
    """Sequences of one to nine tokens; ratios on both sides of every bound, distances beyond 10."""
    noise = np.random.default_rng([20508, case])
    lengths = noise.integers(1, 10, noise.integers(1, 9))
    total = int(lengths.sum())
    logp = -noise.exponential(2.0, total)
    old = logp - noise.normal(0, noise.choice([0.05, 0.4, 1.5]), total)
    reference = logp - noise.normal(0, noise.choice([0.1, 1.0, 4.0]), total)
    rewards = noise.choice([noise.normal(0, 1, len(lengths)), noise.integers(0, 2, len(lengths))])
    return lengths, logp, old, reference, rewards


def group_advantages(rewards):
    """(r - mean) / (deviation + 1e-6), with the unbiased deviation."""
    if len(rewards) < 2:
        return np.zeros(len(rewards))
    return (rewards - rewards.mean()) / (rewards.std(ddof=1) + 1e-6)


def test_the_engine_has_the_same_advantages():
    """`groupNormalized` of electron/core, asked once for all cases."""
    cases = []
    for case in range(3 * CASES):
        rewards = batch_of(case)[4]
        groups = np.random.default_rng([5, case]).integers(0, 3, len(rewards))
        cases.append({"rewards": rewards.tolist(), "groups": groups.tolist()})
    module = json.dumps((CHECKOUT / "electron/core/advantages.ts").as_uri())
    program = f"""
        import {{ groupNormalized }} from {module};
        let text = '';
        for await (const part of process.stdin) text += part;
        const found = JSON.parse(text).map(({{ rewards, groups }}) =>
          ['group', 'batch'].map((scope) =>
            groupNormalized({{ floor: 0, scope }})(
              rewards.map((reward, at) => ({{ reward, tokens: 1, group: String(groups[at]) }})))));
        process.stdout.write(JSON.stringify(found));
    """
    asked = subprocess.run(
        [CHECKOUT / "node_modules/.bin/node", "--input-type=module", "-e", program],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
    )
    for case, (by_group, by_batch) in zip(cases, json.loads(asked.stdout), strict=True):
        rewards, groups = np.array(case["rewards"], float), np.array(case["groups"])
        expected = np.zeros(len(rewards))
        for group in set(groups.tolist()):
            expected[groups == group] = group_advantages(rewards[groups == group])
        np.testing.assert_allclose(by_group, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(by_batch, group_advantages(rewards), rtol=1e-9, atol=1e-9)


def per_token(logp, old, reference, advantage):
    """Loss of each token and its derivative by the token's log-probability, float64."""
    ratio = np.exp(logp - old)
    clipped = np.clip(ratio, 1 - LOW, 1 + HIGH)
    inside = (ratio > 1 - LOW) & (ratio < 1 + HIGH)
    plain, bounded = -advantage * ratio, -advantage * clipped
    policy = np.where(plain > bounded, plain, bounded)
    # Where both are the same the ratio is inside of its bounds, so either derivative is right.
    slope = np.where((plain > bounded) | inside, plain, 0.0)
    most = -advantage * DUAL
    beyond = (advantage < 0) & (policy > most)
    policy, slope = np.where(beyond, most, policy), np.where(beyond, 0.0, slope)
    away = reference - logp
    estimate = np.exp(away) - away - 1
    penalty = np.clip(estimate, -CLAMP, CLAMP)
    slope = slope + COEF * np.where(np.abs(estimate) <= CLAMP, 1 - np.exp(away), 0.0)
    return policy + COEF * penalty, slope


def reduced(values, lengths, agg):
    """The loss of a batch from that of its tokens, and each token's share in it."""
    parts = np.split(values, np.cumsum(lengths)[:-1])
    shares = np.split(np.zeros(len(values)), np.cumsum(lengths)[:-1])
    if agg == "token-mean":
        groups = [range(len(parts))]
    else:
        size = 1 if agg == "seq-mean-token-mean" else agg["micro"]
        groups = [range(at, min(at + size, len(parts))) for at in range(0, len(parts), size)]
    loss = 0.0
    for members in groups:
        tokens = sum(len(parts[one]) for one in members)
        loss += sum(parts[one].sum() for one in members) / tokens / len(groups)
        for one in members:
            shares[one] += 1 / tokens / len(groups)
    return loss, np.concatenate(shares)


SPEC = {
    "clipLow": LOW,
    "clipHigh": HIGH,
    "dualClip": DUAL,
    "kl": {"coef": COEF, "estimator": "k3", "clamp": CLAMP},
}


def ours(spec, lengths, logp, old, reference, advantage):
    """Loss and gradient of the trainer, in float64 so that only the formulas are compared."""
    spread = np.repeat(advantage, lengths)
    leaf = torch.tensor(logp, requires_grad=True)
    weights = np.repeat(token_weights(spec, lengths.tolist(), [1.0] * len(lengths)), lengths)
    batch = TokenBatch(
        logp=leaf,
        entropy=torch.zeros(len(logp)),
        old=torch.tensor(old),
        sampler=torch.tensor(old),
        reference=torch.tensor(reference),
        advantage=torch.tensor(spread),
        weight=torch.tensor(weights),
        lengths=lengths.tolist(),
    )
    loss = token_loss(spec, batch, LossSums())
    loss.backward()
    return loss.item(), leaf.grad.numpy()


@pytest.mark.parametrize(
    ("first", "agg"), list(enumerate(["token-mean", "seq-mean-token-mean", {"micro": 2}])), ids=str
)
def test_loss_and_gradient_equal_the_formulas(first, agg):
    spec = loss_spec(agg=agg, **SPEC)
    seen = np.zeros(4, int)
    for case in range(first, 3 * CASES, 3):
        lengths, logp, old, reference, rewards = batch_of(case)
        advantage = group_advantages(rewards.astype(float))
        spread = np.repeat(advantage, lengths)
        values, slope = per_token(logp, old, reference, spread)
        loss, shares = reduced(values, lengths, agg)
        found, gradient = ours(spec, lengths, logp, old, reference, advantage)
        assert math.isclose(found, loss, rel_tol=1e-10, abs_tol=1e-12), case
        np.testing.assert_allclose(gradient, slope * shares, rtol=1e-9, atol=1e-12)
        ratio, away = np.exp(logp - old), reference - logp
        seen += [
            int(((ratio < 1 - LOW) & (spread < 0)).sum()),
            int(((ratio > 1 + HIGH) & (spread > 0)).sum()),
            int(((ratio > DUAL) & (spread < 0)).sum()),
            int((np.exp(away) - away - 1 > CLAMP).sum()),
        ]
    assert (seen > 30).all(), seen  # every bound was met


def test_without_a_clamp_the_divergence_is_as_it_was():
    lengths, logp, old, reference, rewards = batch_of(2)
    advantage = group_advantages(rewards.astype(float))
    bare = {**SPEC, "kl": {"coef": COEF, "estimator": "k3"}}
    wide = {**SPEC, "kl": {**SPEC["kl"], "clamp": 1e30}}
    one, other = (
        ours(loss_spec(**spec), lengths, logp, old, reference, advantage) for spec in (bare, wide)
    )
    assert one[0] == other[0]
    assert (one[1] == other[1]).all()


def by_hand(spec, log_ratios, lengths, advantages, **changes):
    """Loss and sums where each token counts once and the policy gives it log-probability -1."""
    ratios = torch.tensor(log_ratios, dtype=torch.float64)
    logp = torch.full_like(ratios, -1.0)
    spread = np.repeat(np.array(advantages, float), lengths)
    sums = LossSums()
    batch = {
        "logp": logp,
        "entropy": torch.zeros_like(logp),
        "old": logp - ratios,
        "sampler": logp - ratios,
        "reference": None,
        "advantage": torch.tensor(spread),
        "weight": torch.ones_like(logp),
        "lengths": lengths,
        **changes,
    }
    return token_loss(spec, TokenBatch(**batch), sums).item(), sums


def test_a_sequence_has_one_ratio_the_geometric_mean_of_its_tokens():
    wide = {"clipLow": 0.9, "clipHigh": 9.0}
    loss, sums = by_hand(loss_spec(level="sequence", **wide), [0.1, 0.3, -0.2], [2, 1], [1, 1])
    expected = [math.exp(0.2), math.exp(0.2), math.exp(-0.2)]
    assert loss == pytest.approx(-sum(expected), rel=1e-12)
    assert sums.ratio_max == pytest.approx(math.exp(0.2), rel=1e-12)
    loss, _ = by_hand(loss_spec(level="token", **wide), [0.1, 0.3, -0.2], [2, 1], [1, 1])
    assert loss == pytest.approx(-sum(math.exp(one) for one in (0.1, 0.3, -0.2)), rel=1e-12)


def test_entropy_is_paid_for():
    entropy = torch.tensor([1.0, 2.0], dtype=torch.float64)
    loss, sums = by_hand(loss_spec(entropyCoef=0.5), [0, 0], [2], [0], entropy=entropy)
    assert loss == pytest.approx(-0.5 * (1 + 2), rel=1e-12)
    assert sums.entropy_sum == pytest.approx(3, rel=1e-12)


def test_sums_of_tokens_are_averaged_over_sequences():
    """Two sequences of three and one tokens, the second of twice the weight."""
    of = {
        "seq-mean-token-sum": [1 / 2, 2 / 2],
        "token-mean": [1 / 4, 2 / 4],
        "seq-mean-token-mean": [1 / (2 * 3), 2 / (2 * 1)],
    }
    for aggregation, expected in of.items():
        found = token_weights(loss_spec(agg=aggregation), [3, 1], [1.0, 2.0])
        assert found == pytest.approx(expected, rel=1e-12), aggregation


def test_tokens_weigh_what_the_trainer_gives_them_over_the_sampler_up_to_a_limit():
    spec = loss_spec(tis=2, oldLogprobs="recompute")
    drawn = torch.tensor([-1 - math.log(4), -1 - math.log(0.5)], dtype=torch.float64)
    loss, sums = by_hand(spec, [0, 0], [2], [1], sampler=drawn)
    # Four times as likely here counts as twice, half as likely as half.
    assert loss == pytest.approx(-(2 + 0.5), rel=1e-12)
    assert (sums.importance_sum, sums.truncated) == (pytest.approx(2.5, rel=1e-12), 1)


def test_estimators_of_the_divergence_are_their_formulas_and_bounded_to_both_sides():
    def of(estimator, difference, **more):
        kl = loss_spec(kl={"coef": 1, "estimator": estimator, **more}).kl
        logp = torch.tensor([-1.0], dtype=torch.float64)
        return kl_penalty(kl, logp, logp - difference).item()

    for difference in (0.4, -0.4):
        assert of("k1", difference) == pytest.approx(difference, rel=1e-12)
        assert of("k2", difference) == pytest.approx(0.4**2 / 2, rel=1e-12)
        k3 = math.exp(-difference) - 1 + difference
        assert of("k3", difference) == pytest.approx(k3, rel=1e-12)
    assert [of("k1", difference, clamp=1) for difference in (3, -3)] == [1, -1]


def test_clips_are_counted_where_they_bind_and_the_way_from_the_old_policy_has_its_sign():
    half, double = math.log(0.5), math.log(2)
    spec = loss_spec(clipLow=0.2, clipHigh=0.3)
    _, sums = by_hand(spec, [half, half, double, double], [1] * 4, [1, -1, 1, -1])
    assert (sums.clipped_low, sums.clipped_high) == (1, 1)
    _, sums = by_hand(spec, [double, double, half], [3], [1])
    # The old policy's log-probability less the present one's: minus the log ratios.
    assert sums.kl_old_sum == pytest.approx(-(2 * double + half), rel=1e-12)
