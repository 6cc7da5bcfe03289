"""Which parameters of a model an update moves, and what training them costs.

Everything that depends on it asks one object: the optimizer for what it moves, the update for
gradients, a checkpoint for names, the memory plan for bytes. Another way of training is another
class and a line of TRAINED.
"""

from __future__ import annotations

from typing import Protocol

import torch

from ..model.weights import Weights

FP32_BYTES = 4


class TrainedParameters(Protocol):
    """The parameters that an optimizer moves, by name; `masters` are kept in fp32."""

    masters: dict[str, torch.Tensor]

    def __init__(self, weights: Weights) -> None: ...

    @staticmethod
    def footprint(count: int, compute_bytes: int) -> dict[str, int]:
        """Bytes of training by purpose, for a model of `count` parameters."""

    def require_gradients(self, wanted: bool) -> None: ...

    def clear_gradients(self) -> None: ...

    def gradients(self) -> dict[str, torch.Tensor]:
        """Of the last backward pass, by the names of `masters`, where there is one."""

    def publish(self) -> None:
        """Makes what the masters became what is computed with and saved."""

    def named(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Tensors that belong to the masters, under the names that files use."""

    def count(self) -> int:
        """Parameters that are trained."""


class AllWeights:
    """Every parameter of the model (mode `full`)."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.masters = weights.master

    @staticmethod
    def footprint(count: int, compute_bytes: int) -> dict[str, int]:
        """A gradient in the number type that is computed with, and AdamW's two fp32 moments."""
        return {"grads": compute_bytes * count, "optimizer": 2 * FP32_BYTES * count}

    def require_gradients(self, wanted: bool) -> None:
        for tensor in self.weights.compute.values():
            tensor.requires_grad_(wanted)
            if not wanted:
                tensor.grad = None

    def clear_gradients(self) -> None:
        for tensor in self.weights.compute.values():
            tensor.grad = None

    def gradients(self) -> dict[str, torch.Tensor]:
        found = {name: tensor.grad for name, tensor in self.weights.compute.items()}
        return {name: gradient for name, gradient in found.items() if gradient is not None}

    @torch.no_grad()
    def publish(self) -> None:
        """Copies masters into the computing copies after an optimizer step (no-op in fp32)."""
        if self.weights.compute is not self.weights.master:
            for name, tensor in self.weights.compute.items():
                tensor.copy_(self.weights.master[name])

    def named(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return self.weights.split(tensors)

    def count(self) -> int:
        return self.weights.parameter_count()


# By the mode of params.train; `none` trains nothing and has no entry.
TRAINED: dict[str, type[TrainedParameters]] = {"full": AllWeights}
