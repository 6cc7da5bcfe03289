"""What the trainer asks of whatever draws its rollouts."""

from __future__ import annotations

from typing import Literal, Protocol

from .records import GenerateRequest

# bits: a rollout is a function of the weights and its item. near: as far as rounding, which may
# depend on what was sampled beside it.
Exactness = Literal["bits", "near"]


class RolloutSampler(Protocol):
    """Draws token ids with their log-probabilities from token ids, under one version of weights.

    The caller gives it turns (`step`) as long as it is busy. Everything it holds between `submit`
    and `on_done` is in `requests`, by request id.
    """

    backend: str
    exactness: Exactness
    requests: dict[int, GenerateRequest]

    @property
    def busy(self) -> bool: ...

    @property
    def waiting_samples(self) -> int: ...

    @property
    def running_samples(self) -> int: ...

    def use_version(self, version: int) -> None:
        """The policy's weights are those of `version` now, and later rollouts are drawn from them.

        Nothing is sampled while weights change.
        """

    def submit(self, request: GenerateRequest) -> None:
        """Opens a request; its samples wait behind those of earlier requests."""

    def cancel(self, request_id: int, drain: bool) -> bool:
        """Ends a request: waiting samples vanish, running ones end now, or normally if `drain`."""

    def step(self) -> None:
        """Goes a little on; returns soon, so that cancels and new requests are heard."""

    def begin_again(self, error: Exception) -> None:
        """After `step` ran out of memory: what was running waits again, with less at a time."""

    def sleep(self) -> None:
        """Gives back what memory it can while nothing is sampled; `step` wakes it up."""

    def byte_count(self) -> int:
        """Bytes of the tensors that it holds between requests."""

    def close(self) -> None:
        """Ends what it started. It is not asked again."""
