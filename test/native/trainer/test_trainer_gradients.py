"""The update's gradients against autograd on a padded batch of the plain transformers model."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from tiny_models import CONFIGS
from update_batches import ONE_BATCH, QUIET, gradients, items, loss_spec, updater


def padded_reference(folder, chosen, loss_of):
    """Gradients of `loss_of(logp, old, advantage, mask)` on a right-padded batch."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    longest = max(len(i.rollout.prompt_ids) + len(i.rollout.new_ids) for i in chosen)
    ids = torch.zeros(len(chosen), longest, dtype=torch.long)
    attention = torch.zeros(len(chosen), longest, dtype=torch.long)
    mask = torch.zeros(len(chosen), longest - 1)
    old = torch.zeros(len(chosen), longest - 1)
    for row, item in enumerate(chosen):
        start, new = len(item.rollout.prompt_ids), len(item.rollout.new_ids)
        both = np.concatenate([item.rollout.prompt_ids, item.rollout.new_ids])
        ids[row, : len(both)] = torch.from_numpy(both).long()
        attention[row, : len(both)] = 1
        mask[row, start - 1 : start - 1 + new] = 1
        old[row, start - 1 : start - 1 + new] = torch.from_numpy(item.rollout.logp)
    logits = model(ids, attention_mask=attention).logits[:, :-1]
    logp = torch.log_softmax(logits, -1).gather(2, ids[:, 1:, None])[..., 0]
    advantage = torch.tensor([i.advantage for i in chosen])[:, None]
    loss_of(logp, old, advantage, mask).backward()
    return {name: p.grad for name, p in model.named_parameters()}


def clipped(logp, old, advantage, low=0.2, high=0.28):
    ratio = (logp - old).exp()
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)


def token_mean(logp, old, advantage, mask):
    return (clipped(logp, old, advantage) * mask).sum() / mask.sum()


@pytest.mark.parametrize("kind", CONFIGS)
def test_gradients_equal_autograd_on_the_padded_reference(models, kind):
    loss = loss_spec(level="token", agg="token-mean", clipLow=0.2, clipHigh=0.28)
    ours = gradients(updater(models(kind)), items(), loss)
    theirs = padded_reference(models(kind), items(), token_mean)
    assert set(ours) == set(theirs)
    for name, gradient in theirs.items():
        torch.testing.assert_close(ours[name], gradient, atol=1e-5, rtol=1e-4, msg=name)


def test_sequence_means_and_micro_batches_equal_their_definitions(models):
    def per_sequence(logp, old, advantage, mask):
        losses = clipped(logp, old, advantage) * mask
        return (losses.sum(1) / mask.sum(1)).mean()

    def sums(logp, old, advantage, mask):
        return (clipped(logp, old, advantage) * mask).sum(1).mean()

    def micro_of_two(logp, old, advantage, mask):
        losses = clipped(logp, old, advantage) * mask
        parts = [losses[at : at + 2].sum() / mask[at : at + 2].sum() for at in (0, 2, 4)]
        return torch.stack(parts).mean()

    for agg, reference in (
        ("seq-mean-token-mean", per_sequence),
        ("seq-mean-token-sum", sums),
        ({"micro": 2}, micro_of_two),
    ):
        loss = loss_spec(agg=agg, clipLow=0.2, clipHigh=0.28)
        ours = gradients(updater(models("qwen2-gqa")), items(), loss)
        for name, gradient in padded_reference(models("qwen2-gqa"), items(), reference).items():
            torch.testing.assert_close(ours[name], gradient, atol=1e-4, rtol=1e-4, msg=str(agg))


def test_a_sequence_level_ratio_is_the_geometric_mean_of_its_tokens(models):
    def sequence_level(logp, old, advantage, mask):
        ratio = (((logp - old) * mask).sum(1) / mask.sum(1)).exp()[:, None]
        limited = ratio.clamp(0.8, 1.28)
        losses = -torch.minimum(ratio * advantage, limited * advantage) * mask
        return losses.sum() / mask.sum()

    loss = loss_spec(level="sequence", clipLow=0.2, clipHigh=0.28)
    ours = gradients(updater(models("qwen2-gqa")), items(), loss)
    for name, gradient in padded_reference(models("qwen2-gqa"), items(), sequence_level).items():
        torch.testing.assert_close(ours[name], gradient, atol=1e-5, rtol=1e-4)


def test_dual_clip_kl_and_entropy_equal_their_definitions(models):
    base = AutoModelForCausalLM.from_pretrained(models("qwen2-mha"), dtype=torch.float32)

    def full(logp, old, advantage, mask):
        # The reference is the same model, so the KL term has value 0 and, for k1, gradient 1.
        policy = clipped(logp, old, advantage)
        policy = torch.where(advantage < 0, torch.minimum(policy, -3 * advantage), policy)
        return ((policy + 0.5 * (logp - logp.detach())) * mask).sum() / mask.sum()

    loss = loss_spec(clipHigh=0.28, dualClip=3.0, kl={"coef": 0.5, "estimator": "k1"})
    subject = updater(models("qwen2-mha"), reference=models("qwen2-mha"))
    chosen = items(old_shift=-6.0)
    ours = gradients(subject, chosen, loss)
    theirs = padded_reference(models("qwen2-mha"), chosen, full)
    for name, gradient in theirs.items():
        torch.testing.assert_close(ours[name], gradient, atol=1e-5, rtol=1e-3, msg=name)

    one = items(lengths=[(6, 9)], advantages=[0.0])
    ours = gradients(updater(models("qwen2-mha")), one, loss_spec(entropyCoef=0.1))
    ids = torch.from_numpy(np.concatenate([one[0].rollout.prompt_ids, one[0].rollout.new_ids]))
    logp = torch.log_softmax(base(ids.long()[None]).logits[0, 5:14], -1)
    (0.1 * (logp.exp() * logp).sum(-1).mean()).backward()
    for name, parameter in base.named_parameters():
        torch.testing.assert_close(ours[name], parameter.grad, atol=1e-6, rtol=1e-4, msg=name)


def test_kl_estimators_agree_on_zero_and_k3_is_never_negative(models):
    for estimator in ("k1", "k2", "k3"):
        subject = updater(models("qwen2-gqa"), reference=models("qwen2-gqa"))
        loss = loss_spec(kl={"coef": 1.0, "estimator": estimator})
        result = subject.apply(items(), loss, ONE_BATCH, 0.05, QUIET)
        assert abs(result["kl"]["ref"]) < 1e-6
        moved = subject.apply(items(), loss, ONE_BATCH, 0.05, QUIET)["kl"]["ref"]
        assert estimator == "k1" or moved > 0
