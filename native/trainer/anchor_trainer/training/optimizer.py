"""AdamW on fp32 masters (Loshchilov and Hutter 2019), with warm-up and clipping.

A step happens whole or not at all: the memory it needs is asked for before the first number moves,
and the parameters are moved slice by slice in place, so that no copy of all of them is ever made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch.optim.adamw import adamw

from ..errors import TrainerError
from ..model.config import is_small
from .spec import TrainSpec
from .trained import FP32_BYTES, TrainedParameters

# Elements moved at a time. A multiple of every vector width, so that cutting a tensor into slices
# changes no rounding; the small one stays in a cache, the large one keeps a GPU busy.
SMALL_SLICE = 1 << 18
LARGE_SLICE = 1 << 24


@dataclass(frozen=True)
class _Slice:
    """The same elements of a parameter, of its gradient and of its moments, flat."""

    master: torch.Tensor
    gradient: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor


class AdamW:
    """First and second moments per fused tensor, and the number of steps taken.

    Weight decay applies to every parameter, as torch.optim.AdamW and the runs being reproduced
    do it. Small models are moved by the same sequence of operations as ever, to the bit; large
    ones by torch's fused kernel, which takes a third of the time and differs by rounding.
    """

    def __init__(self, trained: TrainedParameters, spec: TrainSpec) -> None:
        self.trained = trained
        self.spec = spec
        self.steps = 0
        # Set while a step moves numbers: one that ended in between left a state without a name.
        self.moving = False
        self.fused = not is_small(trained.count())
        self.first = {name: torch.zeros_like(p) for name, p in trained.masters.items()}
        self.second = {name: torch.zeros_like(p) for name, p in trained.masters.items()}

    def learning_rate(self, base: float) -> float:
        """The rate of the next step: a linear rise over the warm-up, then constant."""
        warmup = self.spec.warmup_steps
        return base * min(1.0, (self.steps + 1) / warmup) if warmup else base

    def gradient_norm(self) -> float:
        """Euclidean norm over all gradients; not finite if any gradient is not."""
        grads = self.trained.gradients().values()
        norms = [torch.linalg.vector_norm(grad, dtype=torch.float32) for grad in grads]
        return float(torch.linalg.vector_norm(torch.stack(norms)))

    @torch.no_grad()
    def step(self, base_lr: float, norm: float) -> float:
        """One step with the gradients scaled to `grad_clip`; returns the rate used."""
        clip = self.spec.grad_clip
        scale = clip / norm if clip > 0 and norm > clip else None
        lr = self.learning_rate(base_lr)
        slices = list(self._slices())
        size = max((len(one.master) for one in slices), default=0)
        scratch = [torch.empty(size, device=slices[0].master.device) for _ in range(2)]
        count = torch.zeros(())
        self.moving = True
        self.steps += 1
        for one in slices:
            gradient = one.gradient
            if gradient.dtype != torch.float32:
                gradient = scratch[0][: len(gradient)].copy_(gradient)
            if scale is not None:
                gradient.mul_(scale)
            if self.fused:
                self._move_fused(one, gradient, lr, count.fill_(self.steps - 1))
            else:
                self._move(one, gradient, lr, scratch[1][: len(gradient)])
        self.trained.publish()
        self.moving = False
        return lr

    def _slices(self) -> Iterator[_Slice]:
        size = LARGE_SLICE if self.fused else SMALL_SLICE
        for name, gradient in self.trained.gradients().items():
            whole = (self.trained.masters[name], gradient, self.first[name], self.second[name])
            for parts in zip(*(one.view(-1).split(size) for one in whole), strict=True):
                yield _Slice(*parts)

    def _move(self, one: _Slice, gradient: torch.Tensor, lr: float, spread: torch.Tensor) -> None:
        beta1, beta2 = self.spec.betas
        if self.spec.weight_decay:
            one.master.mul_(1 - lr * self.spec.weight_decay)
        one.first.lerp_(gradient, 1 - beta1)
        one.second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        torch.sqrt(one.second, out=spread)
        spread.div_(math.sqrt(1 - beta2**self.steps)).add_(self.spec.eps)
        one.master.addcdiv_(one.first, spread, value=-lr / (1 - beta1**self.steps))

    def _move_fused(
        self, one: _Slice, gradient: torch.Tensor, lr: float, steps_before: torch.Tensor
    ) -> None:
        beta1, beta2 = self.spec.betas
        adamw(
            [one.master],
            [gradient],
            [one.first],
            [one.second],
            [],
            [steps_before],
            fused=True,
            amsgrad=False,
            beta1=beta1,
            beta2=beta2,
            lr=lr,
            weight_decay=self.spec.weight_decay,
            eps=self.spec.eps,
            maximize=False,
        )

    def named_state(self) -> dict[str, torch.Tensor]:
        """Moments under the names of files, prefixed `first.` and `second.`."""
        state = {f"first.{k}": v for k, v in self.trained.named(self.first).items()}
        state |= {f"second.{k}": v for k, v in self.trained.named(self.second).items()}
        return state

    def load_named_state(self, state: dict[str, torch.Tensor], steps: int) -> None:
        """Restores what `named_state` gave; raises badModel if it belongs to another model."""
        own = self.named_state()
        if set(own) != set(state) or any(own[k].shape != state[k].shape for k in own):
            raise TrainerError(
                "badModel", "The saved optimizer state does not fit the model it is loaded for."
            )
        for name, tensor in state.items():
            own[name].copy_(tensor)
        self.steps = steps

    def byte_count(self) -> int:
        moments = [*self.first.values(), *self.second.values()]
        return sum(tensor.numel() * tensor.itemsize for tensor in moments)

    @staticmethod
    def scratch_bytes(count: int) -> int:
        """What a step needs beside parameters, gradients and moments, at most."""
        return 2 * FP32_BYTES * min(count, SMALL_SLICE if is_small(count) else LARGE_SLICE)
