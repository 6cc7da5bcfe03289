"""A model from a folder: whole, or an adapter beside the base that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from ..errors import TrainerError
from .adapter_folder import AdapterFolder, LoraSpec, read_adapter
from .config import ModelConfig
from .config_file import read_config
from .folder import load_tensors
from .language_model import LanguageModel, Precision, number_types
from .nf4 import COMPUTED_IN, Nf4Matrix, quantized, require_kernels
from .weights import Weights


@dataclass(frozen=True)
class ModelSource:
    """A folder that was named as a model. Configuration and tokenizer are those of the base."""

    folder: Path
    adapter: AdapterFolder | None

    @property
    def base(self) -> Path:
        return self.folder if self.adapter is None else self.adapter.base

    def config(self) -> ModelConfig:
        return read_config(self.base)


def source_of(folder: Path) -> ModelSource:
    return ModelSource(folder, read_adapter(folder))


def load_model(
    source: ModelSource,
    config: ModelConfig,
    device: torch.device,
    lora: LoraSpec | None,
    seed: int,
    precision: Precision,
) -> LanguageModel:
    """The model on its device; with `lora` one that trains an adapter, a new one drawn from `seed`.

    Raises badModel, also where the adapter that is there has another shape than the one asked for.
    """
    kept, _ = number_types(precision, device)
    packed: dict[str, Nf4Matrix] = {}
    if precision == "nf4":
        named = _quantized(source.base, config, device, packed)
    else:
        named = load_tensors(source.base, config, kept)
    # The library is imported where it is needed: it takes seconds, and small models do without.
    if source.adapter is not None or lora is not None:
        from .adapter_model import AdapterModel

        if source.adapter is None:
            assert lora is not None
            return AdapterModel(config, named, device, lora, seed, None, precision, packed)
        model = AdapterModel(config, named, device, source.adapter, seed, None, precision, packed)
        if lora is not None and not model.is_shaped(lora):
            raise TrainerError(
                "badModel",
                f"The adapter in {source.folder} has rank {model.rank}, alpha {model.alpha:g} and "
                f"the layers {', '.join(model.modules)}, which is not what train.lora asks for.",
            )
        return model
    if config.library_shapes is None:
        return Weights(config, named, device, precision=precision)
    from .library_model import LibraryModel

    return LibraryModel(config, named, device, precision=precision)


def _quantized(
    folder: Path, config: ModelConfig, device: torch.device, packed: dict[str, Nf4Matrix]
) -> dict[str, torch.Tensor]:
    """What is not quantized; `packed` is filled with what is, one matrix after another."""
    from .adapter_model import frozen_matrices

    require_kernels(device)
    wanted = frozen_matrices(config)

    def take(name: str, tensor: torch.Tensor) -> bool:
        if name in wanted:
            packed[name] = quantized(tensor, device)
        return name in wanted

    return load_tensors(folder, config, COMPUTED_IN, take)
