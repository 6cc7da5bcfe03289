"""The clipped policy-gradient loss, per token, and what is reported about it.

Ratio r = pi(token) / pi_old(token). Token level is PPO's objective (Schulman et al. 2017); at
sequence level r is the geometric mean over the sequence, shared by its tokens (GSPO, Zheng et al.
2025). The asymmetric clip is DAPO's, the dual clip Ye et al.'s (2020). Where tokens were drawn by
another program than the one that trains, their loss is multiplied by the trainer's probability
over the sampler's, truncated (TIS, Yao et al. 2025); no gradient goes through it. Sequences enter
only through their own tokens, so packing and order change nothing but rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .spec import KlSpec, LossSpec


@dataclass(frozen=True)
class TokenBatch:
    """Per scored token [N], except `lengths`: scored tokens per sequence, in order.

    `weight` is the share of the token's loss in the mini-batch's (from `token_weights`), `sampler`
    its log-probability when it was drawn.
    """

    logp: torch.Tensor
    entropy: torch.Tensor
    old: torch.Tensor
    sampler: torch.Tensor
    reference: torch.Tensor | None
    advantage: torch.Tensor
    weight: torch.Tensor
    lengths: Sequence[int]


@dataclass
class LossSums:
    """Sums over tokens, so that rows and mini-batches add up."""

    loss: float = 0.0
    tokens: int = 0
    clipped_low: int = 0
    clipped_high: int = 0
    ratio_sum: float = 0.0
    ratio_max: float = 0.0
    entropy_sum: float = 0.0
    kl_old_sum: float = 0.0
    kl_reference_sum: float = 0.0
    importance_sum: float = 0.0
    truncated: int = 0


def token_weights(spec: LossSpec, lengths: Sequence[int], weights: Sequence[float]) -> list[float]:
    """The factor of each sequence's token losses, so that the sum over tokens is the loss.

    `lengths` and `weights` cover the whole mini-batch in its order. Denominators count sequences
    and tokens, not weights: a weight of 0 removes a sequence's pull without moving the others'.
    """
    count = len(lengths)
    match spec.aggregation:
        case "token-mean":
            total = sum(lengths)
            return [one / total for one in weights]
        case "seq-mean-token-mean":
            return [one / (count * length) for one, length in zip(weights, lengths, strict=True)]
        case "seq-mean-token-sum":
            return [one / count for one in weights]
        case "const":
            return [one / spec.aggregation_size for one in weights]
        case _:
            size = spec.aggregation_size
            micros = -(-count // size)
            sums = [sum(lengths[at : at + size]) for at in range(0, count, size)]
            return [one / (micros * sums[at // size]) for at, one in enumerate(weights)]


def token_loss(spec: LossSpec, batch: TokenBatch, sums: LossSums) -> torch.Tensor:
    """The weighted loss of one packed row (a scalar with gradient); adds to `sums`."""
    log_ratio = batch.logp - batch.old
    if spec.level == "sequence":
        parts = log_ratio.split(list(batch.lengths))
        log_ratio = torch.cat([part.mean().expand(part.shape) for part in parts])
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - spec.clip_low, 1 + spec.clip_high)
    policy = torch.maximum(-ratio * batch.advantage, -clipped * batch.advantage)
    if spec.dual_clip is not None:
        bound = -spec.dual_clip * batch.advantage
        policy = torch.where(batch.advantage < 0, torch.minimum(policy, bound), policy)
    if spec.tis is not None:
        policy = policy * _importance(spec.tis, batch, sums)
    per_token = policy
    if spec.kl is not None and batch.reference is not None:
        penalty = kl_penalty(spec.kl, batch.logp, batch.reference)
        per_token = per_token + spec.kl.coef * penalty
        sums.kl_reference_sum += float(penalty.detach().sum())
    if spec.entropy_coef:
        per_token = per_token - spec.entropy_coef * batch.entropy
    loss = (per_token * batch.weight).sum()
    _report(spec, batch, ratio.detach(), sums)
    sums.loss += float(loss.detach())
    return loss


def _importance(cap: float, batch: TokenBatch, sums: LossSums) -> torch.Tensor:
    """What tokens drawn by the sampler are worth under the policy before the update, [N]."""
    ratio = (batch.old - batch.sampler).exp()
    sums.truncated += int((ratio > cap).sum())
    importance = ratio.clamp(max=cap)
    sums.importance_sum += float(importance.sum())
    return importance


def kl_penalty(spec: KlSpec, logp: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """Per-token estimate of KL(policy, reference) from a sampled token."""
    difference = logp - reference
    match spec.estimator:
        case "k1":
            estimate = difference
        case "k2":
            estimate = 0.5 * difference.square()
        case "k3":
            estimate = (-difference).exp() - 1 + difference
    return estimate if spec.clamp is None else estimate.clamp(-spec.clamp, spec.clamp)


def _report(spec: LossSpec, batch: TokenBatch, ratio: torch.Tensor, sums: LossSums) -> None:
    # Only clips that bind are counted: a token outside the range whose gradient still flows,
    # because it moves back towards it, is not clipped.
    low = (ratio < 1 - spec.clip_low) & (batch.advantage < 0)
    high = (ratio > 1 + spec.clip_high) & (batch.advantage > 0)
    sums.clipped_low += int(low.sum())
    sums.clipped_high += int(high.sum())
    sums.tokens += ratio.numel()
    sums.ratio_sum += float(ratio.sum())
    sums.ratio_max = max(sums.ratio_max, float(ratio.max()))
    sums.entropy_sum += float(batch.entropy.detach().sum())
    sums.kl_old_sum += float((batch.old - batch.logp.detach()).sum())
