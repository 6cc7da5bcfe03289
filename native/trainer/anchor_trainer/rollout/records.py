"""What goes into the sampler and what comes out: items, finished rollouts, requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..errors import TrainerError
from .sampling import Sampling

Finish = Literal["stop", "length", "cancel"]


@dataclass(frozen=True)
class Item:
    """One prompt to be continued `n` times; sample i draws its noise from (seed, i).

    Temperature, top_p and stops may differ between the items of a request. With `alternatives`
    every token is told as it is drawn, beside so many of the likeliest at its place.
    """

    key: str
    prompt: list[int]
    n: int
    seed: int
    max_new_tokens: int
    temperature: float
    top_p: float
    stop: tuple[str, ...]
    tag: str | None = None
    alternatives: int = 0


@dataclass(frozen=True)
class Drawn:
    """A token of a watched row as it was drawn: `position` counts new tokens from 0.

    `logp` and those of `likeliest` (id, logp), the likeliest first, are natural-log probabilities
    over the whole vocabulary at the sampling temperature, at 1 for greedy rows.
    """

    key: str
    index: int
    position: int
    token: int
    logp: float
    likeliest: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Rollout:
    """One finished sample with what an update needs to know about how it was drawn.

    `new_ids` int32 [n] ends with the stop token when `finish` is stop; `logp` float32 [n] are
    natural-log probabilities at `temperature`, under weights `version`. With `truncated_sampling`
    tokens were cut off, so that `logp` is of another distribution than the trainer computes.
    `entropy_mean` is None where a sampler does not say it.
    """

    rollout_id: str
    op_key: str | None
    key: str
    index: int
    tag: str | None
    prompt_ids: np.ndarray
    new_ids: np.ndarray
    logp: np.ndarray
    entropy_mean: float | None
    temperature: float
    truncated_sampling: bool
    finish: Finish
    version: int


@dataclass
class Totals:
    """Counters of one request, reported with its result."""

    rollouts: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0
    cancelled: int = 0
    decode_steps: int = 0
    row_steps: int = 0
    prefill_seconds: float = 0.0
    memory_retries: int = 0


def _raised(error: TrainerError) -> None:
    raise error


def _unwatched(request: GenerateRequest, drawn: Drawn) -> None:
    """Nobody follows it."""


@dataclass
class GenerateRequest:
    """One open request. `on_rollout` is called as each sample ends, `on_done` after the last.

    `on_token` is called for every token of its watched items. Rows that had to begin again for lack
    of memory count from position 0 once more.

    A request that cannot go on gets `on_failed` in place of what is missing and of `on_done`.
    """

    request_id: int
    op_key: str | None
    items: list[Item]
    sampling: Sampling
    keep: bool
    started: float
    on_rollout: Callable[[GenerateRequest, Rollout, str, float], None]
    on_done: Callable[[GenerateRequest], None]
    on_failed: Callable[[TrainerError], None] = _raised
    on_token: Callable[[GenerateRequest, Drawn], None] = _unwatched
    remaining: int = 0
    totals: Totals = field(default_factory=Totals)
    kept: list[Rollout] = field(default_factory=list)

    def finished(self, rollout: Rollout, text: str, milliseconds: float) -> None:
        """One of its samples has ended: it is counted, kept if it is to be, and reported."""
        is_whole = rollout.finish != "cancel"
        self.remaining -= 1
        self.totals.new_tokens += len(rollout.new_ids)
        self.totals.cancelled += not is_whole
        self.totals.rollouts += is_whole
        if self.keep and is_whole:
            self.kept.append(rollout)
        self.on_rollout(self, rollout, text, milliseconds)

    def rollout_id(self, key: str, index: int) -> str:
        return f"{self.op_key or '-'}/{key}/{index}"
