"""Memory that runs out anywhere in sampling or an adapter's update changes no bit.

Each operation fails in turn, those that allocate among them: of a small model, of transformers'
class, of an adapter, and of an adapter beside weights in NF4. The fast tier strikes every n-th.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from anchor_trainer.errors import TrainerError
from anchor_trainer.model import nf4
from anchor_trainer.model.loading import load_model, source_of
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.params import Params
from anchor_trainer.rollout.scheduler import Scheduler
from anchor_trainer.training.optimizer import AdamW
from anchor_trainer.training.spec import BatchSpec, parse_train
from anchor_trainer.training.trained import Adapter, AllWeights
from anchor_trainer.training.update import Updater
from live_bytes import FailsAt
from sampling_requests import request_of
from update_batches import LENGTHS, QUIET, items, loss_spec

CPU = torch.device("cpu")
TWO_STEPS = BatchSpec(mini_batch=1, epochs=1, shuffle=False, shuffle_seed=0)
# As PyTorch says it on a CPU.
NO_MEMORY = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 64 bytes."
UNEVEN = [5, 12, 19, 5, 12]
FULL = {"mode": "full"}
LORA = {"mode": "lora", "lora": {"rank": 4, "alpha": 8, "targets": "all-linear"}}
MISSING = nf4.missing_kernels()
NF4 = pytest.param(
    "one-layer",
    {**LORA, "precision": "nf4"},
    id="adapter beside nf4",
    marks=pytest.mark.skipif(MISSING is not None, reason=str(MISSING)),
)
# Mistral's row is transformers' class, whatever its size.
OF_THE_LIBRARY = pytest.param("mistral", FULL, id="class of transformers")
ADAPTER = pytest.param("one-layer", LORA, id="adapter")
STRIKES_ALL = pytest.param(1, marks=pytest.mark.full, id="every one")


@dataclass
class Subject:
    """A model and its updater; no matrix of an adapter is zero, so that it changes answers."""

    updater: Updater
    frozen: dict[str, torch.Tensor]

    @staticmethod
    def made(folder, train) -> Subject:
        spec = parse_train(Params({"packTokens": 16, "logitChunk": 16, **train}))
        source = source_of(folder)
        model = load_model(source, source.config(), CPU, spec.lora, 0, spec.precision)
        if spec.lora is None:
            return Subject(Updater(model, AdamW(AllWeights(model), spec, 0), None, spec), {})
        draws = torch.Generator().manual_seed(5)
        for name, one in model.adapter.items():
            if "lora_B" in name:
                one.data.copy_(torch.randn(one.shape, generator=draws) / 50)
        packed = {name: one.matrix.packed for name, one in model.base.quantized.items()}
        updater = Updater(model, AdamW(Adapter(model), spec, 0), None, spec)
        return Subject(updater, {**model.compute, **packed})

    def apply(self):
        chosen = items(LENGTHS[:2], (1.0, -0.5))
        self.updater.apply(chosen, loss_spec(oldLogprobs="recompute"), TWO_STEPS, 1e-3, QUIET)

    def state(self):
        """Everything that an update could change, and what it never may."""
        optimizer = self.updater.optimizer
        moved = {**optimizer.trained.masters, **optimizer.named_state(), **self.frozen}
        return {name: one.detach().clone() for name, one in moved.items()}, optimizer.steps

    def differs(self, other):
        (tensors, steps), (others, other_steps) = self.state(), other
        found = [name for name, one in tensors.items() if not torch.equal(one, others[name])]
        return found + (["steps"] if steps != other_steps else [])


@pytest.mark.parametrize("every", [pytest.param(61, id="some"), STRIKES_ALL])
@pytest.mark.parametrize(("kind", "train"), [OF_THE_LIBRARY, ADAPTER, NF4])
def test_memory_that_runs_out_in_an_update_leaves_it_undone_or_the_policy_unloaded(
    models, kind, train, every
):
    undisturbed = Subject.made(models(kind), train)
    begun = undisturbed.state()
    undisturbed.apply()
    expected = undisturbed.state()
    assert undisturbed.differs(begun)

    subject, undone, unloaded, number = None, 0, 0, 1 - every
    while True:
        number += every
        subject = subject or Subject.made(models(kind), train)
        with FailsAt(number, lambda: RuntimeError(NO_MEMORY)) as failing:
            try:
                subject.apply()
            except TrainerError as told:
                assert told.kind == "oom" and "ran out of memory" in told.message
        if failing.count < number:
            break
        if subject.updater.between_versions:
            unloaded += 1
            subject = None
        elif subject.updater.optimizer.steps == 0:
            assert subject.differs(begun) == []
            masters = subject.updater.optimizer.trained.masters.values()
            assert not any(one.requires_grad or one.grad is not None for one in masters)
            undone += 1
        else:
            assert subject.differs(expected) == []
            subject = None
    assert min(undone, unloaded) > 100 / every
    assert subject.differs(expected) == []


@pytest.mark.parametrize("every", [pytest.param(97, id="some"), STRIKES_ALL])
@pytest.mark.parametrize(
    ("kind", "train"),
    [pytest.param("one-layer", FULL, id="small model"), OF_THE_LIBRARY, ADAPTER, NF4],
)
def test_memory_that_runs_out_while_sampling_changes_no_rollout(models, kind, train, every):
    folder = models(kind)
    subject = Subject.made(folder, train)
    begun = subject.state()
    model = subject.updater.weights
    tokenizer = load_tokenizer(folder, model.config, False)

    def sampled(number, told):
        scheduler = Scheduler(model, tokenizer, 16, 128)
        request_of(scheduler, 1, UNEVEN, told)
        with FailsAt(number, lambda: RuntimeError(NO_MEMORY)) as failing:
            while scheduler.busy:
                try:
                    scheduler.step()
                except RuntimeError as error:
                    scheduler.begin_again(error)
        return scheduler, failing.count

    whole: dict = {}
    _, count = sampled(0, whole)
    assert len(whole["rollouts"]) == 10
    for number in range(1, count, every):
        told: dict = {}
        scheduler, _ = sampled(number, told)
        assert told["rollouts"] == whole["rollouts"]
        assert scheduler.rows.slots == 8
        assert told["done"].memory_retries == 1
        assert told["done"].prompt_tokens == whole["done"].prompt_tokens
        assert told["done"].rollouts == 10
    assert subject.differs(begun) == []
