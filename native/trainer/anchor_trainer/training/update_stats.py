"""What one update reports about itself, gathered while it runs."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from .loss import LossSums

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
# A ratio outside of this range counts as far off.
RATIO_LOW, RATIO_HIGH = 0.9, 1.1
# Values of bfloat16 that are no less than zero, in the order of their bits.
SIZES = 1 << 15


@dataclass
class LogprobMismatch:
    """Sampler against trainer: difference of the same token's log-probability, in nats.

    Sizes are counted after rounding to bfloat16: 256 KB however many tokens there are, and a
    quantile within 0.4 % of the exact one. Everything else is exact.
    """

    sum: float = 0.0
    max: float = 0.0
    k3: float = 0.0
    outside: int = 0
    tokens: int = 0
    counts: np.ndarray = field(default_factory=lambda: np.zeros(SIZES, np.int64))

    def add(self, difference: torch.Tensor) -> None:
        """Adds trainer minus sampler per token [N]."""
        # What is no number is as far off as can be: a sum or quantile of it is not hidden.
        size = difference.abs().nan_to_num(nan=math.inf, posinf=math.inf)
        ratio = difference.exp()
        self.sum += float(size.sum())
        self.max = max(self.max, float(size.max()))
        self.k3 += float((ratio - 1 - difference).sum())
        self.outside += int(((ratio < RATIO_LOW) | (ratio > RATIO_HIGH)).sum())
        self.tokens += difference.numel()
        # The bits of a float that is not negative grow with it.
        bits = size.to(torch.bfloat16).view(torch.int16).cpu().numpy()
        self.counts += np.bincount(bits, minlength=SIZES)

    def quantile(self, share: float) -> float:
        """The smallest size that no less than this share of the tokens do not exceed."""
        if self.tokens == 0:
            return 0.0
        rank = max(math.ceil(share * self.tokens), 1)
        at = int(np.searchsorted(self.counts.cumsum(), rank))
        # A bfloat16 is the first half of the float32 of the same value.
        size: float = struct.unpack("<f", struct.pack("<I", at << 16))[0]
        return min(size, self.max)

    def figures(self) -> dict[str, float]:
        """Means, sizes at the quantiles, and the share of ratios that are far off."""
        compared = max(self.tokens, 1)
        return {
            "absMean": self.sum / compared,
            "k3": self.k3 / compared,
            **{name: self.quantile(share) for name, share in QUANTILES.items()},
            "max": self.max,
            "outside": self.outside / compared,
        }


@dataclass(frozen=True)
class BatchSizes:
    """Sizes of the whole update: sequences, all tokens, scored tokens."""

    sequences: int
    tokens: int
    loss_tokens: int
    truncated_sampling: int
    has_reference: bool
    is_corrected: bool


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
        kl = {"old": sums.kl_old_sum / tokens}
        if batch.has_reference:
            kl["ref"] = sums.kl_reference_sum / tokens
        corrected = {"mean": sums.importance_sum / tokens, "truncated": sums.truncated / tokens}
        return {
            **({"tis": corrected} if batch.is_corrected else {}),
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
            "mismatch": self.mismatch.figures(),
            "entropy": sums.entropy_sum / tokens,
            "wallMs": seconds * 1000,
            "tokPerSec": batch.tokens / seconds if seconds > 0 else 0.0,
            "truncatedSampling": batch.truncated_sampling,
            "skipped": skipped,
            "skippedSteps": self.skipped_steps,
            "memoryRetries": self.memory_retries,
        }
