"""The update against autograd on a padded batch of the plain transformers model."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import torch
from anchor_trainer.errors import TrainerError
from anchor_trainer.model.config import read_config
from anchor_trainer.model.folder import load_fp32
from anchor_trainer.model.weights import Weights
from anchor_trainer.params import Params
from anchor_trainer.rollout.records import Rollout
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import BatchSpec, parse_loss, parse_train
from anchor_trainer.training.update import UpdateHooks, UpdateItem, Updater
from tiny_models import CONFIGS
from transformers import AutoModelForCausalLM

QUIET = UpdateHooks(lambda done, total: None, lambda: False)
ONE_BATCH = BatchSpec(mini_batch=0, epochs=1, shuffle=False, shuffle_seed=0)
LENGTHS = [(5, 7), (30, 2), (12, 20), (1, 1), (60, 35)]


def loss_spec(**more):
    return parse_loss(Params({"kind": "pg-clip", **more}))


def updater(folder, reference=None, **train):
    config = read_config(folder)
    weights = Weights(config, load_fp32(folder, config), torch.device("cpu"))
    spec = parse_train(Params({"mode": "full", "packTokens": 64, "logitChunk": 16, **train}))
    other = None
    if reference is not None:
        other = Weights(config, load_fp32(reference, config), torch.device("cpu"))
    return Updater(weights, AdamW(weights, spec), other, spec)


def items(lengths=LENGTHS, advantages=(1.0, -0.5, 2.0, -1.0, 0.3), old_shift=0.0, weight=1.0):
    noise = np.random.default_rng(3)
    found = []
    for at, ((prompt, new), advantage) in enumerate(zip(lengths, advantages, strict=True)):
        found.append(
            UpdateItem(
                Rollout(
                    rollout_id=f"r{at}",
                    op_key="s",
                    key=str(at),
                    index=0,
                    tag=None,
                    prompt_ids=noise.integers(0, 300, prompt).astype(np.int32),
                    new_ids=noise.integers(0, 300, new).astype(np.int32),
                    logp=(-4 + old_shift + noise.normal(0, 1, new)).astype(np.float32),
                    entropy_mean=0.0,
                    temperature=1.0,
                    truncated_sampling=False,
                    finish="stop",
                    version=0,
                ),
                advantage,
                weight,
            )
        )
    return found


def gradients(subject, chosen, loss):
    """The gradients of one batch, without taking the step."""
    kept = {}

    def keep(base_lr, norm):
        kept.update({k: v.clone() for k, v in subject.weights.named_gradients().items()})
        return base_lr

    subject.optimizer.step = keep
    subject.apply(chosen, loss, ONE_BATCH, 0.1, QUIET)
    return kept


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


def test_packing_changes_no_weight(models):
    loss = loss_spec()
    results = []
    for pack_tokens in (16, 64, 512):
        subject = updater(models("qwen2-gqa"), packTokens=pack_tokens)
        subject.apply(items(), loss, ONE_BATCH, 1e-3, QUIET)
        results.append(subject.weights.named_views())
    for other in results[1:]:
        for name, tensor in results[0].items():
            torch.testing.assert_close(tensor, other[name], atol=1e-6, rtol=0, msg=name)


def test_a_token_level_loss_is_the_token_weighted_mean_of_its_groups(models):
    """Whitened groups (TRR++: one per role and task type) do not touch each other's gradients."""
    loss = loss_spec()
    both = items()
    first, second = both[:2], both[2:]
    sizes = [sum(len(i.rollout.new_ids) for i in group) for group in (first, second)]
    together = gradients(updater(models("qwen2-gqa")), both, loss)
    alone = [gradients(updater(models("qwen2-gqa")), group, loss) for group in (first, second)]
    for name, gradient in together.items():
        mixed = (alone[0][name] * sizes[0] + alone[1][name] * sizes[1]) / sum(sizes)
        torch.testing.assert_close(gradient, mixed, atol=1e-6, rtol=1e-5, msg=name)


def test_token_whitened_advantages_give_zero_loss_on_policy(models):
    """Rewards 1, -0.5, -1 with lengths 2, 4, 4 whiten to these; their token mean is 0."""
    chosen = items([(6, 2), (9, 4), (3, 4)], (1.8074, -0.1291, -0.7746))
    result = updater(models("qwen2-gqa")).apply(
        chosen, loss_spec(oldLogprobs="recompute"), ONE_BATCH, 0.0, QUIET
    )
    assert abs(result["loss"][0]) < 1e-4
    assert result["ratio"]["max"] == pytest.approx(1.0, abs=1e-5)
    assert result["clip"] == {"low": 0.0, "high": 0.0}


def test_clip_fractions_count_only_clips_that_bind(models):
    far = items(old_shift=-20.0)  # every ratio is far above 1 + clipHigh
    result = updater(models("qwen2-gqa")).apply(far, loss_spec(), ONE_BATCH, 0.0, QUIET)
    up = sum(len(i.rollout.new_ids) for i in far if i.advantage > 0)
    total = sum(len(i.rollout.new_ids) for i in far)
    assert result["clip"]["high"] == pytest.approx(up / total)
    assert result["clip"]["low"] == 0


def test_a_weight_of_zero_removes_a_sequence_without_moving_the_others(models):
    chosen = items()
    silenced = [*chosen[:-1], UpdateItem(chosen[-1].rollout, chosen[-1].advantage, 0.0)]
    zero = [*chosen[:-1], UpdateItem(chosen[-1].rollout, 0.0, 1.0)]
    ours = gradients(updater(models("qwen2-gqa")), silenced, loss_spec())
    theirs = gradients(updater(models("qwen2-gqa")), zero, loss_spec())
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, theirs[name], atol=1e-7, rtol=1e-5)


def test_a_step_that_is_not_finite_is_skipped_and_leaves_every_bit(models):
    subject = updater(models("qwen2-gqa"))
    subject.apply(items(), loss_spec(), ONE_BATCH, 1e-3, QUIET)
    before = {k: v.clone() for k, v in subject.weights.named_views().items()}
    state = {k: v.clone() for k, v in subject.optimizer.named_state().items()}
    result = subject.apply(items(advantages=(1e39,) * 5), loss_spec(), ONE_BATCH, 1e-3, QUIET)
    assert result["optimizerSteps"] == 0
    assert result["skippedSteps"] == [{"step": 0, "reason": "nonfinite", "sequences": 5}]
    assert not math.isfinite(result["loss"][0])
    for name, tensor in subject.weights.named_views().items():
        assert torch.equal(tensor, before[name])
    for name, tensor in subject.optimizer.named_state().items():
        assert torch.equal(tensor, state[name])
    assert subject.optimizer.steps == 1


def test_the_optimizer_equals_torch_adamw_with_clipping(models):
    subject = updater(
        models("qwen2-mha"),
        optim={"betas": [0.9, 0.95], "weightDecay": 0.1, "eps": 1e-8, "gradClip": 0.5},
    )
    config = read_config(models("qwen2-mha"))
    mirror = {
        k: torch.nn.Parameter(v) for k, v in load_fp32(models("qwen2-mha"), config).items()
    }
    theirs = torch.optim.AdamW(mirror.values(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    for step in range(3):
        chosen = items(advantages=(1.0, -1.0, 0.5, step, -2.0))
        twin = copy.copy(subject)
        twin.optimizer = copy.copy(subject.optimizer)
        for name, gradient in gradients(twin, chosen, loss_spec()).items():
            mirror[name].grad = gradient
        torch.nn.utils.clip_grad_norm_(mirror.values(), 0.5)
        theirs.step()
        subject.apply(chosen, loss_spec(), ONE_BATCH, 3e-3, QUIET)
    for name, tensor in subject.weights.named_views().items():
        torch.testing.assert_close(tensor, mirror[name].data, atol=2e-6, rtol=1e-5, msg=name)


def test_warm_up_rises_linearly_and_mini_batches_take_their_own_steps(models):
    subject = updater(models("qwen2-gqa"), optim={"lr": 1.0, "warmupSteps": 4})
    batch = BatchSpec(mini_batch=2, epochs=2, shuffle=True, shuffle_seed=5)
    result = subject.apply(items(), loss_spec(), batch, 1e-3, QUIET)
    assert result["optimizerSteps"] == 6
    expected = [0.25e-3, 0.5e-3, 0.75e-3, 1e-3, 1e-3, 1e-3]
    assert result["lr"] == pytest.approx(expected)


def test_a_cancelled_update_changes_nothing(models):
    subject = updater(models("qwen2-gqa"))
    before = {k: v.clone() for k, v in subject.weights.named_views().items()}
    asked = iter([False, True, True])
    with pytest.raises(TrainerError, match="cancelled") as caught:
        subject.apply(
            items(), loss_spec(), ONE_BATCH, 1e-2, UpdateHooks(lambda *_: None, lambda: next(asked))
        )
    assert caught.value.kind == "cancelled"
    for name, tensor in subject.weights.named_views().items():
        assert torch.equal(tensor, before[name])


def test_a_ratio_against_another_temperature_is_refused(models):
    with pytest.raises(TrainerError, match="sampled at temperature 1, but .* is 0.7"):
        updater(models("qwen2-gqa")).apply(
            items(), loss_spec(temperature=0.7), ONE_BATCH, 0.1, QUIET
        )


def test_a_kl_term_without_a_reference_is_refused(models):
    with pytest.raises(TrainerError, match="needs a reference policy"):
        updater(models("qwen2-gqa")).apply(
            items(), loss_spec(kl={"coef": 0.1}), ONE_BATCH, 0.1, QUIET
        )
