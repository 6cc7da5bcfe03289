"""One update: rollouts with advantages in, new weights and their statistics out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import TrainerError, ran_out_of_memory
from ..model.language_model import Answering, LanguageModel
from ..rollout.noise import shuffled
from ..rollout.records import Rollout
from .logprobs import ScoredSequence, all_logprobs, packed_logprobs
from .loss import LossSums, TokenBatch, token_loss, token_weights
from .optimizer import AdamW
from .packing import fill, pack, share_prompts
from .spec import LOWEST_TEMPERATURE, BatchSpec, LossSpec, TrainSpec
from .update_stats import BatchSizes, LogprobMismatch, UpdateStats

# Each retry halves the packed row; more than this many would mean rows no longer than a sentence.
MAX_MEMORY_RETRIES = 4


@dataclass(frozen=True)
class UpdateItem:
    """A rollout and how strongly to move towards it (advantage, per sequence)."""

    rollout: Rollout
    advantage: float
    weight: float = 1.0


@dataclass(frozen=True)
class UpdateHooks:
    """`progress` is told (done, total) optimizer steps; `cancelled` is asked before packed rows."""

    progress: Callable[[int, int], None]
    cancelled: Callable[[], bool]


@dataclass
class _Prepared:
    """An item with everything its loss needs; tensors are fp32 per scored token."""

    item: UpdateItem
    sequence: ScoredSequence
    sampler: torch.Tensor
    old: torch.Tensor
    reference: torch.Tensor | None = None


class Updater:
    """Applies updates to one policy. A failed update before its first step changes nothing.

    One that fails after it leaves weights that no version number describes: `between_versions` is
    then true, and whoever holds the policy must drop it.
    """

    def __init__(
        self, weights: LanguageModel, optimizer: AdamW, reference: Answering | None, spec: TrainSpec
    ) -> None:
        self.weights = weights
        self.optimizer = optimizer
        self.reference = reference
        self.spec = spec
        self.between_versions = False

    def apply(
        self,
        items: Sequence[UpdateItem],
        loss: LossSpec,
        batch: BatchSpec,
        base_lr: float,
        hooks: UpdateHooks,
    ) -> dict[str, Any]:
        """Runs all mini-batches; returns the figures. Raises cancelled, badRequest, oom."""
        started = time.monotonic()
        chosen, skipped = _select(items, loss)
        stats = UpdateStats()
        try:
            prepared = self._prepare(chosen, loss)
            plan = _mini_batches(len(prepared), batch)
            self.optimizer.trained.require_gradients(True)
            for number, indices in enumerate(plan):
                members = [prepared[one] for one in indices]
                self._step(members, loss, base_lr, hooks, stats, first=number == 0)
                hooks.progress(number + 1, len(plan))
        except Exception as error:
            self.between_versions = self.optimizer.moving or len(stats.rates) > 0
            if ran_out_of_memory(error):
                raise self._out_of_memory(len(stats.rates)) from error
            raise
        finally:
            self.optimizer.trained.require_gradients(False)
        totals = BatchSizes(
            sequences=len(prepared),
            tokens=sum(len(one.sequence.ids) for one in prepared),
            loss_tokens=sum(one.sequence.scored for one in prepared),
            truncated_sampling=sum(one.item.rollout.truncated_sampling for one in prepared),
            has_reference=loss.kl is not None,
            is_corrected=loss.tis is not None,
        )
        return stats.figures(totals, skipped, time.monotonic() - started)

    def _out_of_memory(self, applied: int) -> TrainerError:
        if self.between_versions:
            state = (
                f"after {applied} optimizer steps, so its weights were unloaded; load the last "
                "checkpoint again"
            )
        else:
            state = "before its first optimizer step; the weights are unchanged"
        return TrainerError(
            "oom",
            f"The update ran out of memory {state}.",
            hint="Set train.gradCheckpoint to on, lower train.packTokens, or use a smaller model.",
            detail={"partial": {"appliedSteps": applied}},
        )

    def _prepare(self, items: Sequence[UpdateItem], loss: LossSpec) -> list[_Prepared]:
        prepared = []
        for item in items:
            rollout = item.rollout
            ids = torch.from_numpy(rollout.prompt_ids), torch.from_numpy(rollout.new_ids)
            sampler = torch.from_numpy(rollout.logp).to(self.weights.device)
            # The ratio is of the distribution that was sampled from, so old, new and reference
            # log-probabilities of a rollout share its temperature.
            temperature = rollout.temperature if loss.temperature is None else loss.temperature
            sequence = ScoredSequence(torch.cat(ids), len(rollout.prompt_ids), temperature)
            prepared.append(_Prepared(item, sequence, sampler, sampler))
        sequences = [one.sequence for one in prepared]
        if loss.old_logprobs == "recompute":
            for one, old in zip(prepared, self._score(self.weights, sequences), strict=True):
                one.old = old
        if loss.kl is not None:
            if self.reference is None:
                raise TrainerError(
                    "badRequest",
                    "params.loss.kl needs a reference policy, but the model was loaded with "
                    "reference 'none'; load it with reference 'copy'.",
                )
            scored = self._score(self.reference, sequences)
            for one, reference in zip(prepared, scored, strict=True):
                one.reference = reference
        return prepared

    def _score(self, weights: Answering, sequences: Sequence[ScoredSequence]) -> list[torch.Tensor]:
        chunk = self.spec.chunk_for(weights.config)
        return all_logprobs(weights, sequences, self.spec.pack_tokens, chunk)

    def _step(
        self,
        members: list[_Prepared],
        loss: LossSpec,
        base_lr: float,
        hooks: UpdateHooks,
        stats: UpdateStats,
        first: bool,
    ) -> None:
        """One optimizer step over one mini-batch, or a recorded skip if it is not finite."""
        lengths = [one.sequence.scored for one in members]
        factors = token_weights(loss, lengths, [one.item.weight for one in members])
        capacity = self.spec.pack_tokens
        while True:
            try:
                sums, mismatch = self._gradients(
                    members, factors, capacity, loss, hooks, stats, first
                )
                break
            except Exception as error:
                self.optimizer.trained.clear_gradients()
                longest = max(len(one.sequence.ids) for one in members)
                if (
                    not ran_out_of_memory(error)
                    or capacity <= longest
                    or stats.memory_retries == MAX_MEMORY_RETRIES
                ):
                    raise
                torch.cuda.empty_cache()
                stats.memory_retries += 1
                capacity = max(longest, capacity // 2)
        norm = self.optimizer.gradient_norm()
        if math.isfinite(sums.loss) and math.isfinite(norm):
            stats.rates.append(self.optimizer.step(base_lr, norm))
            stats.applied(sums)
        else:
            stats.skipped_steps.append(
                {"step": len(stats.losses), "reason": "nonfinite", "sequences": len(members)}
            )
        self.optimizer.trained.clear_gradients()
        stats.losses.append(sums.loss)
        stats.norms.append(norm)
        if first:
            # Only before the first step do sampler and trainer hold the same weights, so only
            # here does their difference measure the two computations and not the training.
            stats.mismatch = mismatch

    def _gradients(
        self,
        members: list[_Prepared],
        factors: list[float],
        capacity: int,
        loss: LossSpec,
        hooks: UpdateHooks,
        stats: UpdateStats,
        first: bool,
    ) -> tuple[LossSums, LogprobMismatch]:
        """Accumulates the mini-batch's gradients on the weights, row by row."""
        sequences = [one.sequence for one in members]
        units, sizes = share_prompts(
            [one.prompt_key for one in sequences],
            [one.prompt for one in sequences],
            [one.scored for one in sequences],
            capacity,
        )
        rows = pack(sizes, capacity)
        self.optimizer.trained.begin_gradients()
        sums, mismatch = LossSums(), LogprobMismatch()
        for row in rows:
            if hooks.cancelled() and first:
                raise TrainerError(
                    "cancelled", "The update was cancelled; the weights are unchanged."
                )
            chosen = sorted(index for unit in row for index in units[unit])
            part = [members[one] for one in chosen]
            self._row(part, [factors[one] for one in chosen], loss, sums, mismatch)
        stats.fills.append(fill(sizes, rows, capacity))
        return sums, mismatch

    def _row(
        self,
        part: list[_Prepared],
        factors: list[float],
        loss: LossSpec,
        sums: LossSums,
        mismatch: LogprobMismatch,
    ) -> None:
        """Forward and backward of one packed row; gradients accumulate on the weights."""
        sequences = [one.sequence for one in part]
        lengths = [one.scored for one in sequences]
        logp, entropy = packed_logprobs(
            self.weights,
            sequences,
            self.spec.chunk_for(self.weights.config),
            save_memory=bool(self.spec.grad_checkpoint),
            entropy_gradient=bool(loss.entropy_coef),
            share=True,
        )
        references = [one.reference for one in part if one.reference is not None]
        batch = TokenBatch(
            logp=logp,
            entropy=entropy,
            old=torch.cat([one.old for one in part]),
            sampler=torch.cat([one.sampler for one in part]),
            reference=torch.cat(references) if references else None,
            advantage=_per_token([one.item.advantage for one in part], lengths, logp),
            weight=_per_token(factors, lengths, logp),
            lengths=lengths,
        )
        token_loss(loss, batch, sums).backward()
        mismatch.add(logp.detach() - batch.sampler)


def _select(
    items: Sequence[UpdateItem], loss: LossSpec
) -> tuple[list[UpdateItem], list[dict[str, str]]]:
    """Items to train on, and those left out with the reason."""
    chosen, skipped = [], []
    for item in items:
        rollout = item.rollout
        wanted = rollout.temperature if loss.temperature is None else loss.temperature
        if wanted < LOWEST_TEMPERATURE:
            raise TrainerError(
                "badRequest",
                f"Rollout {rollout.rollout_id} was sampled at temperature {wanted:g}, so its "
                "tokens were no random choice and nothing can be learned from their ratio.",
            )
        if loss.old_logprobs == "sampler" and rollout.temperature != wanted:
            raise TrainerError(
                "badRequest",
                f"Rollout {rollout.rollout_id} was sampled at temperature {rollout.temperature:g}, "
                f"but params.loss.temperature is {loss.temperature:g}; the two must agree, or "
                "oldLogprobs must be 'recompute'.",
            )
        if rollout.finish == "length" and loss.truncated_policy == "drop":
            skipped.append({"rolloutId": rollout.rollout_id, "reason": "truncated"})
        else:
            chosen.append(item)
    return chosen, skipped


def _mini_batches(count: int, batch: BatchSpec) -> list[list[int]]:
    size = batch.mini_batch or max(count, 1)
    plan: list[list[int]] = []
    for epoch in range(batch.epochs):
        order = list(range(count))
        if batch.shuffle:
            order = shuffled(count, batch.shuffle_seed + epoch)
        plan += [order[at : at + size] for at in range(0, count, size)]
    return plan


def _per_token(values: list[float], lengths: list[int], like: torch.Tensor) -> torch.Tensor:
    per_sequence = torch.tensor(values, dtype=torch.float32)
    return per_sequence.repeat_interleave(torch.tensor(lengths)).to(like.device)
