"""Muon for the hidden matrices, Adam for embedding, norms and biases; both resumable.

Muon orthogonalises the momentum of every matrix (Newton-Schulz, in bfloat16 as its authors do;
3 rounds were enough here). Equal
shapes are stacked over layers and projections, so one batched product serves up to 18 matrices.
Fused projections are taken apart first: query, key, value, gate and up are matrices of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from .model import TrainingModel

ROUNDS = 3
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def orthogonalised(matrices: Tensor) -> Tensor:
    """Approximate orthogonal factor of [count, rows, columns] with rows <= columns."""
    a, b, c = COEFFICIENTS
    current: Tensor = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        gram = current @ current.mT
        polynomial = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
        current = torch.baddbmm(current, polynomial, current, beta=a)
    return current


def _gradient(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None, "a step comes after a backward pass"
    return parameter.grad


@dataclass
class Muon:
    """`slices` name (parameter, first row, rows) of every matrix; tall ones are transposed."""

    model: TrainingModel
    rate: float
    momentum: float = 0.95
    decay: float = 0.01
    buffers: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.matrices = {
            name: parameter
            for name, parameter in self.model.named_parameters()
            if parameter.dim() == 2 and name != "embedding"
        }
        self.buffers = {name: torch.zeros_like(p) for name, p in self.matrices.items()}
        self.groups: dict[tuple[int, int], list[tuple[str, int, int]]] = {}
        sizes = next(self.model.layers()).sizes
        for name, parameter in self.matrices.items():
            rows, columns = parameter.shape
            parts = (
                sizes
                if "query_key_value" in name
                else ([rows // 2, rows // 2] if "gate_up" in name else [rows])
            )
            first = 0
            for part in parts:
                key = (min(part, columns), max(part, columns))
                self.groups.setdefault(key, []).append((name, first, part))
                first += part

    @torch.no_grad()
    def step(self, factor: float) -> None:
        """One update from the gradients, at `factor` of the full rate."""
        for name, parameter in self.matrices.items():
            self.buffers[name].mul_(self.momentum).add_(_gradient(parameter))
        for (rows, columns), members in self.groups.items():
            stack = torch.empty(
                len(members),
                rows,
                columns,
                dtype=torch.bfloat16,
                device=self.model.embedding.device,
            )
            for place, (name, first, part) in zip(stack, members, strict=True):
                ahead = torch.add(
                    _gradient(self.matrices[name])[first : first + part],
                    self.buffers[name][first : first + part],
                    alpha=self.momentum,
                )
                place.copy_(ahead.mT if part > ahead.shape[1] else ahead)
            for update, (name, first, part) in zip(orthogonalised(stack), members, strict=True):
                weight = self.matrices[name][first : first + part]
                tall = part > weight.shape[1]
                scale = max(1.0, part / weight.shape[1]) ** 0.5
                weight.mul_(1 - self.rate * factor * self.decay)
                weight.add_(update.mT if tall else update, alpha=-self.rate * factor * scale)


@dataclass
class Adam:
    """Adam without weight decay over everything Muon does not take."""

    model: TrainingModel
    rate: float
    betas: tuple[float, float] = (0.9, 0.95)
    count: int = 0

    def __post_init__(self) -> None:
        self.parameters = {
            name: parameter
            for name, parameter in self.model.named_parameters()
            if parameter.dim() != 2 or name == "embedding"
        }
        self.first = {name: torch.zeros_like(p) for name, p in self.parameters.items()}
        self.second = {name: torch.zeros_like(p) for name, p in self.parameters.items()}

    @torch.no_grad()
    def step(self, factor: float) -> None:
        self.count += 1
        slow, fast = 1 - self.betas[0] ** self.count, 1 - self.betas[1] ** self.count
        for name, parameter in self.parameters.items():
            first, second = self.first[name], self.second[name]
            gradient = _gradient(parameter)
            first.lerp_(gradient, 1 - self.betas[0])
            second.mul_(self.betas[1]).addcmul_(gradient, gradient, value=1 - self.betas[1])
            spread = (second / fast).sqrt_().add_(1e-8)
            parameter.addcdiv_(first, spread, value=-self.rate * factor / slow)


def optimizer_tensors(muon: Muon, adam: Adam) -> dict[str, Tensor]:
    """Every tensor of both optimizers under one flat naming, for checkpoints."""
    named = {f"muon.{name}": tensor for name, tensor in muon.buffers.items()}
    named |= {f"adam.first.{name}": tensor for name, tensor in adam.first.items()}
    return named | {f"adam.second.{name}": tensor for name, tensor in adam.second.items()}
