"""What transformers' class of a model keeps for a backward pass, counted and not guessed.

The class is run once without memory (PyTorch's meta device), and the tensors that its operations
would keep are added up. Attention is not run but stands for what a fused kernel keeps.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

import torch
from accelerate import init_empty_weights
from torch import nn

from .adapter_folder import LoraSpec
from .attention import AttentionRule
from .config import ModelConfig
from .frozen_base import adapted_layers, with_adapter
from .library_model import empty_module, library_config

TOKENS = 64


@dataclass(frozen=True)
class LibraryCosts:
    """`kept` are bytes for each token, over all layers; `adapter` the parameters of one.

    `squares` are numbers for each token and each one before it: of scores that no fused kernel
    bounds. `experts` are the parameters of a layer's experts in one tensor, whose gradient the
    class adds up expert by expert in copies of the whole. `linear` are the parameters of each
    linear layer's matrix.
    """

    kept: float
    squares: int
    experts: int
    adapter: int
    linear: tuple[int, ...]


class _FusedAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(q)
        ctx.save_for_backward(q, k, v, out, q.new_empty(q.shape[:2]))
        return out


def costs_of(config: ModelConfig, lora: LoraSpec | None, computed_in: torch.dtype) -> LibraryCosts:
    """Of training every parameter, or an adapter (in fp32) to a frozen model."""
    return _costs(json.dumps(config.raw, sort_keys=True), config.architecture, lora, computed_in)


@functools.lru_cache(maxsize=16)
def _costs(
    raw: str, architecture: str, lora: LoraSpec | None, computed_in: torch.dtype
) -> LibraryCosts:
    library = library_config(_without_experts(json.loads(raw)))
    with init_empty_weights(include_buffers=True):
        module = empty_module(library, architecture).to(computed_in)
        # An adapter's layers are those of the class as it is, whose experts are no linear layers.
        real = empty_module(library_config(json.loads(raw)), architecture)
    parameters = {one.untyped_storage()._cdata for one in module.parameters()}
    adapter = 0
    if lora is not None:
        modules = adapted_layers(real, lora.targets)
        wrapped = with_adapter(module, lora.rank, lora.alpha, modules, "one", empty=True)
        trained = [one for one in wrapped.parameters() if one.requires_grad]
        for one in trained:
            one.data = one.data.float()
        adapter = sum(one.numel() for one in trained)
        parameters |= {one.untyped_storage()._cdata for one in trained}
    squares = 0

    def attend(
        layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, rule: AttentionRule
    ) -> torch.Tensor:
        nonlocal squares
        if rule.softcap is not None:
            squares += 2 * q.shape[1]  # the bounded scores and their softmax
        attended: torch.Tensor = _FusedAttention.apply(q, k, v)  # type: ignore[no-untyped-call]
        return attended.reshape(len(q), -1)

    kept: dict[int, torch.Tensor] = {}  # by memory; held, so that none is given out twice

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        memory = tensor.untyped_storage()._cdata
        if memory not in parameters:
            kept.setdefault(memory, tensor)
        return tensor

    places = torch.zeros(1, TOKENS, dtype=torch.int64, device="meta")
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda one: one):
        module.model(input_ids=places, position_ids=places, use_cache=False, anchor_attend=attend)
    total = sum(one.untyped_storage().nbytes() for one in kept.values())
    return LibraryCosts(
        kept=total / TOKENS,
        squares=squares,
        experts=_experts(json.loads(raw)),
        adapter=adapter,
        linear=tuple(
            one.weight.numel() for one in real.model.modules() if isinstance(one, nn.Linear)
        ),
    )


def _experts(raw: dict[str, Any]) -> int:
    count: int = raw.get("num_experts") or 0
    return count and count * 2 * int(raw["moe_intermediate_size"]) * int(raw["hidden_size"])


def _without_experts(raw: dict[str, Any]) -> dict[str, Any]:
    """With one feed-forward as wide as the experts of a token, which only numbers would name."""
    if not raw.get("num_experts"):
        return raw
    wide = raw.get("num_experts_per_tok", 1) * raw["moe_intermediate_size"]
    dense = list(range(raw["num_hidden_layers"]))
    return {**raw, "mlp_only_layers": dense, "intermediate_size": wide}
