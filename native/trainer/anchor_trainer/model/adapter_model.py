"""A LoRA adapter (Hu et al. 2021) and its frozen base as one model: W x + (alpha / rank) B A x.

Nothing is ever merged into the weights while a run goes on: merging and taking apart again moves
them by rounding each time, and the adapter switched off is the reference of a KL term for nothing.
Other models may stand on the same base; which of them answers is settled anew with each `run`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import torch

from ..errors import TrainerError
from .adapter_folder import (
    ADAPTER_READ_ME,
    BASE_PRECISION,
    BASE_SHA256,
    MERGED_READ_ME,
    AdapterFolder,
    LoraSpec,
    adapter_config,
    wrong_base,
)
from .attention import Attend
from .config import shown
from .frozen_base import FrozenBase
from .safetensors_file import read_tensors, weights_sha256


class AdapterModel:
    """`adapter` are the matrices that are trained, fp32, by the names of PEFT's files.

    A new adapter changes nothing: its second matrix is zero, its first drawn from `seed`.
    """

    def __init__(self, base: FrozenBase, wanted: LoraSpec | AdapterFolder, seed: int) -> None:
        self.base = base
        self.config, self.device, self.compute_dtype = base.config, base.device, base.compute_dtype
        self.head, self.master, self.compute = base.head, base.master, base.compute
        # Whether the base is what NF4 made of a model: here, or where the adapter was trained.
        self.rounded = base.precision == "nf4"
        if isinstance(wanted, AdapterFolder) and wanted.rounded_base is not None:
            self._require_rounded(wanted)
            self.rounded = True
        self.rank, self.alpha = wanted.rank, wanted.alpha
        self.modules = (
            wanted.modules if isinstance(wanted, AdapterFolder) else base.layers[wanted.targets]
        )
        unknown = set(self.modules) - set(base.layers["all-linear"])
        if unknown or not self.modules:
            raise TrainerError(
                "badModel",
                f"An adapter to {self.config.architecture} cannot change the layers "
                f"{shown(sorted(unknown))}; it can change {', '.join(base.layers['all-linear'])}.",
            )
        self._name, parameters = base.add(self.rank, self.alpha, self.modules, seed)
        self.adapter: dict[str, torch.Tensor] = {**parameters}
        self.untrained = True
        if isinstance(wanted, AdapterFolder):
            try:
                self._read(wanted)
            except Exception:
                self.close()
                raise

    @property
    def embedding(self) -> torch.Tensor:
        return self.base.embedding

    @property
    def base_sha256(self) -> str:
        return self.base.values_sha256

    def run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        attend: Attend,
        *,
        save_memory: bool = False,
    ) -> torch.Tensor:
        """As LanguageModel.run."""
        self.answer()
        return self.base.run(ids, positions, attend, save_memory=save_memory)

    def answer(self) -> None:
        """Puts this adapter in the place of others of the base; gradients are then off."""
        self.base.answer_with(self._name)

    def alone(self) -> AbstractContextManager[None]:
        """Inside, `run` is that of the base."""
        self.answer()
        return self.base.alone()

    def close(self) -> None:
        """Frees the adapter. It is not asked again."""
        self.base.remove(self._name)

    def _require_rounded(self, folder: AdapterFolder) -> None:
        if folder.rounded_base != self.base_sha256:
            raise wrong_base(folder)

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
        return own == (wanted.rank, wanted.alpha, self.base.layers[wanted.targets])

    def set_apart(self, apart: bool) -> None:
        """Neither the words nor the output matrix has a gradient."""

    def split(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """As LanguageModel.split."""
        return self.base.split(tensors)

    def named_views(self) -> dict[str, torch.Tensor]:
        """The weights with the adapter added to them: fp32 copies, by the names of files."""
        merged = {}
        for name in (*self.compute, *self.base.quantized):
            packed = self.base.quantized.get(name)
            weight = self.compute[name] if packed is None else packed.matrix.dequantized()
            whole = weight.detach().to(torch.float32, copy=True)
            layer = self.base.module.get_submodule(name.rpartition(".")[0])
            added = self.base.delta(self._name, layer) if name.endswith(".weight") else None
            if added is not None:
                whole += added
            merged[name] = whole
        return self.split(merged)

    def base_views(self) -> Mapping[str, torch.Tensor]:
        """As FrozenBase.base_views."""
        return self.base.base_views()

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

    def parameter_count(self) -> int:
        """Of the base."""
        return self.base.parameter_count()

    def byte_count(self) -> int:
        """Of both, whoever else stands on the base."""
        return self.base.byte_count() + self.adapter_bytes()

    def adapter_bytes(self) -> int:
        return sum(one.numel() * one.itemsize for one in self.adapter.values())
