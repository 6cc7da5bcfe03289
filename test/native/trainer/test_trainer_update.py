"""What an update does to the weights, and what it reports."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from anchor_trainer.errors import TrainerError
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.weights import Weights
from anchor_trainer.training.logprobs import ScoredSequence, all_logprobs, token_logprobs
from anchor_trainer.training.loss import LossSums
from anchor_trainer.training.spec import BatchSpec
from anchor_trainer.training.update import UpdateHooks, UpdateItem, _mini_batches
from anchor_trainer.training.update_stats import LogprobMismatch, UpdateStats
from update_batches import ONE_BATCH, QUIET, gradients, items, loss_spec, updater


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


def test_each_epoch_takes_all_sequences_in_an_order_of_its_own():
    plan = _mini_batches(20, BatchSpec(mini_batch=6, epochs=3, shuffle=True, shuffle_seed=5))
    assert [len(part) for part in plan] == [6, 6, 6, 2] * 3
    orders = [[one for part in plan[at : at + 4] for one in part] for at in (0, 4, 8)]
    for order in orders:
        assert sorted(order) == list(range(20))
    assert len({tuple(order) for order in orders}) == 3


def test_truncated_answers_are_left_out_where_they_should_be_dropped(models):
    chosen = items()
    cut = [replace(chosen[0], rollout=replace(chosen[0].rollout, finish="length")), *chosen[1:]]
    found = {
        policy: updater(models("qwen2-gqa")).apply(
            cut, loss_spec(truncatedPolicy=policy), ONE_BATCH, 0.0, QUIET
        )
        for policy in ("drop", "keep")
    }
    assert [found[one]["sequences"] for one in ("drop", "keep")] == [4, 5]
    assert found["drop"]["skipped"] == [{"rolloutId": "r0", "reason": "truncated"}]
    assert found["keep"]["skipped"] == []


def test_figures_of_several_steps_have_the_largest_ratio_of_any_and_sums_of_the_rest():
    stats = UpdateStats()
    stats.applied(LossSums(tokens=3, ratio_sum=5.0, ratio_max=2.5))
    stats.applied(LossSums(tokens=2, ratio_sum=1.0, ratio_max=0.5))
    assert (stats.sums.tokens, stats.sums.ratio_sum, stats.sums.ratio_max) == (5, 6.0, 2.5)


def test_log_probabilities_and_entropies_are_those_at_the_temperature(models):
    folder = models("qwen2-gqa")
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), torch.device("cpu"))
    noise = np.random.default_rng(11)
    hidden = noise.normal(0, 1, (3, weights.head.shape[1])).astype(np.float32)
    targets, temperature = [1, 5, 9], np.array([[0.5], [1.0], [2.0]])
    scaled = hidden.astype(float) @ weights.head.detach().double().numpy().T / temperature
    scaled -= scaled.max(1, keepdims=True)
    logs = scaled - np.log(np.exp(scaled).sum(1, keepdims=True))
    for enabled in (False, True):
        with torch.set_grad_enabled(enabled):
            logp, entropy = token_logprobs(
                weights,
                torch.from_numpy(hidden),
                torch.tensor(targets),
                torch.tensor(temperature, dtype=torch.float32),
                16,
            )
        np.testing.assert_allclose(
            logp.detach().numpy(), logs[range(3), targets], rtol=1e-4, atol=1e-5
        )
        expected = -(np.exp(logs) * logs).sum(1)
        np.testing.assert_allclose(entropy.detach().numpy(), expected, rtol=1e-4, atol=1e-5)


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
    loaded = load_tensors(models("qwen2-mha"), config)
    mirror = {k: torch.nn.Parameter(v) for k, v in loaded.items()}
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


def test_steps_too_small_for_bf16_add_up_in_the_fp32_masters(models):
    """lr 1e-6 moves a weight of 0.1 by far less than its bf16 spacing of 5e-4."""
    subject = updater(models("qwen2-gqa"), compute_dtype=torch.bfloat16)
    before = {k: v.clone() for k, v in subject.weights.named_views().items()}
    for _ in range(20):
        subject.apply(items(), loss_spec(), ONE_BATCH, 1e-6, QUIET)
    name = "model.layers.0.mlp.down_proj.weight"
    moved = (subject.weights.named_views()[name] - before[name]).abs()
    assert 5e-6 < float(moved.median()) < 4e-5
    copies = subject.weights.split(subject.weights.compute)
    assert torch.equal(copies[name], subject.weights.named_views()[name].bfloat16())


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
    with pytest.raises(TrainerError, match=r"sampled at temperature 1, but .* is 0\.7"):
        updater(models("qwen2-gqa")).apply(
            items(), loss_spec(temperature=0.7), ONE_BATCH, 0.1, QUIET
        )


@pytest.mark.parametrize("old", ["sampler", "recompute"])
def test_rollouts_of_two_temperatures_each_keep_their_own_in_the_ratio(models, old):
    subject = updater(models("qwen2-gqa"))
    alone = updater(models("qwen2-gqa"))
    temperatures = [0.5, 1.0, 0.5, 1.3, 1.0]
    chosen = []
    for item, temperature in zip(items(), temperatures, strict=True):
        ids = np.concatenate([item.rollout.prompt_ids, item.rollout.new_ids])
        sequence = ScoredSequence(torch.from_numpy(ids), len(item.rollout.prompt_ids), temperature)
        (sampled,) = all_logprobs(subject.weights, [sequence], 64, 16)
        # Were another temperature taken for the ratio, it would not be 1 before the first step.
        rollout = replace(item.rollout, logp=sampled.numpy(), temperature=temperature)
        chosen.append(replace(item, rollout=rollout))
    loss = loss_spec(temperature="sampled", oldLogprobs=old)
    result = subject.apply(chosen, loss, ONE_BATCH, 0.0, QUIET)
    assert result["ratio"]["max"] == pytest.approx(1, abs=1e-5)
    assert result["ratio"]["mean"] == pytest.approx(1, abs=1e-5)
    assert result["mismatch"]["max"] == pytest.approx(0, abs=1e-5)

    # The gradient is that of the rollouts of each temperature asked for by its number.
    together = gradients(subject, chosen, loss_spec(temperature="sampled", agg={"const": 10}))
    parts = [
        gradients(
            alone,
            [one for one in chosen if one.rollout.temperature == temperature],
            loss_spec(temperature=temperature, agg={"const": 10}),
        )
        for temperature in sorted(set(temperatures))
    ]
    for name, found in together.items():
        wanted = sum(part[name] for part in parts)
        assert torch.allclose(found, wanted, atol=1e-6), name


def test_the_mismatch_is_reported_as_numpy_reads_it_from_the_same_tokens(models):
    subject = updater(models("qwen2-gqa"))
    rng = np.random.default_rng(5)
    chosen, wanted = [], []
    for item in items():
        ids = np.concatenate([item.rollout.prompt_ids, item.rollout.new_ids])
        sequence = ScoredSequence(torch.from_numpy(ids), len(item.rollout.prompt_ids), 1.0)
        (ours,) = all_logprobs(subject.weights, [sequence], 64, 16)
        gap = rng.normal(0, 0.1, len(item.rollout.new_ids)).astype(np.float32)
        chosen.append(replace(item, rollout=replace(item.rollout, logp=ours.numpy() - gap)))
        wanted.append(gap)
    gaps = np.concatenate(wanted)
    found = subject.apply(chosen, loss_spec(), ONE_BATCH, 1e-3, QUIET)["mismatch"]
    assert found["absMean"] == pytest.approx(np.abs(gaps).mean(), rel=1e-4)
    assert found["max"] == pytest.approx(np.abs(gaps).max(), rel=1e-4)
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)):
        exact = np.quantile(np.abs(gaps), share, method="inverted_cdf")
        assert found[name] == pytest.approx(exact, rel=0.0041), name
    outside = np.mean((np.exp(gaps) < 0.9) | (np.exp(gaps) > 1.1))
    assert 0.1 < outside < 0.5
    assert found["outside"] == pytest.approx(outside)


def test_quantiles_of_the_mismatch_are_within_their_error_over_eleven_powers_of_ten():
    sizes = (10 ** np.random.default_rng(3).uniform(-9, 2, 20_000)).astype(np.float32)
    signs = np.where(np.arange(len(sizes)) % 2, 1, -1).astype(np.float32)
    subject = LogprobMismatch()
    for part in np.split(sizes * signs, 8):
        subject.add(torch.from_numpy(part))
    for share in (0.001, 0.5, 0.9, 0.95, 0.99, 1.0):
        exact = np.quantile(sizes, share, method="inverted_cdf")
        assert subject.quantile(share) == pytest.approx(exact, rel=0.00392), share
    assert subject.counts.nbytes == 256 * 1024


def test_the_mismatch_of_no_tokens_is_zero_and_one_that_is_no_number_is_not_hidden():
    subject = LogprobMismatch()
    assert set(subject.figures().values()) == {0.0}
    subject.add(torch.tensor([0.0, float("nan"), float("nan")]))
    figures = subject.figures()
    assert [figures[name] for name in ("absMean", "p50", "max")] == [math.inf] * 3
    assert subject.tokens == int(subject.counts.sum()) == 3


def test_rollouts_of_one_temperature_are_trained_to_the_bit_as_with_its_number(models):
    chosen = [replace(one, rollout=replace(one.rollout, temperature=0.8)) for one in items()]
    by_number = gradients(updater(models("qwen2-gqa")), chosen, loss_spec(temperature=0.8))
    by_name = gradients(updater(models("qwen2-gqa")), chosen, loss_spec(temperature="sampled"))
    for name, found in by_name.items():
        assert torch.equal(found, by_number[name]), name


def test_a_rollout_that_was_no_random_choice_is_refused(models):
    chosen = [replace(one, rollout=replace(one.rollout, temperature=0.0)) for one in items()]
    with pytest.raises(TrainerError, match="sampled at temperature 0, so its tokens were no"):
        updater(models("qwen2-gqa")).apply(
            chosen, loss_spec(temperature="sampled"), ONE_BATCH, 0.1, QUIET
        )


def test_a_kl_term_without_a_reference_is_refused(models):
    with pytest.raises(TrainerError, match="needs a reference policy"):
        updater(models("qwen2-gqa")).apply(
            items(), loss_spec(kl={"coef": 0.1}), ONE_BATCH, 0.1, QUIET
        )


@pytest.mark.full
def test_an_update_leaves_the_compiler_alone(models):
    """Importing torch._dynamo takes longer than a short run's first update."""
    program = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from update_batches import ONE_BATCH, QUIET, items, loss_spec, updater\n"
        "subject = updater(Path(sys.argv[1]), packTokens=512)\n"
        "subject.apply(items(), loss_spec(), ONE_BATCH, 1e-3, QUIET)\n"
        "print('torch._dynamo' in sys.modules)"
    )
    here = Path(__file__).resolve().parent
    places = [str(here), str(here.parents[2] / "native/trainer")]
    done = subprocess.run(
        [sys.executable, "-c", program, models("qwen2-gqa"), *places],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
