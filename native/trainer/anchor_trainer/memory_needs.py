"""What is planned: a model, how it is trained, and its rows, with the sizes that follow."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from .model.config import ModelConfig
from .model.language_model import Precision
from .model.loading import ModelFiles
from .model.nf4 import COMPUTED_IN, nf4_bytes
from .rollout.kv_cache import BLOCK, blocks_of
from .training.spec import TrainSpec

if TYPE_CHECKING:
    from .model.library_costs import LibraryCosts

# Interpreter, libraries and their workspaces.
RESERVE_CUDA = 1_500_000_000
RESERVE_CPU = 400_000_000


@dataclass(frozen=True)
class Needs:
    """What is planned: a model, how it is trained, and its rows.

    `longest` and `concurrent` are tokens of a row and rows at a time; `cuda` computes in bf16, as
    do the precisions bf16 and nf4 everywhere. With `vllm` another process samples, with `stages`
    the reference is the weights at the start of a stage. `files` are what the weights are read
    from, and `adapter` says that they are a model with an adapter that is not trained.
    """

    config: ModelConfig
    train: TrainSpec
    longest: int
    concurrent: int
    reference: bool
    cuda: bool
    vllm: bool = False
    stages: bool = False
    files: ModelFiles | None = None
    adapter: bool = False

    @functools.cached_property
    def library(self) -> LibraryCosts | None:
        """What transformers' class of the model costs; None where it is run by our own code."""
        if self.config.library_shapes is None and self.train.lora is None:
            return None
        from .model.library_costs import costs_of  # takes seconds, and small models do without

        return costs_of(self.config, self.train.lora, self.computed_in)

    @property
    def base(self) -> tuple[ModelFiles, Precision] | None:
        """What an adapter stands on: sets that agree in it share it."""
        if self.files is None or (self.train.lora is None and not self.adapter):
            return None
        return self.files, self.train.precision

    @property
    def trained(self) -> int:
        """How many parameters are trained."""
        if self.library is not None and self.train.lora is not None:
            return self.library.adapter
        return self.config.parameter_count()

    @property
    def can_be_parked(self) -> bool:
        """Whether it can leave memory while another works: what is trained whole, and answers here.

        An adapter's base serves others too, and vLLM would go on holding its own copy.
        """
        return self.train.mode == "full" and not self.vllm

    @property
    def reserve(self) -> int:
        """What a process needs whatever it has loaded."""
        return RESERVE_CUDA if self.cuda else RESERVE_CPU

    @property
    def computed_in(self) -> torch.dtype:
        bf16 = self.cuda or self.train.precision != "master32"
        return torch.bfloat16 if bf16 else torch.float32

    @property
    def number_bytes(self) -> int:
        return self.computed_in.itemsize

    @property
    def quantized(self) -> tuple[int, ...]:
        """Parameters of each matrix that is kept in NF4."""
        if self.train.precision != "nf4" or self.library is None:
            return ()
        return self.library.linear

    @property
    def dequantized_bytes(self) -> int:
        """Of the largest of them while it is computed with."""
        return COMPUTED_IN.itemsize * max(self.quantized, default=0)

    @property
    def weight_bytes(self) -> int:
        """Of what is computed with."""
        rest = self.config.parameter_count() - sum(self.quantized)
        return self.number_bytes * rest + sum(map(nf4_bytes, self.quantized))

    @property
    def kv_bytes_per_token(self) -> int:
        config = self.config
        return config.layers * 2 * config.kv_heads * config.head_dim * self.number_bytes

    @property
    def kv_bytes_per_row(self) -> int:
        return blocks_of(self.longest) * BLOCK * self.kv_bytes_per_token
