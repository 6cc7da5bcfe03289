"""Which parameters of a model an update moves, and what training them costs.

Everything that depends on it asks one object: the optimizer for what it moves, the update for
gradients, a checkpoint for names, the memory plan for bytes. Another way of training is another
class and a line of TRAINED.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import torch

from ..model.config import is_small
from ..model.language_model import LanguageModel

if TYPE_CHECKING:  # the library takes seconds to import
    from ..model.adapter_model import AdapterModel

FP32_BYTES = 4


class TrainedParameters(Protocol):
    """The parameters that an optimizer moves, by name: `masters`, in fp32 or in bf16 alone."""

    masters: dict[str, torch.Tensor]

    def __init__(self, weights: LanguageModel) -> None: ...

    @staticmethod
    def gradient_bytes(count: int, compute_bytes: int) -> int:
        """Of `count` trained parameters, in a model whose numbers have so many bytes."""

    def require_gradients(self, wanted: bool) -> None: ...

    def begin_gradients(self) -> None:
        """Before the first backward pass of an optimizer step: there are none yet."""

    def clear_gradients(self) -> None:
        """Gives their memory back."""

    def gradients(self) -> dict[str, torch.Tensor]:
        """Of the last backward pass, by the names of `masters`, where there is one."""

    def publish(self) -> None:
        """Makes what the masters became what is computed with and saved."""

    def named(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Tensors that belong to the masters, under the names that files use."""

    def count(self) -> int:
        """Parameters that are trained."""


class AllWeights:
    """Every parameter of the model (mode `full`).

    In a large model the matrix of all words weighs as much as many layers. Its gradient is then
    made once, and what a row adds is added where it belongs: the words of the row, and the output
    matrix, which is a leaf of its own even where it is the same memory.
    """

    def __init__(self, weights: LanguageModel) -> None:
        self.weights = weights
        self.masters = weights.master
        self._in_place = not is_small(weights.config.parameter_count())

    @staticmethod
    def gradient_bytes(count: int, compute_bytes: int) -> int:
        return compute_bytes * count

    def require_gradients(self, wanted: bool) -> None:
        if self._in_place:
            self.weights.set_apart(wanted)
        for tensor in self._leaves():
            tensor.requires_grad_(wanted)
        if not wanted:
            self.clear_gradients()

    def begin_gradients(self) -> None:
        self.clear_gradients()
        if self._in_place:
            embedding = self.weights.embedding
            embedding.grad = torch.zeros_like(embedding)
            if self.weights.config.tied:
                self.weights.head.grad = embedding.grad

    def clear_gradients(self) -> None:
        for tensor in self._leaves():
            tensor.grad = None

    def _leaves(self) -> list[torch.Tensor]:
        return [*self.weights.compute.values(), self.weights.head]

    def gradients(self) -> dict[str, torch.Tensor]:
        found = {name: tensor.grad for name, tensor in self.weights.compute.items()}
        return {name: gradient for name, gradient in found.items() if gradient is not None}

    @torch.no_grad()
    def publish(self) -> None:
        """Copies masters into the computing copies after an optimizer step, where there are any."""
        if self.weights.compute is not self.weights.master:
            for name, tensor in self.weights.compute.items():
                tensor.copy_(self.weights.master[name])

    def named(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return self.weights.split(tensors)

    def count(self) -> int:
        return self.weights.parameter_count()


class Adapter:
    """The matrices of an adapter beside frozen weights (mode `lora`)."""

    def __init__(self, weights: LanguageModel) -> None:
        self.model = cast("AdapterModel", weights)
        self.masters = self.model.adapter

    @staticmethod
    def gradient_bytes(count: int, compute_bytes: int) -> int:
        """The adapter and its gradient are fp32 on every device."""
        return FP32_BYTES * count

    def require_gradients(self, wanted: bool) -> None:
        if wanted:
            self.model.answer()  # which another set may have done last
        for tensor in self.masters.values():
            tensor.requires_grad_(wanted)
        if not wanted:
            self.clear_gradients()

    def begin_gradients(self) -> None:
        self.clear_gradients()

    def clear_gradients(self) -> None:
        for tensor in self.masters.values():
            tensor.grad = None

    def gradients(self) -> dict[str, torch.Tensor]:
        found = {name: tensor.grad for name, tensor in self.masters.items()}
        return {name: gradient for name, gradient in found.items() if gradient is not None}

    def publish(self) -> None:
        """What was moved is what is computed with."""
        self.model.untrained = False

    def named(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return tensors

    def count(self) -> int:
        return sum(tensor.numel() for tensor in self.masters.values())


# By the mode of params.train; `none` trains nothing and has no entry.
TRAINED: dict[str, type[TrainedParameters]] = {"full": AllWeights, "lora": Adapter}
