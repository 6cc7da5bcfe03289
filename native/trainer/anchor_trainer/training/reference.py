"""The policy that a KL term is measured against: the model, or the weights where a stage began.

A reference is a model of its own, as it answers at one moment. Full copies are a second model in
memory; of an adapter the base is shared, and only the adapter of that moment is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import torch

from ..errors import TrainerError
from ..model.attention import Attend
from ..model.config import ModelConfig
from ..model.language_model import Answering, LanguageModel
from ..model.loading import load_model, source_of
from ..model.safetensors_file import read_tensors
from .spec import TrainSpec

if TYPE_CHECKING:  # the library takes seconds to import
    from ..model.adapter_model import AdapterModel


class Reference(Answering, Protocol):
    def take(self, weights: LanguageModel) -> None:
        """Becomes what `weights` are now."""


class FullReference:
    """A second model of the same shape."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.config = model.config
        self.device = model.device
        self.compute_dtype = model.compute_dtype
        self.head = model.head

    def run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        attend: Attend,
        *,
        save_memory: bool = False,
    ) -> torch.Tensor:
        """As LanguageModel.run."""
        return self.model.run(ids, positions, attend, save_memory=save_memory)

    @torch.no_grad()
    def take(self, weights: LanguageModel) -> None:
        own = self.model
        for name, tensor in own.master.items():
            tensor.copy_(weights.master[name])
        if own.compute is not own.master:
            for name, tensor in own.compute.items():
                tensor.copy_(weights.compute[name])

    def byte_count(self) -> int:
        return self.model.byte_count()


class AdapterReference:
    """The base of an AdapterModel, alone or with an adapter of its own beside the trained one.

    Alone it takes no memory. The base is computed with in place: while the reference answers, its
    adapter stands where the trained one does.
    """

    def __init__(self, model: AdapterModel) -> None:
        self.model = model
        self.config = model.config
        self.device = model.device
        self.compute_dtype = model.compute_dtype
        self.head = model.head
        self._adapter: dict[str, torch.Tensor] | None = None

    def run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        attend: Attend,
        *,
        save_memory: bool = False,
    ) -> torch.Tensor:
        """As LanguageModel.run."""
        if self._adapter is None:
            with self.model.alone():
                return self.model.run(ids, positions, attend, save_memory=save_memory)
        trained = {name: one.data for name, one in self.model.adapter.items()}
        try:
            for name, one in self.model.adapter.items():
                one.data = self._adapter[name]
            return self.model.run(ids, positions, attend, save_memory=save_memory)
        finally:
            for name, one in self.model.adapter.items():
                one.data = trained[name]

    def take(self, weights: LanguageModel) -> None:
        assert weights is self.model
        if self.model.untrained:
            self._adapter = None
        else:
            self._keep(self.model.adapter)

    def read(self, folder: Path) -> None:
        """The adapter in a folder; its base alone where there is none."""
        found = source_of(folder).adapter
        if found is None:
            self._adapter = None
        else:
            self._keep(read_tensors(found.weights))

    def _keep(self, adapter: dict[str, torch.Tensor]) -> None:
        # Copied into what is there already: two of them are never held at once.
        if self._adapter is None:
            like = self.model.adapter
            self._adapter = {name: torch.empty_like(one.data) for name, one in like.items()}
        for name, one in self._adapter.items():
            one.copy_(adapter[name].detach())

    def byte_count(self) -> int:
        kept = {} if self._adapter is None else self._adapter
        return sum(one.numel() * one.itemsize for one in kept.values())


def load_reference(
    weights: LanguageModel,
    model: Path,
    stage: Path | None,
    train: TrainSpec,
    device: torch.device,
    seed: int,
) -> Reference:
    """The model that `weights` began as, or their checkpoint `stage`; raises badModel."""
    if train.lora is not None:
        own = AdapterReference(cast("AdapterModel", weights))
        if stage is not None:
            own.read(stage)
        return own
    folder = stage or model
    source = source_of(folder)
    config: ModelConfig = source.config()
    if (
        config.raw.get("architectures") != weights.config.raw.get("architectures")
        or config.vocab != weights.config.vocab
    ):
        raise TrainerError("badModel", f"The checkpoint does not belong to the model in {folder}.")
    return FullReference(load_model(source, config, device, None, seed, train.precision))
