"""One evolution step of the product's trainer, on lengths that are imposed from outside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from anchor_trainer.methods.load import load_spec
from anchor_trainer.params import Params
from anchor_trainer.policy import load_policy
from anchor_trainer.rollout.records import GenerateRequest, Item, Rollout
from anchor_trainer.rollout.rows import Rows, Sample
from anchor_trainer.rollout.sampling import Sampling
from anchor_trainer.rollout.scheduler import Scheduler
from anchor_trainer.training.spec import parse_batch, parse_loss
from anchor_trainer.training.update import UpdateHooks, UpdateItem

PACK_TOKENS = 2048  # what the engine asks for
FULL_ON_CPU = {
    "mode": "full",
    "gradCheckpoint": False,
    "logitChunk": 1024,
    "packTokens": PACK_TOKENS,
}


class _ImposedRows(Rows):
    """Rows that end at a length given per prompt and sample, and never before."""

    def __init__(self, slots: int, longest: int, lengths: Sequence[Sequence[int]]) -> None:
        super().__init__(slots, longest)
        self.lengths = lengths

    def place(self, slot: int, sample: Sample, longest: int, stops: int) -> None:
        super().place(slot, sample, longest, stops)
        self.limit[slot] = self.lengths[int(sample.item.key)][sample.index]


class OurStep:
    """Rollouts of all prompts as one continuous batch, then one update; text is decoded too.

    `prompts` are token ids; `lengths[i][j]` is how many tokens sample j of prompt i has;
    `advantages` follow the same order. AdamW, one optimizer step, loaded as `load` does it with
    `train` as its parameter of that name. `now` gives seconds.
    """

    def __init__(
        self,
        folder: Path,
        prompts: Sequence[list[int]],
        lengths: Sequence[Sequence[int]],
        advantages: Sequence[Sequence[float]],
        learning_rate: float,
        train: Mapping[str, Any] = FULL_ON_CPU,
        device: str = "cpu",
        now: Callable[[], float] = time.process_time,
    ) -> None:
        self.prompts, self.lengths, self.advantages = prompts, lengths, advantages
        rows = sum(len(one) for one in lengths)
        longest = max(len(one) for one in prompts) + max(max(one) for one in lengths)
        asked = {
            "model": {"path": str(folder)},
            # What is not named has the trainer's own default.
            "train": {**train, "optim": {"lr": learning_rate}},
            "rollout": {"maxSeqTokens": longest + 1, "maxConcurrent": rows},
            "device": device,
            "threads": torch.get_num_threads(),
            "seed": 7,
        }
        policy = load_policy(load_spec("policy", Params(asked), None))
        assert isinstance(policy.sampler, Scheduler)
        assert policy.updater is not None
        self.scheduler, self.updater = policy.sampler, policy.updater
        slots = self.scheduler.rows.slots
        self.scheduler.rows = _ImposedRows(slots, policy.context, lengths)
        self.scheduler.is_end[:] = False
        self.learning_rate = learning_rate
        self.now = now
        self.steps = 0

    def run(self) -> tuple[float, float]:
        """Seconds that the rollouts took, and the update."""
        began = self.now()
        rollouts = self._rollouts()
        between = self.now()
        self._update(rollouts)
        self.steps += 1
        return between - began, self.now() - between

    def _rollouts(self) -> dict[tuple[str, int], Rollout]:
        done: dict[tuple[str, int], Rollout] = {}
        texts: list[str] = []

        def finished(_: GenerateRequest, rollout: Rollout, text: str, __: float) -> None:
            done[rollout.key, rollout.index] = rollout
            texts.append(text)

        items = [
            Item(str(at), prompt, len(lengths), self.steps * 1000 + at, max(lengths), 1.0, 1.0, ())
            for at, (prompt, lengths) in enumerate(zip(self.prompts, self.lengths, strict=True))
        ]
        longest = max(max(one) for one in self.lengths)
        sampling = Sampling(1.0, 1.0, 0, longest)
        request = GenerateRequest(1, "peer", items, sampling, False, 0.0, finished, lambda _: None)
        self.scheduler.submit(request)
        while self.scheduler.busy:
            self.scheduler.step()
        assert request.totals.new_tokens == sum(sum(one) for one in self.lengths)
        assert len(texts) == len(done) == sum(len(one) for one in self.lengths)
        return done

    def _update(self, rollouts: dict[tuple[str, int], Rollout]) -> None:
        items = [
            UpdateItem(rollouts[str(at), index], advantage)
            for at, advantages in enumerate(self.advantages)
            for index, advantage in enumerate(advantages)
        ]
        loss = parse_loss(Params({"kind": "pg-clip", "clipLow": 0.2, "clipHigh": 0.28}))
        hooks = UpdateHooks(lambda *_: None, lambda: False)
        batch = parse_batch(Params({"miniBatch": 0, "epochs": 1}))
        result = self.updater.apply(items, loss, batch, self.learning_rate, hooks)
        assert result["optimizerSteps"] == 1, result
