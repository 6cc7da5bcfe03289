"""What one update reports about itself, gathered while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from .loss import LossSums


@dataclass
class LogprobMismatch:
    """Sampler against trainer: difference of the same token's log-probability, in nats."""

    sum: float = 0.0
    max: float = 0.0
    k3: float = 0.0
    tokens: int = 0

    def add(self, difference: torch.Tensor) -> None:
        """Adds trainer minus sampler per token [N]."""
        self.sum += float(difference.abs().sum())
        self.max = max(self.max, float(difference.abs().max()))
        self.k3 += float((difference.exp() - 1 - difference).sum())
        self.tokens += difference.numel()


@dataclass(frozen=True)
class BatchSizes:
    """Sizes of the whole update: sequences, all tokens, scored tokens."""

    sequences: int
    tokens: int
    loss_tokens: int
    truncated_sampling: int
    has_reference: bool


@dataclass
class UpdateStats:
    """One entry per optimizer step in `losses` and `norms`; `rates` has applied steps only."""

    sums: LossSums = field(default_factory=LossSums)
    mismatch: LogprobMismatch = field(default_factory=LogprobMismatch)
    losses: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    fills: list[float] = field(default_factory=list)
    skipped_steps: list[dict[str, Any]] = field(default_factory=list)
    memory_retries: int = 0

    def applied(self, sums: LossSums) -> None:
        """Adds the token sums of a step that was taken."""
        for name, value in vars(sums).items():
            kept = getattr(self.sums, name)
            setattr(self.sums, name, max(kept, value) if name == "ratio_max" else kept + value)

    def figures(
        self, batch: BatchSizes, skipped: list[dict[str, str]], seconds: float
    ) -> dict[str, Any]:
        """The result's figures; means are over scored tokens of applied steps."""
        sums, tokens = self.sums, max(self.sums.tokens, 1)
        compared = max(self.mismatch.tokens, 1)
        kl = {"old": sums.kl_old_sum / tokens}
        if batch.has_reference:
            kl["ref"] = sums.kl_reference_sum / tokens
        return {
            "optimizerSteps": len(self.rates),
            "sequences": batch.sequences,
            "tokens": batch.tokens,
            "lossTokens": batch.loss_tokens,
            "packFill": sum(self.fills) / len(self.fills) if self.fills else 1.0,
            "loss": self.losses,
            "gradNorm": self.norms,
            "lr": self.rates,
            "kl": kl,
            "clip": {"low": sums.clipped_low / tokens, "high": sums.clipped_high / tokens},
            "ratio": {"mean": sums.ratio_sum / tokens, "max": sums.ratio_max},
            "mismatch": {
                "absMean": self.mismatch.sum / compared,
                "k3": self.mismatch.k3 / compared,
                "max": self.mismatch.max,
            },
            "entropy": sums.entropy_sum / tokens,
            "wallMs": seconds * 1000,
            "tokPerSec": batch.tokens / seconds if seconds > 0 else 0.0,
            "truncatedSampling": batch.truncated_sampling,
            "skipped": skipped,
            "skippedSteps": self.skipped_steps,
            "memoryRetries": self.memory_retries,
        }
