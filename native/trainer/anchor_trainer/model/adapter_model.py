"""A frozen model with a LoRA adapter (Hu et al. 2021), by PEFT: W x + (alpha / rank) B A x.

Nothing is ever merged into the weights while a run goes on: merging and taking apart again moves
them by rounding each time, and the adapter switched off is the reference of a KL term for nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from ..errors import TrainerError
from .adapter_folder import BASE_PRECISION, BASE_SHA256, AdapterFolder, LoraSpec, adapter_config
from .config import ModelConfig, shown
from .language_model import Precision
from .library_model import LibraryModel, empty_module, library_config
from .nf4 import LIBRARY, DequantizedViews, Nf4Matrix, hidden
from .safetensors_file import read_tensors, weights_sha256

# Where it is installed PEFT imports the library at its own import, for layers that none of these
# models has: seconds for every adapter. It remembers what it found.
with hidden(LIBRARY):
    from peft import LoraConfig, PeftModel, get_peft_model
    from peft.import_utils import is_bnb_4bit_available

    is_bnb_4bit_available()

ADAPTER = "default"  # PEFT's name of the only one
ATTENTION_MODULE = ".self_attn."
ADAPTER_READ_ME = """# An adapter that was trained beside weights in NF4

Each linear layer's matrix of the base was kept in four bits (NF4, blocks of 64, scales in float32)
and computed with in bfloat16. The folder that adapter_config.json names as the base holds those
numbers. Beside the unquantized model, or in other precisions, answers are not those that it was
trained with.
"""
MERGED_READ_ME = """# A model with an adapter that was trained beside weights in NF4

Each linear layer's matrix was kept in four bits (NF4, blocks of 64) while the adapter was trained.
These weights are what NF4 made of the model, with the adapter added: not the published weights.
"""


class AdapterModel(LibraryModel):
    """`adapter` are the matrices that are trained, fp32, by the names of PEFT's files.

    A new adapter changes nothing: its second matrix is zero, its first drawn from `seed`.
    """

    def __init__(
        self,
        config: ModelConfig,
        named: dict[str, torch.Tensor],
        device: torch.device,
        wanted: LoraSpec | AdapterFolder,
        seed: int,
        compute_dtype: torch.dtype | None = None,
        precision: Precision = "master32",
        packed: Mapping[str, Nf4Matrix] = MappingProxyType({}),
    ) -> None:
        super().__init__(
            config, named, device, compute_dtype, precision, trainable=False, packed=packed
        )
        self.base_sha256 = weights_sha256(self.base_views())
        # Whether the base is what NF4 made of a model: here, or where the adapter was trained.
        self.rounded = precision == "nf4"
        if isinstance(wanted, AdapterFolder) and wanted.rounded_base is not None:
            self._require_rounded(wanted)
            self.rounded = True
        self.rank, self.alpha = wanted.rank, wanted.alpha
        self._layers = {
            targets: adapted_layers(self.module, targets) for targets in ("all-linear", "attention")
        }
        self.modules = (
            wanted.modules if isinstance(wanted, AdapterFolder) else self._layers[wanted.targets]
        )
        unknown = set(self.modules) - set(self._layers["all-linear"])
        if unknown or not self.modules:
            raise TrainerError(
                "badModel",
                f"An adapter to {config.architecture} cannot change the layers "
                f"{shown(sorted(unknown))}; it can change {', '.join(self._layers['all-linear'])}.",
            )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.peft = with_adapter(self.module, self.rank, self.alpha, self.modules)
        self.adapter: dict[str, torch.Tensor] = {}
        for name, parameter in self.peft.named_parameters():
            if parameter.requires_grad:
                parameter.requires_grad_(False)
                parameter.data = parameter.data.to(device, torch.float32)
                self.adapter[name.replace(f".{ADAPTER}.", ".")] = parameter
        self.untrained = True
        if isinstance(wanted, AdapterFolder):
            self._read(wanted)

    def _require_rounded(self, folder: AdapterFolder) -> None:
        if folder.rounded_base != self.base_sha256:
            raise TrainerError(
                "badModel",
                f"The adapter in {folder.folder} was trained beside weights in NF4, and those of "
                f"{folder.base} are not the numbers that it was trained beside.",
                hint="Write the folder of its run's checkpoint 0 into base_model_name_or_path, or "
                "load it with train.precision nf4.",
            )

    def _read(self, folder: AdapterFolder) -> None:
        found = read_tensors(folder.weights)
        if set(found) != set(self.adapter) or any(
            found[name].shape != one.shape for name, one in self.adapter.items()
        ):
            raise TrainerError(
                "badModel",
                f"The adapter in {folder.folder} does not fit the model in {folder.base}.",
            )
        for name, parameter in self.adapter.items():
            parameter.data.copy_(found[name])
            if not torch.isfinite(parameter).all():
                raise TrainerError(
                    "badModel",
                    f"Tensor {name} in {folder.weights} holds values that are not finite.",
                )
        self.untrained = False

    def is_shaped(self, wanted: LoraSpec) -> bool:
        """Whether this is the adapter that `wanted` would make."""
        own = (self.rank, self.alpha, self.modules)
        return own == (wanted.rank, wanted.alpha, self._layers[wanted.targets])

    def set_apart(self, apart: bool) -> None:
        """Neither the words nor the output matrix has a gradient."""

    def named_views(self) -> dict[str, torch.Tensor]:
        """The weights with the adapter added to them: fp32 copies, by the names of files."""
        merged = {}
        for name in (*self.compute, *self.quantized):
            packed = self.quantized.get(name)
            weight = self.compute[name] if packed is None else packed.matrix.dequantized()
            whole = weight.detach().to(torch.float32, copy=True)
            layer = self.module.get_submodule(name.rpartition(".")[0])
            if name.endswith(".weight") and hasattr(layer, "get_delta_weight"):
                whole += layer.get_delta_weight(ADAPTER).detach().to(torch.float32)
            merged[name] = whole
        return self.split(merged)

    def base_views(self) -> Mapping[str, torch.Tensor]:
        """The frozen weights by the names of files, in what they are kept in; of NF4 in bf16."""
        return DequantizedViews(super().named_views(), self.quantized)

    def sha256(self) -> str:
        """Of the base while the adapter changes nothing; else of both."""
        if self.untrained:
            return self.base_sha256
        both = f"{self.base_sha256}{weights_sha256(self.adapter)}"
        return hashlib.sha256(both.encode()).hexdigest()

    def file_config(self, base: str) -> dict[str, Any]:
        """adapter_config.json, for a base at that path."""
        return adapter_config(self.rank, self.alpha, self.modules, base)

    def noted_base(self) -> dict[str, str]:
        """What the adapter's file says of a base that is not the model it was made from."""
        return {BASE_PRECISION: "nf4", BASE_SHA256: self.base_sha256} if self.rounded else {}

    def read_me(self, *, merged: bool) -> dict[str, str]:
        """The same for a person, by the file's name."""
        if not self.rounded:
            return {}
        return {"README.md": MERGED_READ_ME if merged else ADAPTER_READ_ME}

    def byte_count(self) -> int:
        adapter = sum(one.numel() * one.itemsize for one in self.adapter.values())
        return super().byte_count() + adapter


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
    module: Any, rank: int, alpha: float, modules: tuple[str, ...], *, empty: bool = False
) -> PeftModel:
    """PEFT's model around a module, whose layers it changes; `empty` gives it no memory."""
    config = LoraConfig(
        r=rank,
        lora_alpha=alpha,  # a factor, which need not be whole
        target_modules=list(modules),
        lora_dropout=0.0,
        bias="none",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(module, config, adapter_name=ADAPTER, low_cpu_mem_usage=empty)
