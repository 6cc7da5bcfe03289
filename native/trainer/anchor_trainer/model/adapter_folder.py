"""An adapter on disk, in PEFT's format: its shape, and the model that it belongs to.

adapter_config.json and adapter_model.safetensors, as PEFT writes and reads them. What this program
wrote names its base by a relative path, so that a run can be moved whole.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ..errors import TrainerError
from .config import shown
from .reading import json_within, place_within
from .safetensors_file import read_header

CONFIG_FILE = "adapter_config.json"
WEIGHTS_FILE = "adapter_model.safetensors"
LARGEST_RANK = 1024
# In the metadata of the weights' file, which PEFT leaves alone: what the base was kept in, where
# that made other numbers of it, and the hash of these.
BASE_PRECISION = "base_precision"
BASE_SHA256 = "base_sha256"
# What PEFT can do to a model beside adding two matrices to some of its linear layers.
BEYOND_LORA = (
    "alpha_pattern",
    "exclude_modules",
    "fan_in_fan_out",
    "layer_replication",
    "layers_to_transform",
    "lora_bias",
    "modules_to_save",
    "rank_pattern",
    "target_parameters",
    "trainable_token_indices",
    "use_dora",
    "use_rslora",
)

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


@dataclass(frozen=True)
class LoraSpec:
    """How adapters are made: their rank, `alpha` / rank of them is added, and where they are."""

    rank: int
    alpha: float
    targets: Literal["all-linear", "attention"]


@dataclass(frozen=True)
class AdapterFolder:
    """An adapter and its base, both as folders; `modules` are the names of the adapted layers.

    `rounded_base` is the hash that the base has to have, of an adapter that was trained beside
    weights in NF4.
    """

    folder: Path
    base: Path
    rank: int
    alpha: float
    modules: tuple[str, ...]
    rounded_base: str | None = None

    @property
    def weights(self) -> Path:
        place = place_within(self.folder, WEIGHTS_FILE)
        if place is None:
            raise TrainerError("badModel", f"The adapter {self.folder} has no {WEIGHTS_FILE}.")
        return place


def read_adapter(folder: Path, base: Path | None = None) -> AdapterFolder | None:
    """The adapter in a folder; None where there is none. Raises badModel with one sentence.

    `base` is the model's folder where another than the named one is meant: what was made elsewhere
    names a place of that machine, or of the internet.
    """
    raw = json_within(folder, CONFIG_FILE) if folder.is_dir() else None
    if raw is None:
        return None
    where = f"{folder / CONFIG_FILE}"
    if raw.get("peft_type") != "LORA" or raw.get("bias", "none") != "none":
        raise TrainerError(
            "badModel", f"{where} is of an adapter that is no LoRA adapter without biases."
        )
    beyond = [name for name in BEYOND_LORA if raw.get(name)]
    if beyond:
        raise TrainerError(
            "badModel", f"{where} asks for {beyond[0]}, which cannot be trained or sampled here."
        )
    rank, alpha, modules = raw.get("r"), raw.get("lora_alpha"), raw.get("target_modules")
    if (
        not isinstance(rank, int)
        or isinstance(rank, bool)
        or not 1 <= rank <= LARGEST_RANK
        or not isinstance(alpha, (int, float))
        or not 0 < alpha < 1e6
    ):
        raise TrainerError(
            "badModel",
            f"{where}: r and lora_alpha must be a whole number up to {LARGEST_RANK} and a positive "
            f"number, but they are {shown(rank)} and {shown(alpha)}.",
        )
    # A text would be a pattern, which may take for ever.
    if not isinstance(modules, list) or not all(isinstance(one, str) for one in modules):
        raise TrainerError("badModel", f"{where}: target_modules must be a list of layers' names.")
    adapter = AdapterFolder(
        folder,
        _base(folder, raw, where) if base is None else _whole(base, where),
        rank,
        float(alpha),
        tuple(sorted(modules)),
    )
    noted = read_header(adapter.weights).metadata
    return replace(adapter, rounded_base=noted.get(BASE_SHA256))


def wrong_base(adapter: AdapterFolder) -> TrainerError:
    """That the base is not what the adapter was trained beside, which was rounded."""
    return TrainerError(
        "badModel",
        f"The adapter in {adapter.folder} was trained beside weights in NF4, and those of "
        f"{adapter.base} are not the numbers that it was trained beside.",
        hint="Write the folder of its run's checkpoint 0 into base_model_name_or_path, or "
        "load it with train.precision nf4.",
    )


def adapter_config(rank: int, alpha: float, modules: tuple[str, ...], base: str) -> dict[str, Any]:
    """adapter_config.json of an adapter to the model at `base`, as PEFT reads it."""
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": list(modules),
        "inference_mode": True,
    }


def relative_to(base: Path, folder: Path) -> str:
    """Where `base` is from `folder`; its whole path where the two share no root."""
    try:
        return Path(os.path.relpath(base.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return str(base.resolve())


def _base(folder: Path, raw: dict[str, Any], where: str) -> Path:
    named = raw.get("base_model_name_or_path")
    place = folder / named if isinstance(named, str) and named else None
    if place is None or not place.is_dir():
        raise TrainerError(
            "badModel",
            f"{where} names the base model {shown(named)}, which is no folder of this machine.",
            hint="Write the path of the base model's folder into base_model_name_or_path.",
        )
    return _whole(place, where)


def _whole(place: Path, where: str) -> Path:
    if json_within(place, CONFIG_FILE) is not None:
        raise TrainerError("badModel", f"{where}: the base {place} is an adapter itself.")
    return place
