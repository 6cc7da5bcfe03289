"""The weights of one policy in memory: what is kept, and the copies that are computed with.

Matrices that read the same input are stored as one (q, k and v; gate and up), so that sampling
and training each do one multiplication where the checkpoint has three or two. The Hugging Face
names are row ranges of those fused tensors: loading and saving go through `named_views`, and no
second copy of anything exists on the CPU. On CUDA `compute` holds bf16 copies of the fp32 masters:
rounded to the nearest, bf16 weights alone would lose nearly every step of a reinforcement-learning
rate. With the precision bf16 they are alone all the same, and `training.rounding` moves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from .attention import Attend
from .config import ModelConfig
from .language_model import KeptWeights, Precision, number_types
from .layers import LAYER_PARTS, LayerWeights, rms_norm, run_layer
from .rope import angle_table


class Weights(KeptWeights):
    """One policy's parameters. `master` and `compute` share names; in fp32 they are the same.

    `compute_dtype` is bf16 on CUDA and fp32 elsewhere unless it is given or the precision is bf16.
    `named` is emptied on the way: a model that is loaded is in memory once.
    """

    def __init__(
        self,
        config: ModelConfig,
        named: dict[str, torch.Tensor],
        device: torch.device,
        compute_dtype: torch.dtype | None = None,
        precision: Precision = "master32",
    ) -> None:
        self.config = config
        self.device = device
        kept, self.compute_dtype = number_types(precision, device, compute_dtype)
        self._rows: dict[str, list[tuple[str, int]]] = {}
        self.master: dict[str, torch.Tensor] = {}
        for fused, parts in self._layout(named):
            self._rows[fused] = [(part, named[part].shape[0]) for part in parts]
            taken = [named.pop(part) for part in parts]
            stacked = torch.cat(taken) if len(taken) > 1 else taken[0].clone()
            del taken
            self.master[fused] = stacked.to(device, kept)
        if self.compute_dtype == kept:
            self.compute = self.master
        else:
            self.compute = {k: v.to(self.compute_dtype) for k, v in self.master.items()}
        self.layers = [self._layer(number) for number in range(config.layers)]
        self.embedding = self.compute["embedding"]
        self.norm = self.compute["norm"]
        self.head = self.embedding if config.tied else self.compute["head"]
        self.sparse_embedding = False
        cos, sin = angle_table(config, config.context)
        self.cos, self.sin = cos.to(device), sin.to(device)

    def run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        attend: Attend,
        *,
        save_memory: bool = False,
    ) -> torch.Tensor:
        """As LanguageModel.run."""
        angles = (self.cos[positions], self.sin[positions])
        x = F.embedding(ids, self.embedding, sparse=self.sparse_embedding)
        for number, layer in enumerate(self.layers):
            arguments = (layer, x, self.config, angles, attend, number)
            if save_memory:
                x = checkpoint(run_layer, *arguments, use_reentrant=False)
            else:
                x = run_layer(*arguments)
        return rms_norm(x, self.norm, self.config.norm_eps)

    def set_apart(self, apart: bool) -> None:
        """As LanguageModel.set_apart."""
        self.sparse_embedding = apart
        if self.config.tied:
            self.head = self.embedding.detach() if apart else self.embedding

    def _layout(self, named: dict[str, torch.Tensor]) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield "embedding", ("model.embed_tokens.weight",)
        for number in range(self.config.layers):
            for field, parts in LAYER_PARTS.items():
                names = tuple(f"model.layers.{number}.{part}" for part in parts)
                if names[0] in named:
                    yield f"layer.{number}.{field}", names
        yield "norm", ("model.norm.weight",)
        if not self.config.tied:
            yield "head", ("lm_head.weight",)

    def _layer(self, number: int) -> LayerWeights:
        found: dict[str, Any] = {
            field: self.compute.get(f"layer.{number}.{field}") for field in LAYER_PARTS
        }
        return LayerWeights(**found)

    def split(self, fused: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Views of fused tensors under their Hugging Face names (also for optimizer state)."""
        views: dict[str, torch.Tensor] = {}
        for name, tensor in fused.items():
            start = 0
            for part, rows in self._rows[name]:
                views[part] = tensor[start : start + rows]
                start += rows
        return views

    def named_views(self) -> dict[str, torch.Tensor]:
        """The weights that are kept under their Hugging Face names."""
        return self.split(self.master)
