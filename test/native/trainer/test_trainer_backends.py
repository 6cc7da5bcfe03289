"""What the trainer makes of a sampler in another process: its answers, its weights, its loss."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from anchor_trainer import policy
from anchor_trainer.errors import TrainerError
from anchor_trainer.fitting import needs_of
from anchor_trainer.memory_phases import phase_bytes
from anchor_trainer.memory_plan import plan_to_load
from anchor_trainer.model.loading import source_of
from anchor_trainer.rollout import vllm_probe
from anchor_trainer.rollout.sampler import RolloutSampler
from anchor_trainer.rollout.scheduler import Scheduler
from anchor_trainer.training.logprobs import ScoredSequence, all_logprobs
from anchor_trainer.training.loss import LossSums, TokenBatch, token_loss
from load_specs import load_spec
from sampling_requests import request_of
from update_batches import loss_spec

DOUBLE = Path(__file__).with_name("vllm_double.py")


class Beside:
    """A policy whose rollouts another process draws, and what that process is to do."""

    def __init__(self, model, folder):
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        python = folder / "bin/python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{DOUBLE}" "{folder}"\n')
        python.chmod(0o755)
        spec = load_spec(model, {"mode": "full"}, max_concurrent=3, vllm=folder)
        self.policy = policy.load_policy(
            spec, (), policy.SetFiles(folder / "handover", folder / "parked")
        )
        self.sampler = self.policy.sampler
        self.plan(tokens=[40, 41, 42, 43], logp=-0.5)

    def scores(self):
        ids = torch.tensor(self.sampler._probe.ids)
        (found,) = all_logprobs(self.policy.weights, [ScoredSequence(ids, 1)], 64, 64)
        return found.tolist()

    def plan(self, scores=None, **plan):
        plan["scores"] = self.scores() if scores is None else scores
        (self.folder / "plan.json").write_text(json.dumps(plan))
        (self.folder / "struck").unlink(missing_ok=True)

    def orders(self, kind):
        lines = (self.folder / "orders.jsonl").read_text().splitlines()
        return [one for one in map(json.loads, lines) if one["op"] == kind]

    def sample(self, number=1, prompts=(5, 9), seconds=20, **more):
        told = {}
        request_of(self.sampler, number, prompts, told, **more)
        until = time.monotonic() + seconds
        while self.sampler.busy and time.monotonic() < until:
            self.sampler.step()
        assert not self.sampler.busy
        return told


@pytest.fixture
def beside(models, tmp_path):
    made = Beside(models("qwen2-gqa"), tmp_path / "environment")
    yield made
    made.sampler.close()


def test_both_backends_answer_to_the_same_questions(beside):
    named = [one for one in dir(Scheduler) if not one.startswith("_")]
    asked = [one for one in dir(RolloutSampler) if not one.startswith("_")]
    assert set(asked) <= set(named)
    assert set(asked) <= set(dir(beside.sampler))


def test_token_ids_go_out_and_come_back_as_rollouts_with_their_log_probabilities(beside):
    told = beside.sample()
    assert told["done"].rollouts == 4
    assert told["rollouts"]["op1/k1/1"] == ([40, 41, 42, 43], [-0.5] * 4)
    orders = beside.orders("sample")
    assert sorted(one["ids"] for one in orders) == [list(range(n)) for n in (5, 5, 9, 9)]
    assert len({one["seed"] for one in orders}) == 4
    assert {one["maxNewTokens"] for one in orders} == {6}


def test_weights_lie_on_the_disk_as_they_are_announced_and_go_over_once_a_version(beside):
    beside.sample()
    beside.sample(2)
    assert len(beside.orders("load")) == 1
    with torch.no_grad():
        for view in beside.policy.weights.named_views().values():
            view.mul_(1.5)
    beside.policy.set_version(1)
    beside.plan(tokens=[40], logp=-0.5)
    assert beside.sample(3)["done"].rollouts == 4
    order = beside.orders("load")[-1]
    assert len(beside.orders("load")) == 2
    for name, digest in order["sha256"].items():
        found = hashlib.sha256((Path(order["model"]) / name).read_bytes()).hexdigest()
        assert found == digest, name
    assert "model.safetensors" in order["sha256"]
    beside.sampler.close()
    assert not Path(order["model"]).exists()  # as large as the model, and of no use any more


def test_a_stop_string_ends_a_row_at_the_token_that_completes_it(beside):
    text = beside.policy.tokenizer.decode([40, 41])
    told = {}
    request_of(beside.sampler, 1, [5], told, n=1)
    (request,) = beside.sampler.requests.values()
    request.items[0] = replace(request.items[0], stop=(text,))
    beside.sampler.waiting[0].item = request.items[0]
    while beside.sampler.busy:
        beside.sampler.step()
    assert told["rollouts"]["op1/k0/0"][0] == [40, 41]


def test_a_cancelled_request_ends_at_once_with_what_is_there(beside):
    told = {}
    request_of(beside.sampler, 1, [5, 9, 3], told)
    while not beside.sampler.running:
        beside.sampler.step()
    assert beside.sampler.cancel(1, drain=False)
    assert not beside.sampler.busy
    assert told["done"].cancelled == 6
    assert beside.sample(2)["done"].rollouts == 4


@pytest.mark.parametrize("fault", ["die", "hang", "nonsense"])
def test_a_process_that_is_lost_is_started_again_and_no_rollout_is_missing(beside, fault, capfd):
    beside.sampler.patience = 0.5
    beside.plan(tokens=[40, 41], logp=-0.5, fault=fault, times=1)
    told = beside.sample()
    assert told["done"].rollouts == 4
    assert set(told["rollouts"]) == {f"op1/k{at}/{n}" for at in (0, 1) for n in (0, 1)}
    assert len(beside.orders("start")) == 2
    said = capfd.readouterr().err
    expected = {"die": "exit code 7", "hang": "no answer for 0.5", "nonsense": "cannot be read"}
    assert expected[fault] in said and "(1 of 3)" in said


def test_a_process_that_is_lost_each_time_ends_the_request_with_one_sentence(beside):
    beside.plan(tokens=[40], logp=-0.5, fault="die", times=9)
    failed = beside.sample()["failed"]
    assert failed.message.startswith("Sampling failed 3 times: vLLM's process ended (exit code 7)")
    assert "policy.backend native" in failed.hint
    beside.plan(tokens=[40], logp=-0.5)
    assert beside.sample(2)["done"].rollouts == 4


def test_other_weights_than_the_trainers_are_found_out_before_anything_is_drawn(beside):
    right = beside.scores()
    beside.plan(scores=[*right[:-1], right[-1] + 0.01], tokens=[40], logp=-0.5)
    failed = beside.sample()["failed"]
    assert "0.01 nats from the trainer's, and 0.001 is the most" in failed.message
    assert not (beside.folder / "struck").exists() and beside.orders("sample") == []


def test_weights_that_stayed_behind_are_found_out_though_they_are_near(beside):
    beside.sample()
    before = beside.scores()
    with torch.no_grad():
        for view in beside.policy.weights.named_views().values():
            view.mul_(1 + 1e-5)
    moved = np.abs(np.array(beside.scores()) - before).max()
    assert 0 < moved < vllm_probe.WITHIN[torch.float32]
    beside.policy.set_version(1)
    beside.plan(scores=before, tokens=[40], logp=-0.5)
    assert "still answers with the weights before version 1" in beside.sample(2)["failed"].message


@pytest.mark.parametrize("logp", [0.5, float("nan")])
def test_a_log_probability_that_is_none_is_not_taken(beside, logp):
    beside.plan(tokens=[40], logp=logp)
    assert "vLLM drew token 40" in beside.sample()["failed"].message


def test_the_plan_counts_the_other_process_while_it_is_there(models):
    source = source_of(models("qwen2-gqa"))
    spec = load_spec(models("qwen2-gqa"), {"mode": "full"}, max_concurrent=3)
    needs = needs_of(source, spec)
    beside = replace(needs, vllm=True)
    alone, both = (max(phase_bytes(one).values()) for one in (needs, beside))
    weights = 4 * needs.config.parameter_count()
    rows = policy.vllm_kv_bytes(beside)
    assert rows == 4 * needs.kv_bytes_per_row
    assert both - alone > weights + rows
    on_card = plan_to_load(replace(beside, cuda=True), resident={}, free=10**12)[1]["phases"]
    assert on_card["rollout"]["vllm"] - on_card["update"]["vllm"] == weights // 2 + rows // 2
    assert "kv" not in on_card["rollout"]


def test_the_correction_is_what_numpy_reads_in_the_papers_formula():
    rng = np.random.default_rng(11)
    logp, old, drawn = (rng.normal(-2, 0.4, 40).astype(np.float32) for _ in range(3))
    advantage = rng.normal(0, 1, 40).astype(np.float32)
    weight = np.full(40, 1 / 40, np.float32)
    cap = 1.5
    ratio = np.exp(logp.astype(np.float64) - old)
    factor = np.minimum(np.exp(old.astype(np.float64) - drawn), cap)
    surrogate = np.minimum(ratio * advantage, np.clip(ratio, 0.8, 1.28) * advantage)
    wanted = -(factor * surrogate * weight).sum()
    flows = ratio * advantage <= np.clip(ratio, 0.8, 1.28) * advantage
    slope = -factor * np.where(flows, ratio * advantage, 0) * weight

    tensors = {
        "logp": torch.tensor(logp, requires_grad=True),
        "old": torch.tensor(old),
        "sampler": torch.tensor(drawn),
    }
    batch = TokenBatch(
        **tensors,
        entropy=torch.zeros(40),
        reference=None,
        advantage=torch.tensor(advantage),
        weight=torch.tensor(weight),
        lengths=[40],
    )
    sums = LossSums()
    spec = loss_spec(clipHigh=0.28, tis=cap, oldLogprobs="recompute")
    loss = token_loss(spec, batch, sums)
    loss.backward()
    assert float(loss.detach()) == pytest.approx(wanted, rel=1e-5)
    np.testing.assert_allclose(tensors["logp"].grad.numpy(), slope, rtol=1e-4, atol=1e-7)
    assert sums.truncated == int((np.exp(old - drawn) > cap).sum()) > 0
    assert sums.importance_sum == pytest.approx(factor.sum(), rel=1e-5)


def test_the_correction_wants_probabilities_that_were_computed_again():
    with pytest.raises(TrainerError, match="oldLogprobs 'recompute'"):
        loss_spec(tis=2.0)
