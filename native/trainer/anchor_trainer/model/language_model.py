"""What sampling, scoring and training ask of a model, whichever code its forward pass is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, Protocol

import torch

from .attention import Attend
from .config import ModelConfig
from .safetensors_file import weights_sha256

# What weights are kept in. master32: fp32, beside bf16 copies where those are computed with; bf16:
# bf16 alone, which is then also computed with; nf4: bf16 but for the frozen matrices beside an
# adapter, which are kept in four bits (`model.nf4`).
Precision = Literal["master32", "bf16", "nf4"]


def number_types(
    precision: Precision, device: torch.device, compute: torch.dtype | None = None
) -> tuple[torch.dtype, torch.dtype]:
    """What weights are kept in and computed with; fp32 masters have bf16 copies on CUDA only."""
    if precision != "master32":
        return torch.bfloat16, torch.bfloat16
    usual = torch.bfloat16 if device.type == "cuda" else torch.float32
    return torch.float32, compute or usual


class Answering(Protocol):
    """A decoder that answers. `head` is its output matrix [vocab, hidden]."""

    config: ModelConfig
    device: torch.device
    compute_dtype: torch.dtype
    head: torch.Tensor

    def run(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        attend: Attend,
        *,
        save_memory: bool = False,
    ) -> torch.Tensor:
        """Hidden states [T, hidden] behind the last norm, of ids and positions, int64 [T].

        Every layer has its attention computed by `attend`, which knows what belongs together.
        """

    def byte_count(self) -> int: ...


class LanguageModel(Answering, Protocol):
    """One whose weights are kept: `model.weights`, or `model.library_model` for larger ones.

    `master` are the parameters that are kept, `compute` those that are computed with, under the
    same names; `embedding` is the matrix of the words, which may be the head.
    """

    master: dict[str, torch.Tensor]
    compute: dict[str, torch.Tensor]

    @property
    def embedding(self) -> torch.Tensor: ...

    def set_apart(self, apart: bool) -> None:
        """Whether gradients of the words read and of the output matrix are kept apart.

        Together, every backward pass holds three matrices of all words at once.
        """

    def split(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Views of tensors with the names of `master` under the names that files use."""

    def named_views(self) -> dict[str, torch.Tensor]:
        """The weights that are kept under the names that files use."""

    def sha256(self) -> str:
        """Of what answers: equal for equal weights, whatever file they came from."""

    def parameter_count(self) -> int: ...


class KeptWeights(ABC):
    """What every kind of LanguageModel does with the tensors that it keeps."""

    master: dict[str, torch.Tensor]
    compute: dict[str, torch.Tensor]

    @abstractmethod
    def named_views(self) -> dict[str, torch.Tensor]: ...

    def sha256(self) -> str:
        return weights_sha256(self.named_views())

    def parameter_count(self) -> int:
        return sum(tensor.numel() for tensor in self.compute.values())

    def byte_count(self) -> int:
        kept = list(self.compute.values())
        kept += list(self.master.values()) if self.master is not self.compute else []
        return sum(tensor.numel() * tensor.itemsize for tensor in kept)
