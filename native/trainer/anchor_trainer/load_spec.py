"""What a weight set is loaded with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch

from .errors import TrainerError
from .training.spec import TrainSpec

# Whether whole sets are parked while another works: where they do not all fit, or in any case.
Offload = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class LoadSpec:
    """The checked parameters of `load`; `beside` are sets that are to be loaded as well."""

    name: str
    model: Path
    train: TrainSpec
    max_seq_tokens: int | None
    max_concurrent: int
    device: str
    threads: int
    seed: int
    reference: str
    resume: Path | None
    thinking: bool
    # The environment of the program that samples; None: this one does.
    vllm: Path | None = None
    beside: tuple[LoadSpec, ...] = ()
    offload: Offload = "auto"


def choose_device(wanted: str) -> torch.device:
    """cpu or cuda; `auto` takes CUDA where there is one. Raises badRequest if it is absent."""
    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        raise TrainerError(
            "badRequest",
            "params.device is 'cuda', but this machine has no usable CUDA device.",
            hint="Use device 'auto' or 'cpu', or check the driver.",
        )
    return torch.device("cuda" if available and wanted != "cpu" else "cpu")
