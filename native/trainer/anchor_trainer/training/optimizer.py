"""AdamW on fp32 masters (Loshchilov and Hutter 2019), with warm-up and clipping."""

from __future__ import annotations

import math

import torch

from ..errors import TrainerError
from .spec import TrainSpec
from .trained import TrainedParameters


class AdamW:
    """First and second moments per fused tensor, and the number of steps taken.

    Weight decay applies to every parameter, as torch.optim.AdamW and the runs being reproduced
    do it.
    """

    def __init__(self, trained: TrainedParameters, spec: TrainSpec) -> None:
        self.trained = trained
        self.spec = spec
        self.steps = 0
        self.first = {name: torch.zeros_like(p) for name, p in trained.masters.items()}
        self.second = {name: torch.zeros_like(p) for name, p in trained.masters.items()}

    def learning_rate(self, base: float) -> float:
        """The rate of the next step: a linear rise over the warm-up, then constant."""
        warmup = self.spec.warmup_steps
        return base * min(1.0, (self.steps + 1) / warmup) if warmup else base

    def gradient_norm(self) -> float:
        """Euclidean norm over all gradients; not finite if any gradient is not."""
        grads = self.trained.gradients().values()
        norms = torch._foreach_norm([grad.float() for grad in grads])
        return float(torch.linalg.vector_norm(torch.stack(norms)))

    @torch.no_grad()
    def step(self, base_lr: float, norm: float) -> float:
        """One step with the gradients scaled to `grad_clip`; returns the rate used."""
        spec = self.spec
        given = self.trained.gradients()
        names = list(given)
        grads = [grad.float() for grad in given.values()]
        if spec.grad_clip > 0 and norm > spec.grad_clip:
            torch._foreach_mul_(grads, spec.grad_clip / norm)
        params = [self.trained.masters[name] for name in names]
        first = [self.first[name] for name in names]
        second = [self.second[name] for name in names]
        lr = self.learning_rate(base_lr)
        self.steps += 1
        beta1, beta2 = spec.betas
        if spec.weight_decay:
            torch._foreach_mul_(params, 1 - lr * spec.weight_decay)
        torch._foreach_lerp_(first, grads, 1 - beta1)
        torch._foreach_mul_(second, beta2)
        torch._foreach_addcmul_(second, grads, grads, 1 - beta2)
        spread = torch._foreach_sqrt(second)
        torch._foreach_div_(spread, math.sqrt(1 - beta2**self.steps))
        torch._foreach_add_(spread, spec.eps)
        torch._foreach_addcdiv_(params, first, spread, -lr / (1 - beta1**self.steps))
        self.trained.publish()
        return lr

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
