"""A model from a folder: whole, or an adapter beside the base that it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ..errors import TrainerError
from .adapter_folder import AdapterFolder, LoraSpec, read_adapter
from .config import ModelConfig
from .config_file import read_config
from .folder import load_tensors
from .language_model import LanguageModel, Precision, number_types
from .nf4 import COMPUTED_IN, Nf4Matrix, quantized, require_kernels
from .weights import Weights

if TYPE_CHECKING:  # the library takes seconds to import
    from .frozen_base import FrozenBase

# Of what a model is read from.
READ_SUFFIXES = (".json", ".safetensors")


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


@dataclass(frozen=True)
class ModelFiles:
    """The files that weights are read from, by name with number, size and time of change.

    A folder that was written anew is another model, whatever is in it.
    """

    folder: Path
    files: tuple[tuple[str, int, int, int], ...]


def files_of(source: ModelSource) -> ModelFiles:
    """Of the whole model: under an adapter, its base. As the folder is now."""
    files = []
    for path in sorted(source.base.iterdir()):
        if path.suffix in READ_SUFFIXES and path.is_file():
            about = path.stat()
            files.append((path.name, about.st_ino, about.st_size, about.st_mtime_ns))
    return ModelFiles(source.base.resolve(), tuple(files))


def load_model(
    source: ModelSource,
    config: ModelConfig,
    device: torch.device,
    lora: LoraSpec | None,
    seed: int,
    precision: Precision,
    beside: Iterable[LanguageModel] = (),
) -> LanguageModel:
    """The model on its device; with `lora` one that trains an adapter, a new one drawn from `seed`.

    An adapter to the base of one of those that are loaded `beside` it shares that base. Raises
    badModel, also where the adapter that is there has another shape than the one asked for.
    """
    if source.adapter is None and lora is None:
        kept, _ = number_types(precision, device)
        named = load_tensors(source.base, config, kept)
        if config.library_shapes is None:
            return Weights(config, named, device, precision=precision)
        from .library_model import LibraryModel

        return LibraryModel(config, named, device, precision=precision)
    # The library is imported where it is needed: it takes seconds, and small models do without.
    from .adapter_model import AdapterModel

    base = _base(source, config, device, precision, beside)
    if source.adapter is None:
        assert lora is not None
        return AdapterModel(base, lora, seed)
    model = AdapterModel(base, source.adapter, seed)
    if lora is not None and not model.is_shaped(lora):
        model.close()
        raise TrainerError(
            "badModel",
            f"The adapter in {source.folder} has rank {model.rank}, alpha {model.alpha:g} and "
            f"the layers {', '.join(model.modules)}, which is not what train.lora asks for.",
        )
    return model


def _base(
    source: ModelSource,
    config: ModelConfig,
    device: torch.device,
    precision: Precision,
    beside: Iterable[LanguageModel],
) -> FrozenBase:
    from .adapter_model import AdapterModel
    from .frozen_base import FrozenBase

    files = files_of(source)
    for one in beside:
        if isinstance(one, AdapterModel) and one.base.is_of(files, precision, device):
            return one.base
    packed: dict[str, Nf4Matrix] = {}
    if precision == "nf4":
        named = _quantized(source.base, config, device, packed)
    else:
        named = load_tensors(source.base, config, number_types(precision, device)[0])
    return FrozenBase(config, named, device, None, precision, packed, files)


def _quantized(
    folder: Path, config: ModelConfig, device: torch.device, packed: dict[str, Nf4Matrix]
) -> dict[str, torch.Tensor]:
    """What is not quantized; `packed` is filled with what is, one matrix after another."""
    from .frozen_base import frozen_matrices

    require_kernels(device)
    wanted = frozen_matrices(config)

    def take(name: str, tensor: torch.Tensor) -> bool:
        if name in wanted:
            packed[name] = quantized(tensor, device)
        return name in wanted

    return load_tensors(folder, config, COMPUTED_IN, take)
