"""AdamW (Loshchilov and Hutter 2019) on fp32 masters or on bf16 weights, with warm-up and clipping.

A step happens whole or not at all: the memory it needs is asked for before the first number moves,
and the parameters are moved slice by slice in place, so that no copy of all of them is ever made.
What is kept in fewer bits is fp32 while its slice is moved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch.optim.adamw import adamw

from ..errors import TrainerError
from ..model.config import is_small
from .moments import BLOCK, BlockwiseMoments, Float32Moments, Moments
from .rounding import round_into, rounding_key
from .spec import TrainSpec
from .trained import FP32_BYTES, TrainedParameters

# Elements moved at a time. A multiple of every vector width and of BLOCK, so that cutting a tensor
# into slices changes no rounding; the small one stays in a cache, the large one keeps a GPU busy,
# and the one between takes less room where a slice needs more of it.
SMALL_SLICE = 1 << 18
MEDIUM_SLICE = 1 << 22
LARGE_SLICE = 1 << 24


@dataclass(frozen=True)
class _Workspace:
    """Room for one slice, all of it asked for before a step begins; fp32 each.

    `master`, `first` and `second` are for what is not kept in fp32, and empty where it is.
    """

    gradient: torch.Tensor
    spread: torch.Tensor
    master: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor


class AdamW:
    """First and second moments per fused tensor, and the number of steps taken.

    Weight decay applies to every parameter, as torch.optim.AdamW and the runs being reproduced
    do it. Small models are moved by the same sequence of operations as ever, to the bit; large
    ones by torch's fused kernel, which takes a third of the time and differs by rounding.
    Weights without fp32 masters are rounded to bf16 at random, by draws that derive from `seed`.
    """

    def __init__(self, trained: TrainedParameters, spec: TrainSpec, seed: int = 0) -> None:
        self.trained = trained
        self.spec = spec
        self.seed = seed
        self.steps = 0
        # Set while a step moves numbers: one that ended in between left a state without a name.
        self.moving = False
        self.fused = not is_small(trained.count())
        self.first, self.second = _moments(trained, spec)

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
        gradients = self.trained.gradients()
        size = _slice_size(self.trained.count(), self.spec)
        room = self._workspace(max((one.numel() for one in gradients.values()), default=0), size)
        count = torch.zeros(())
        self.moving = True
        self.steps += 1
        for name, gradient in gradients.items():
            for start in range(0, gradient.numel(), size):
                end = min(start + size, gradient.numel())
                self._move_slice(name, gradient, start, end, lr, scale, room, count)
        self.trained.publish()
        self.moving = False
        return lr

    def _workspace(self, longest: int, size: int) -> _Workspace:
        device = next(iter(self.trained.masters.values())).device
        length = -(-min(longest, size) // BLOCK) * BLOCK

        def room(wanted: bool) -> torch.Tensor:
            return torch.empty(length if wanted else 0, device=device)

        in_blocks = isinstance(self.first, BlockwiseMoments)
        return _Workspace(
            room(True), room(True), room(self._rounds), room(in_blocks), room(in_blocks)
        )

    @property
    def _rounds(self) -> bool:
        """Whether the weights that are moved have no fp32 masters."""
        return any(one.dtype != torch.float32 for one in self.trained.masters.values())

    def _move_slice(
        self,
        name: str,
        of_all: torch.Tensor,
        start: int,
        end: int,
        lr: float,
        scale: float | None,
        room: _Workspace,
        count: torch.Tensor,
    ) -> None:
        kept = self.trained.masters[name].view(-1)[start:end]
        gradient = of_all.view(-1)[start:end]
        spread = room.spread[: len(gradient)]
        indices = room.spread.view(torch.int32)
        if gradient.dtype != torch.float32:
            gradient = room.gradient[: len(gradient)].copy_(gradient)
        if scale is not None:
            gradient.mul_(scale)
        rounds = kept.dtype != torch.float32
        master = room.master[: len(kept)].copy_(kept) if rounds else kept
        first = self.first.open(name, start, end, room.first, indices)
        second = self.second.open(name, start, end, room.second, indices)
        if self.fused:
            self._move_fused(master, gradient, first, second, lr, count.fill_(self.steps - 1))
        else:
            self._move(master, gradient, first, second, lr, spread)
        self.first.close(name, start, end, room.first, indices)
        self.second.close(name, start, end, room.second, indices)
        if rounds:
            key = rounding_key(self.seed, self.steps, name)
            round_into(kept, master, key, start, (room.spread, room.gradient))

    def _move(
        self,
        master: torch.Tensor,
        gradient: torch.Tensor,
        first: torch.Tensor,
        second: torch.Tensor,
        lr: float,
        spread: torch.Tensor,
    ) -> None:
        beta1, beta2 = self.spec.betas
        if self.spec.weight_decay:
            master.mul_(1 - lr * self.spec.weight_decay)
        first.lerp_(gradient, 1 - beta1)
        second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        torch.sqrt(second, out=spread)
        spread.div_(math.sqrt(1 - beta2**self.steps)).add_(self.spec.eps)
        master.addcdiv_(first, spread, value=-lr / (1 - beta1**self.steps))

    def _move_fused(
        self,
        master: torch.Tensor,
        gradient: torch.Tensor,
        first: torch.Tensor,
        second: torch.Tensor,
        lr: float,
        steps_before: torch.Tensor,
    ) -> None:
        beta1, beta2 = self.spec.betas
        adamw(
            [master],
            [gradient],
            [first],
            [second],
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
        state = {f"first.{k}": v for k, v in self.first.named(self.trained).items()}
        state |= {f"second.{k}": v for k, v in self.second.named(self.trained).items()}
        return state

    def load_named_state(self, state: dict[str, torch.Tensor], steps: int) -> None:
        """Restores what `named_state` gave; raises badModel if it belongs to another model."""
        own = self.named_state()
        if set(own) != set(state) or any(
            (own[k].shape, own[k].dtype) != (state[k].shape, state[k].dtype) for k in own
        ):
            raise TrainerError(
                "badModel", "The saved optimizer state does not fit the model it is loaded for."
            )
        for name, tensor in state.items():
            own[name].copy_(tensor)
        self.steps = steps

    def forget(self) -> None:
        """Begins anew: no moments and no steps, so that the warm-up comes again as well."""
        for tensor in self.named_state().values():
            tensor.zero_()
        self.steps = 0

    def byte_count(self) -> int:
        return self.first.byte_count() + self.second.byte_count()

    @staticmethod
    def moment_bytes(count: int, spec: TrainSpec) -> int:
        """Of both moments of `count` parameters."""
        kind = BlockwiseMoments if spec.optimizer == "adamw8bit" else Float32Moments
        return 2 * kind.bytes_of(count)

    @staticmethod
    def scratch_bytes(count: int, longest: int, spec: TrainSpec) -> int:
        """What a step needs beside parameters, gradients and moments.

        `count` parameters are trained, the largest tensor of them has `longest`.
        """
        return _rooms(spec) * FP32_BYTES * min(longest, _slice_size(count, spec))


def _moments(trained: TrainedParameters, spec: TrainSpec) -> tuple[Moments, Moments]:
    if spec.optimizer == "adamw8bit":
        signed = BlockwiseMoments(trained.masters, signed=True)
        return signed, BlockwiseMoments(trained.masters, signed=False)
    return Float32Moments(trained.masters), Float32Moments(trained.masters)


def _rooms(spec: TrainSpec) -> int:
    """Slices that a step has room for: gradient and spread, and what is not kept in fp32."""
    rounds = spec.mode == "full" and spec.precision == "bf16"
    return 2 + (1 if rounds else 0) + (2 if spec.optimizer == "adamw8bit" else 0)


def _slice_size(count: int, spec: TrainSpec) -> int:
    if is_small(count):
        return SMALL_SLICE
    return LARGE_SLICE if _rooms(spec) == 2 else MEDIUM_SLICE
