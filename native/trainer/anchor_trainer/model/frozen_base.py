"""A frozen model with any number of LoRA adapters (Hu et al. 2021), by PEFT, of which one answers.

Sets of weights that differ in their adapter alone share it: roles of a run, two checkpoints that
are compared. Nothing is merged to go from one to the other, so going there and back changes no bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from .config import ModelConfig
from .language_model import Precision
from .library_model import LibraryModel, empty_module, library_config
from .nf4 import LIBRARY, DequantizedViews, Nf4Matrix, hidden
from .safetensors_file import weights_sha256

# Where it is installed PEFT imports the library at its own import, for layers that none of these
# models has: seconds for every adapter. It remembers what it found.
with hidden(LIBRARY):
    from peft import LoraConfig, PeftModel, get_peft_model
    from peft.import_utils import is_bnb_4bit_available

    is_bnb_4bit_available()

if TYPE_CHECKING:
    from .loading import ModelFiles

ATTENTION_MODULE = ".self_attn."


class FrozenBase(LibraryModel):
    """The weights, as LibraryModel has them, and the layers that adapters change."""

    def __init__(
        self,
        config: ModelConfig,
        named: dict[str, torch.Tensor],
        device: torch.device,
        compute_dtype: torch.dtype | None = None,
        precision: Precision = "master32",
        packed: Mapping[str, Nf4Matrix] = MappingProxyType({}),
        files: ModelFiles | None = None,
    ) -> None:
        super().__init__(
            config, named, device, compute_dtype, precision, trainable=False, packed=packed
        )
        self._files = files
        self.precision = precision
        self.values_sha256 = weights_sha256(self.base_views())
        self.layers = {
            targets: adapted_layers(self.module, targets) for targets in ("all-linear", "attention")
        }
        self._peft: PeftModel | None = None
        self._made = 0
        self._answering: str | None = None

    def is_of(self, files: ModelFiles, precision: Precision, device: torch.device) -> bool:
        """Whether these weights were read from those files, for such a device and precision."""
        own = (self._files, self.precision, self.device.type)
        return own == (files, precision, device.type)

    def add(
        self, rank: int, alpha: float, modules: tuple[str, ...], seed: int
    ) -> tuple[str, dict[str, nn.Parameter]]:
        """A new adapter, under a name of its own: its matrices by the names of PEFT's files, fp32.

        It changes nothing yet: the second matrix of a layer is zero, the first drawn from `seed`.
        """
        self._made += 1
        name = f"set{self._made}"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if self._peft is None:
                self._peft = with_adapter(self.module, rank, alpha, modules, name)
            else:
                self._peft.add_adapter(name, _lora_config(rank, alpha, modules))
        self._answering = None
        found = {}
        for at, parameter in self._peft.named_parameters():
            if f".{name}." in at:
                parameter.requires_grad_(False)
                parameter.data = parameter.data.to(self.device, torch.float32)
                found[at.replace(f".{name}.", ".")] = parameter
        return name, found

    def remove(self, name: str) -> None:
        """Frees an adapter; the last one goes with the base."""
        assert self._peft is not None
        if set(self._peft.peft_config) != {name}:
            self.answer_with(next(one for one in self._peft.peft_config if one != name))
            self._peft.delete_adapter(name)

    def answer_with(self, name: str) -> None:
        """From here on `run` computes with this adapter; none has gradients by that."""
        if self._answering == name:
            return
        assert self._peft is not None
        self._peft.set_adapter(name, inference_mode=True)
        self._answering = name

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Inside, `run` computes without any adapter."""
        assert self._peft is not None
        with self._peft.disable_adapter():
            yield

    def delta(self, name: str, layer: Any) -> torch.Tensor | None:
        """What an adapter adds to the matrix of a layer, fp32; None where it leaves that alone."""
        if not hasattr(layer, "get_delta_weight") or name not in layer.lora_A:
            return None
        added: torch.Tensor = layer.get_delta_weight(name)
        return added.detach().to(torch.float32)

    def base_views(self) -> Mapping[str, torch.Tensor]:
        """The weights by the names of files, in what they are kept in; of NF4 in bf16."""
        return DequantizedViews(super().named_views(), self.quantized)


def adapted_layers(module: Any, targets: str) -> tuple[str, ...]:
    """Names, without their place, of the linear layers that `LoraSpec.targets` means.

    The output matrix is none of them.
    """
    return tuple(
        sorted(
            {
                name.rpartition(".")[2]
                for name, layer in module.model.named_modules()
                if isinstance(layer, nn.Linear)
                and (targets == "all-linear" or ATTENTION_MODULE in name)
            }
        )
    )


def frozen_matrices(config: ModelConfig) -> frozenset[str]:
    """Names of what NF4 keeps: the matrices of all linear layers but the output matrix."""
    module = empty_module(library_config(config.raw), config.architecture)
    return frozenset(
        f"model.{name}.weight"
        for name, layer in module.model.named_modules()
        if isinstance(layer, nn.Linear)
    )


def with_adapter(
    module: Any,
    rank: int,
    alpha: float,
    modules: tuple[str, ...],
    name: str,
    *,
    empty: bool = False,
) -> PeftModel:
    """PEFT's model around a module, whose layers it changes; `empty` gives it no memory."""
    config = _lora_config(rank, alpha, modules)
    return get_peft_model(module, config, adapter_name=name, low_cpu_mem_usage=empty)


def _lora_config(rank: int, alpha: float, modules: tuple[str, ...]) -> LoraConfig:
    return LoraConfig(
        r=rank,
        lora_alpha=alpha,  # a factor, which need not be whole
        target_modules=list(modules),
        lora_dropout=0.0,
        bias="none",
        task_type="CAUSAL_LM",
    )
