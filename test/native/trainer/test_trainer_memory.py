"""Running out of memory loses nothing."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
import torch

from anchor_trainer.errors import TrainerError
from anchor_trainer.methods import METHODS
from anchor_trainer.model import config as model_config
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.model.weights import Weights
from anchor_trainer.params import Params
from anchor_trainer.protocol import Writer
from anchor_trainer.rollout.scheduler import Scheduler
from anchor_trainer.session import RunFolders, Session
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import BatchSpec
from live_bytes import FailsAt, LiveBytes
from sampling_requests import request_of
from trainer_process import LOSS, prompts
from update_batches import LENGTHS, ONE_BATCH, QUIET, items, loss_spec, updater

CPU = torch.device("cpu")
BF16, EIGHT_BITS = {"precision": "bf16"}, {"optim": {"kind": "adamw8bit"}}
UNEVEN = [5, 12, 19, 5, 12]
TWO_STEPS = BatchSpec(mini_batch=1, epochs=1, shuffle=False, shuffle_seed=0)
# As PyTorch says it on a CPU.
NO_MEMORY = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 64 bytes."


def state_of(subject):
    kept = {**subject.weights.named_views(), **subject.optimizer.named_state()}
    return {name: one.clone() for name, one in kept.items()}, subject.optimizer.steps


def differences(before, after):
    (tensors, steps), (others, other_steps) = before, after
    found = [name for name, one in tensors.items() if not torch.equal(one, others[name])]
    return found + (["steps"] if steps != other_steps else [])


@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("large", "compute_dtype", "method", "error"),
    [
        (False, None, {}, RuntimeError(NO_MEMORY)),
        (True, None, {}, RuntimeError(NO_MEMORY)),
        (False, torch.bfloat16, {}, torch.OutOfMemoryError("CUDA")),
        (True, torch.bfloat16, {}, torch.OutOfMemoryError("CUDA")),
        (False, None, BF16, RuntimeError(NO_MEMORY)),
        (False, None, EIGHT_BITS, RuntimeError(NO_MEMORY)),
        (True, None, {**BF16, **EIGHT_BITS}, RuntimeError(NO_MEMORY)),
    ],
)
def test_memory_that_runs_out_anywhere_in_an_update_leaves_it_undone_or_the_policy_unloaded(
    models, monkeypatch, large, compute_dtype, method, error, every
):
    """Operations of an update of two optimizer steps fail in turn, allocating ones among them."""
    if large:
        monkeypatch.setattr(model_config, "SMALL_MODEL", 0)
    chosen = items(LENGTHS[:2], (1.0, -0.5))
    loss = loss_spec(oldLogprobs="recompute")
    settings = {**method, "packTokens": 16}
    undisturbed = updater(models("one-layer"), None, compute_dtype, **settings)
    begun = state_of(undisturbed)
    undisturbed.apply(chosen, loss, TWO_STEPS, 1e-3, QUIET)
    expected = state_of(undisturbed)
    assert differences(begun, expected)

    subject, undone, unloaded, number = None, 0, 0, 1 - every
    while True:
        number += every
        subject = subject or updater(models("one-layer"), None, compute_dtype, **settings)
        with FailsAt(number, lambda: error) as failing:
            try:
                subject.apply(chosen, loss, TWO_STEPS, 1e-3, QUIET)
            except TrainerError as told:
                assert told.kind == "oom" and "ran out of memory" in told.message
        if failing.count < number:
            break
        if subject.between_versions:
            unloaded += 1
            subject = None
        elif subject.optimizer.steps == 0:
            assert differences(begun, state_of(subject)) == []
            leaves = subject.weights.compute.values()
            assert not any(one.requires_grad or one.grad is not None for one in leaves)
            undone += 1
        else:
            assert differences(expected, state_of(subject)) == []
            subject = None
    assert min(undone, unloaded) > 100 / every
    assert differences(expected, state_of(subject)) == []


@pytest.fixture
def in_process(models, tmp_path):
    """Loads a policy that has rollouts, and an update of them: the methods without the process."""
    session = Session(Writer(os.open(os.devnull, os.O_WRONLY)))
    session.open_run(RunFolders(tmp_path, tmp_path / "spool"))

    def ask(method, **params):
        return METHODS[method].handler(session, Params(params), 1)

    def load():
        ask(
            "load",
            model={"path": str(models("one-layer"))},
            train={"mode": "full"},
            rollout={"maxConcurrent": 4},
            seed=0,
        )

    load()
    ask("generate", opKey="g", items=prompts(3), sampling={"maxNewTokens": 4})
    chosen = session.sets["policy"]
    while chosen.policy.sampler.busy:
        chosen.policy.sampler.step()

    def update():
        advantages = [
            {"rolloutId": one, "advantage": 1.0 if at % 2 else -1.0}
            for at, one in enumerate(chosen.store.ids())
        ]
        return ask(
            "update",
            opId="u",
            expectVersion=0,
            items=advantages,
            loss=LOSS,
            batch={"miniBatch": 1},
        )

    return load, update


def test_the_policy_of_an_update_that_ended_between_two_steps_is_unloaded(in_process, monkeypatch):
    """The next request is told so, in place of weights that no version number describes."""
    load, update = in_process
    step, calls = AdamW.step, []

    def second_fails(self, base_lr, norm):
        calls.append(norm)
        if len(calls) == 2:
            raise torch.OutOfMemoryError("no more")
        return step(self, base_lr, norm)

    monkeypatch.setattr(AdamW, "step", second_fails)
    with pytest.raises(TrainerError, match="after 1 optimizer steps, so its weights were unloaded"):
        update()
    with pytest.raises(TrainerError, match="No weights are loaded"):
        update()
    load()
    assert update()["version"] == 1


@pytest.mark.parametrize(
    ("compute_dtype", "method"),
    [(None, {}), (torch.bfloat16, {}), (None, {**BF16, **EIGHT_BITS})],
)
@pytest.mark.parametrize("large", [False, True])
def test_an_optimizer_step_makes_no_copy_of_all_parameters(
    models, monkeypatch, compute_dtype, method, large
):
    if large:
        monkeypatch.setattr(model_config, "SMALL_MODEL", 0)
    monkeypatch.setattr("anchor_trainer.training.optimizer.SMALL_SLICE", 4096)
    monkeypatch.setattr("anchor_trainer.training.optimizer.MEDIUM_SLICE", 4096)
    monkeypatch.setattr("anchor_trainer.training.optimizer.LARGE_SLICE", 8192)
    subject = updater(models("qwen2-gqa"), None, compute_dtype, **method)
    peaks = []
    step, norm_of = subject.optimizer.step, subject.optimizer.gradient_norm

    def measured(action):
        def run(*args):
            with LiveBytes() as bytes_made:
                result = action(*args)
            peaks.append(bytes_made.peak)
            return result

        return run

    subject.optimizer.step, subject.optimizer.gradient_norm = measured(step), measured(norm_of)
    subject.apply(items(), loss_spec(), ONE_BATCH, 1e-3, QUIET)
    count = subject.weights.parameter_count()
    assert count > 50_000
    assert max(peaks) <= AdamW.scratch_bytes(count, count, subject.spec) + 4096 < 4 * count


def test_the_fused_step_is_the_same_step(models, as_large, monkeypatch):
    fused = updater(models("qwen2-gqa"), optim={"weightDecay": 0.1, "gradClip": 0.5})
    monkeypatch.undo()
    plain = updater(models("qwen2-gqa"), optim={"weightDecay": 0.1, "gradClip": 0.5})
    assert fused.optimizer.fused and not plain.optimizer.fused
    for _ in range(3):
        for subject in (fused, plain):
            subject.apply(items(), loss_spec(), ONE_BATCH, 3e-3, QUIET)
    for name, tensor in plain.weights.named_views().items():
        torch.testing.assert_close(tensor, fused.weights.named_views()[name], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("kind", ["qwen2-gqa", "qwen2-mha", "qwen3", "llama"])
def test_a_large_model_learns_the_same_with_less_memory(models, kind, monkeypatch):
    """Its words, output matrix and losses are kept otherwise; what comes out is the same."""
    results = []
    for floor in (model_config.SMALL_MODEL, 0):
        monkeypatch.setattr(model_config, "SMALL_MODEL", floor)
        for checkpointing in (False, True):
            subject = updater(models(kind), gradCheckpoint=checkpointing)
            figures = subject.apply(items(), loss_spec(), ONE_BATCH, 1e-3, QUIET)
            results.append((figures, subject.weights.named_views()))
    for (_, kept), (_, recomputed) in (results[:2], results[2:]):
        assert all(torch.equal(kept[name], recomputed[name]) for name in kept)
    figures, tensors = results[0]
    for others, moved in results[1:]:
        for name in ("loss", "gradNorm"):
            assert others[name] == pytest.approx(figures[name], abs=1e-5)
        assert others["entropy"] == pytest.approx(figures["entropy"], abs=1e-5)
        for name, tensor in tensors.items():
            # One step of AdamW turns a gradient of almost nothing into a whole step.
            difference = (tensor - moved[name]).abs()
            assert float(difference.quantile(0.99)) < 1e-5, name


@pytest.fixture
def scheduler_of(models):
    folder = models("one-layer")
    config = read_config(folder)
    weights = Weights(config, load_tensors(folder, config), CPU)
    tokenizer = load_tokenizer(folder, config, False)
    return lambda slots: Scheduler(weights, tokenizer, slots, 128)


def test_requests_end_with_a_sentence_where_no_memory_is_left_for_the_fewest_rows(scheduler_of):
    scheduler, told, other = scheduler_of(16), {}, {}
    request_of(scheduler, 1, UNEVEN, told)
    request_of(scheduler, 2, UNEVEN[:1], other)
    for _ in range(3):
        scheduler.begin_again(RuntimeError(NO_MEMORY))
    assert not scheduler.busy and scheduler.cache.byte_count() == 0
    for one in (told, other):
        assert one["failed"].kind == "oom"
        assert "Sampling ran out of memory with 4 rows at a time" in one["failed"].message
    again: dict = {}
    request_of(scheduler, 3, UNEVEN[:2], again)
    while scheduler.busy:
        scheduler.step()
    assert again["done"].rollouts == 4


def test_a_trainer_whose_system_gives_no_more_memory_answers_and_goes_on(fork, models, tmp_path):
    """The limit is a real one: the allocator of the process is refused what it asks for."""
    trainer = fork()
    pid = trainer.hello(tmp_path)["trainer"]["pid"]
    trainer.load(models("qwen2-gqa"))
    few = trainer.generate("before", prompts(3))
    trainer.load(models("qwen2-gqa"), rollout={"maxSeqTokens": 256, "maxConcurrent": 4096})
    held = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    limit = held * resource.getpagesize() + 48 * 2**20  # 4,096 rows of 256 tokens take 537 MB
    resource.prlimit(pid, resource.RLIMIT_AS, (limit, limit))
    many = trainer.generate("many", prompts(40, n=20), maxNewTokens=6)
    assert len(many) == 800
    assert trainer.call("stats")["totals"]["oomRetries"] > 0
    again = trainer.generate("after", prompts(3))
    assert [one["text"] for one in again] == [one["text"] for one in few]
    assert trainer.update("u", 0, again)["version"] == 1
