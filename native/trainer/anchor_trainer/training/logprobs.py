"""Log-probabilities of completion tokens, without ever holding all logits of a batch."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch.nn import LinearCrossEntropyOptions
from torch.utils.checkpoint import checkpoint

from ..model.attention import Layout
from ..model.config import ModelConfig, is_small
from ..model.forward import hidden_states, logits_from, logits_of
from ..model.language_model import Answering
from .packing import pack

# Without the wrapper around it, which imports the whole compiler at its first call: 2 processor
# seconds, more than all updates of a short run.
_recomputed = inspect.unwrap(checkpoint)


@dataclass(frozen=True)
class ScoredSequence:
    """One sequence: all token ids, of which the first `prompt` are not scored.

    `temperature` divides the logits of its scored tokens, as it did when they were sampled.
    """

    ids: torch.Tensor
    prompt: int
    temperature: float = 1.0

    @property
    def scored(self) -> int:
        return len(self.ids) - self.prompt

    @property
    def prompt_key(self) -> bytes:
        """Equal for sequences that begin with the same prompt, and only for those."""
        return self.ids[: self.prompt].cpu().numpy().tobytes()


def packed_logprobs(
    weights: Answering,
    row: Sequence[ScoredSequence],
    logit_chunk: int,
    *,
    save_memory: bool = False,
    entropy_gradient: bool = False,
    share: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """fp32 log-probability and entropy (nats) of each scored token of a packed row, in order.

    Position t's hidden state predicts token t+1, so the scored token i of a sequence reads the
    state before it. With `share`, prompts that sequences have in common are computed once; that
    moves numbers by rounding only.
    """
    ids, layout, reading = _lay_out(row, share)
    hidden = hidden_states(
        weights, ids.to(weights.device, torch.int64), layout, save_memory=save_memory
    )
    targets = torch.cat([one.ids[one.prompt :] for one in row])
    return token_logprobs(
        weights,
        hidden[reading.to(weights.device)],
        targets.to(weights.device, torch.int64),
        _temperatures(row).to(weights.device),
        logit_chunk,
        entropy_gradient,
    )


def _temperatures(row: Sequence[ScoredSequence]) -> torch.Tensor:
    """What divides the logits: one number [] where all sequences have the same, else [N, 1]."""
    if len({one.temperature for one in row}) == 1:
        return torch.tensor(row[0].temperature)
    each = torch.tensor([one.temperature for one in row])
    return each.repeat_interleave(torch.tensor([one.scored for one in row])).unsqueeze(1)


def _lay_out(
    row: Sequence[ScoredSequence], share: bool
) -> tuple[torch.Tensor, Layout, torch.Tensor]:
    """Token ids of the packed row, their layout, and where each scored token is predicted.

    With `share`, a prompt that several sequences begin with is laid down once, where the first of
    them lies, and what follows it in each becomes a branch.
    """
    groups: dict[bytes | int, list[int]] = {}
    for index, one in enumerate(row):
        # A sequence without scored tokens has no branch to become.
        groups.setdefault(one.prompt_key if share and one.scored > 0 else index, []).append(index)
    ids: list[torch.Tensor] = []
    lengths: list[int] = []
    branches: list[list[int]] = []
    reading: list[torch.Tensor] = [torch.empty(0, dtype=torch.int64)] * len(row)
    at = 0
    for members in groups.values():
        first = row[members[0]]
        last = at + first.prompt - 1
        if len(members) == 1:
            ids.append(first.ids)
            lengths.append(len(first.ids))
            branches.append([])
            reading[members[0]] = torch.arange(last, last + first.scored)
            at += len(first.ids)
            continue
        ids.append(first.ids[: first.prompt])
        lengths.append(first.prompt)
        branches.append([row[one].scored for one in members])
        at += first.prompt
        for index in members:
            one = row[index]
            ids.append(one.ids[one.prompt :])
            inside = torch.arange(at, at + one.scored - 1)
            reading[index] = torch.cat((torch.tensor([last]), inside))
            at += one.scored
    return torch.cat(ids), Layout(lengths, branches), torch.cat(reading)


def token_logprobs(
    weights: Answering,
    hidden: torch.Tensor,
    targets: torch.Tensor,
    temperature: torch.Tensor,
    logit_chunk: int,
    entropy_gradient: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """As `packed_logprobs`, from hidden states [N, hidden], ids [N], temperatures [] or [N, 1]."""
    config = weights.config
    if (
        torch.is_grad_enabled()
        and not entropy_gradient
        and not is_small(config.parameter_count())
        and config.logit_softcap is None
    ):
        loss = F.linear_cross_entropy(
            hidden / (temperature / config.logit_scale),
            weights.head,
            targets,
            reduction="none",
            options=LinearCrossEntropyOptions(batch_chunk_size=logit_chunk),
        )
        return -loss, _entropies(weights, hidden.detach(), temperature, logit_chunk)
    logps, entropies = [], []
    for start in range(0, len(targets), logit_chunk):
        end = start + logit_chunk
        divisor = temperature if temperature.dim() == 0 else temperature[start:end]
        part = (hidden[start:end], targets[start:end], divisor)
        if torch.is_grad_enabled() and len(targets) > logit_chunk:
            # Recomputing a chunk costs one product; keeping it would cost chunk x vocabulary.
            logp, entropy = _recomputed(
                _chunk, weights.head, *part, entropy_gradient, config, use_reentrant=True
            )
        else:
            logp, entropy = _chunk(weights.head, *part, entropy_gradient, config)
        logps.append(logp)
        entropies.append(entropy)
    return torch.cat(logps), torch.cat(entropies)


def _chunk(
    head: torch.Tensor,
    hidden: torch.Tensor,
    targets: torch.Tensor,
    temperature: torch.Tensor,
    entropy_gradient: bool,
    config: ModelConfig,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = torch.log_softmax(logits_from(head, hidden, config) / temperature, dim=-1)
    logp = scores.gather(1, targets.unsqueeze(1)).squeeze(1)
    kept = scores if entropy_gradient else scores.detach()
    return logp, -(kept.exp() * kept).sum(-1)


@torch.no_grad()
def _entropies(
    weights: Answering, hidden: torch.Tensor, temperature: torch.Tensor, logit_chunk: int
) -> torch.Tensor:
    """Entropy (nats) [N] of the distribution after each hidden state."""
    found = []
    for start in range(0, len(hidden), logit_chunk):
        end = start + logit_chunk
        divisor = temperature if temperature.dim() == 0 else temperature[start:end]
        logits = logits_of(weights, hidden[start:end]).div_(divisor)
        total = logits.logsumexp(-1)
        found.append(total - logits.mul_(torch.softmax(logits, -1)).sum(-1))
    return torch.cat(found)


@torch.no_grad()
def all_logprobs(
    weights: Answering,
    sequences: Sequence[ScoredSequence],
    pack_tokens: int,
    logit_chunk: int,
) -> list[torch.Tensor]:
    """Log-probabilities of every sequence's scored tokens, without gradients."""
    results: list[torch.Tensor | None] = [None] * len(sequences)
    for row in pack([len(one.ids) for one in sequences], pack_tokens):
        members = [sequences[one] for one in row]
        logp, _ = packed_logprobs(weights, members, logit_chunk)
        parts = logp.split([one.scored for one in members])
        for one, part in zip(row, parts, strict=True):
            results[one] = part
    return [one for one in results if one is not None]
