"""A policy whose forward pass is transformers' own class, with attention computed here.

Every family of the table in `model.families` runs this way. One attention function, registered
under the name below, serves packed rows and decoding alike: the class hands it queries, keys and
values of a layer, and it hands them to whatever the caller of `run` knows about the row.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch
from accelerate import init_empty_weights
from torch import nn
from transformers import AttentionInterface, PreTrainedConfig
from transformers.utils import logging

from .attention import Attend, AttentionRule
from .config import ModelConfig
from .families import FAMILIES, file_views
from .language_model import KeptWeights, Precision, number_types
from .nf4 import Nf4Linear, Nf4Matrix

ATTENTION = "anchor"
# The configuration was checked; what the library would say about it goes nowhere.
logging.set_verbosity_error()


def _attention(
    module: nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    anchor_attend: Attend,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """query [1, heads, T, d], key and value [1, kv_heads, T, d] -> [1, T, heads, d]."""
    q, k, v = (one.squeeze(0).transpose(0, 1) for one in (query, key, value))
    rule = AttentionRule(scaling, sliding_window, softcap)
    attended = anchor_attend(module.layer_idx, q, k, v, rule)  # type: ignore[arg-type]
    return attended.view(1, *q.shape), None


# No mask function of that name: the classes then make none, and look for no packed texts either.
AttentionInterface.register(ATTENTION, _attention)


def library_config(raw: dict[str, Any]) -> PreTrainedConfig:
    """transformers' configuration of a checked config.json; raises what the library raises."""
    family = FAMILIES[raw["architectures"][0]]
    module = importlib.import_module(f"transformers.models.{family.package}")
    # Neither dropout, which would make an answer depend on when it is asked for, nor a padding
    # word, whose row the class would leave out of training: nothing is padded here.
    quiet = {
        name: 0.0 for name in raw if name.endswith(("dropout", "_pdrop")) and raw[name] is not None
    }
    # A copy, since the library writes what it worked out into what it was given.
    known = copy.deepcopy({key: raw[key] for key in raw if key not in ("dtype", "torch_dtype")})
    config = getattr(module, family.config).from_dict({**known, **quiet, "pad_token_id": None})
    config._attn_implementation = ATTENTION
    config._experts_implementation = "eager"
    found: PreTrainedConfig = config
    return found


def empty_module(config: PreTrainedConfig, architecture: str) -> Any:
    """The class of an architecture without memory for its parameters; buffers are filled."""
    family = FAMILIES[architecture]
    modeling = importlib.import_module(
        f"transformers.models.{family.package}.modeling_{family.package}"
    )
    with init_empty_weights(include_buffers=False):
        return getattr(modeling, architecture)(config)


class LibraryModel(KeptWeights):
    """One policy's parameters in transformers' class. `named` is emptied on the way.

    As `Weights`: fp32 masters, and bf16 copies that are computed with on CUDA, or bf16 alone;
    without `trainable` there are only those that are computed with. Matrices of linear layers that
    are given as `packed`, by the same names, are none of them: they stay in their `quantized`
    layers.
    """

    def __init__(
        self,
        config: ModelConfig,
        named: dict[str, torch.Tensor],
        device: torch.device,
        compute_dtype: torch.dtype | None = None,
        precision: Precision = "master32",
        *,
        trainable: bool = True,
        packed: Mapping[str, Nf4Matrix] = MappingProxyType({}),
    ) -> None:
        self.config = config
        self.device = device
        self.kept_dtype, self.compute_dtype = number_types(precision, device, compute_dtype)
        self.module = empty_module(library_config(config.raw), config.architecture)
        self.module.eval()
        self.words = self.module.get_input_embeddings()
        self.compute: dict[str, torch.Tensor] = {}
        self.quantized: dict[str, Nf4Linear] = {}
        separate = trainable and self.compute_dtype != self.kept_dtype
        self.master: dict[str, torch.Tensor] = {} if separate else self.compute
        for name, empty in list(self.module.named_parameters()):
            if config.tied and name == "lm_head.weight":
                continue
            if name in packed:
                place = name.removesuffix(".weight")
                layer = Nf4Linear(self.module.get_submodule(place), packed[name])
                self.module.set_submodule(place, layer)
                self.quantized[name] = layer
                continue
            whole = _gathered(name, empty, named, self.kept_dtype).to(device)
            if separate:
                self.master[name] = whole
            self.compute[name] = nn.Parameter(whole.to(self.compute_dtype), requires_grad=False)
            owner, _, leaf = name.rpartition(".")
            setattr(self.module.get_submodule(owner), leaf, self.compute[name])
            del whole
        if config.tied:
            self.module.lm_head.weight = self.words.weight
        self.module.to(device)  # what is no parameter
        self.head: torch.Tensor = self.module.lm_head.weight
        self._saving_memory = False

    @property
    def embedding(self) -> torch.Tensor:
        found: torch.Tensor = self.words.weight
        return found

    def run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        attend: Attend,
        *,
        save_memory: bool = False,
    ) -> torch.Tensor:
        """As LanguageModel.run."""
        if save_memory != self._saving_memory:
            self._set_saving_memory(save_memory)
        answer = self.module.model(
            input_ids=ids.unsqueeze(0),
            position_ids=positions.unsqueeze(0),
            use_cache=False,
            anchor_attend=attend,
        )
        hidden: torch.Tensor = answer.last_hidden_state.squeeze(0)
        return hidden

    def _set_saving_memory(self, wanted: bool) -> None:
        # The class recomputes its layers in training mode only, which changes nothing else here:
        # there is no dropout.
        self.module.train(wanted)
        if wanted:
            self.module.gradient_checkpointing_enable({"use_reentrant": False})
        else:
            self.module.gradient_checkpointing_disable()
        self._saving_memory = wanted

    def set_apart(self, apart: bool) -> None:
        """As LanguageModel.set_apart."""
        self.words.sparse = apart
        if self.config.tied:
            self.head = self.embedding.detach() if apart else self.embedding

    def split(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """As LanguageModel.split."""
        return {file: view for name, one in tensors.items() for file, view in file_views(name, one)}

    def named_views(self) -> dict[str, torch.Tensor]:
        """As LanguageModel.named_views; copies where there are no fp32 masters."""
        masters = {name: one.detach().to(self.kept_dtype) for name, one in self.master.items()}
        return self.split(masters)

    def parameter_count(self) -> int:
        frozen = sum(one.in_features * one.out_features for one in self.quantized.values())
        return super().parameter_count() + frozen

    def byte_count(self) -> int:
        return super().byte_count() + sum(one.byte_count() for one in self.quantized.values())


def _gathered(
    name: str, like: torch.Tensor, named: dict[str, torch.Tensor], dtype: torch.dtype
) -> torch.Tensor:
    """A parameter of the class from the tensors of a file."""
    parts = [file for file, _ in file_views(name, like)]
    if len(parts) == 1:
        return named.pop(parts[0]).to(dtype)
    whole = torch.empty(like.shape, dtype=dtype)
    for file, view in file_views(name, whole):
        view.copy_(named.pop(file))
    return whole
