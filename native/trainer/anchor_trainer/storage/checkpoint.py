"""A checkpoint folder: the policy at one version, itself loadable as a model.

model.safetensors (fp32 or bf16, Hugging Face names), or an adapter in PEFT's files; config and
tokenizer as they came, optionally optimizer.safetensors or, in its place, updates.safetensors
(`updates_file`), and trainer.json with the version and the SHA-256 of every other file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from ..errors import TrainerError
from ..model.adapter_folder import CONFIG_FILE, WEIGHTS_FILE
from ..model.reading import (
    MAX_TOKENIZER_BYTES,
    json_within,
    open_regular,
    place_within,
    read_within,
)
from ..model.safetensors_file import read_tensors, write_tensors, write_unnamed
from .atomic import replacing_folder
from .updates_file import UPDATES_FILE, AppliedUpdate, EarlierCheckpoint, write_updates

FORMAT = 1
# What a checkpoint was trained with that says nothing of it.
USUAL_METHOD = {"precision": "master32", "optimizer": "adamw"}
COMPANIONS = (
    "tokenizer.json",
    "tokenizer_config.json",
    "generation_config.json",
    "chat_template.jinja",
    "special_tokens_map.json",
    "LICENSE",
)


def read_companions(folder: Path) -> dict[str, bytes]:
    """Tokenizer and licence files by name, kept in memory: their folder may be deleted later."""
    found = {name: read_within(folder, name, MAX_TOKENIZER_BYTES) for name in COMPANIONS}
    return {name: data for name, data in found.items() if data is not None}


@dataclass(frozen=True)
class CheckpointState:
    """What trainer.json says beside the hashes; `base_sha256` is of the model under an adapter.

    `precision` and `optimizer` are those of TrainSpec. `stage` is where the stage began, whose
    weights are the reference; None where none began or the reference is another.
    """

    version: int
    seed: int
    optimizer_steps: int
    weights_sha256: str
    has_optimizer: bool
    base_sha256: str | None = None
    moments: EarlierCheckpoint | None = None
    stage: EarlierCheckpoint | None = None
    precision: str = USUAL_METHOD["precision"]
    optimizer: str = USUAL_METHOD["optimizer"]


@dataclass(frozen=True)
class AdapterRecord:
    """What a checkpoint stores of an adapter beside its tensors.

    `sha256` is that of the adapter and its base together, `config` what PEFT reads, `noted` the
    metadata of its file.
    """

    config: dict[str, Any]
    sha256: str
    base_sha256: str
    noted: dict[str, str]


def save_checkpoint(
    folder: Path,
    companions: dict[str, bytes],
    config: dict[str, Any],
    weights: Mapping[str, torch.Tensor],
    optimizer: dict[str, torch.Tensor] | None,
    *,
    version: int,
    seed: int,
    optimizer_steps: int,
    method: dict[str, str],
    adapter: AdapterRecord | None = None,
    moments: tuple[EarlierCheckpoint, Sequence[AppliedUpdate]] | None = None,
    stage: EarlierCheckpoint | None = None,
) -> tuple[list[dict[str, Any]], str]:
    """Writes the folder whole or not at all; a checkpoint that stood there before is replaced.

    With `adapter`, `weights` are its tensors and the model itself is not written. `method` is how
    it was trained, as USUAL_METHOD has it; `moments` says where those of the optimizer come from,
    without `optimizer`, `stage` where the reference does. Returns [{path, bytes, sha256}] of its
    files, and the hash of the weights. Raises diskFull, or badRequest when the folder holds
    something that is not a checkpoint.
    """
    _refuse_foreign(folder)
    with replacing_folder(folder) as target:
        hashes, weights_sha256 = _write_model(target, companions, config, weights, adapter)
        if optimizer is not None:
            with (target / "optimizer.safetensors").open("wb") as file:
                hashes["optimizer.safetensors"] = write_unnamed(file, optimizer)
        if moments is not None:
            hashes[UPDATES_FILE] = write_updates(target, moments[1])
        manifest = {
            "format": FORMAT,
            "version": version,
            "seed": seed,
            # All randomness is counter-based, so the seed is the whole state of it.
            "rng": {"kind": "counter", "seed": seed},
            "optimizerSteps": optimizer_steps,
            "hasOptimizer": optimizer is not None,
            "weightsSha256": weights_sha256,
            **({} if method == USUAL_METHOD else method),
            **({} if adapter is None else {"baseSha256": adapter.base_sha256}),
            **({} if moments is None else {"moments": asdict(moments[0])}),
            **({} if stage is None else {"stage": asdict(stage)}),
            "files": dict(sorted(hashes.items())),
        }
        _write_json(target / "trainer.json", manifest)
        hashes["trainer.json"] = _file_sha256(target / "trainer.json")
    return _listing(folder, hashes), weights_sha256


def export_model(
    folder: Path,
    companions: dict[str, bytes],
    config: dict[str, Any],
    weights: dict[str, torch.Tensor],
    dtype: torch.dtype,
    beside: dict[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Writes a plain model folder in `dtype` for other programs; returns its files.

    `beside` are texts by file name that are written too.
    """
    _refuse_foreign(folder, marker="model.safetensors")
    with replacing_folder(folder) as target:
        converted = {name: tensor.to(dtype) for name, tensor in weights.items()}
        hashes, _ = _write_model(target, companions, config, converted)
        hashes |= _write_texts(target, beside or {})
    return _listing(folder, hashes)


def export_adapter(
    folder: Path,
    config: dict[str, Any],
    tensors: dict[str, torch.Tensor],
    noted: dict[str, str],
    beside: dict[str, str],
) -> list[dict[str, Any]]:
    """Writes an adapter for other programs, in PEFT's format; returns its files.

    `noted` is metadata of its weights' file, `beside` texts by file name.
    """
    _refuse_foreign(folder, marker=WEIGHTS_FILE)
    with replacing_folder(folder) as target:
        hashes, _ = _write_adapter(target, config, tensors, noted)
        hashes |= _write_texts(target, beside)
    return _listing(folder, hashes)


def _refuse_foreign(folder: Path, marker: str = "trainer.json") -> None:
    # Replacing a folder deletes what it held, so it must be one this program could have written.
    if folder.exists() and not (
        folder.is_dir() and ((folder / marker).is_file() or not any(folder.iterdir()))
    ):
        raise TrainerError(
            "badRequest",
            f"The folder {folder} exists and is not one this program wrote; it is left as it is.",
            hint="Choose a new or empty folder.",
        )


def _write_model(
    target: Path,
    companions: dict[str, bytes],
    config: dict[str, Any],
    weights: Mapping[str, torch.Tensor],
    adapter: AdapterRecord | None = None,
) -> tuple[dict[str, str], str]:
    """Weights, config and tokenizer into `target`; SHA-256 by file name, and of the weights."""
    if adapter is not None:
        hashes, _ = _write_adapter(target, adapter.config, weights, adapter.noted)
        weights_sha256 = adapter.sha256
    else:
        with (target / "model.safetensors").open("wb") as file:
            written = write_tensors(file, weights, {"format": "pt"})
        hashes, weights_sha256 = {"model.safetensors": written.file}, written.tensors
    # config.json must name the number type that is in the file, not the original's.
    dtype = str(next(iter(weights.values())).dtype).removeprefix("torch.")
    own_config = {k: v for k, v in config.items() if k != "torch_dtype"} | {"dtype": dtype}
    _write_json(target / "config.json", own_config)
    for name, data in companions.items():
        (target / name).write_bytes(data)
    for path in target.iterdir():
        if path.name not in hashes:
            hashes[path.name] = _file_sha256(path)
    return hashes, weights_sha256


def _write_texts(target: Path, texts: dict[str, str]) -> dict[str, str]:
    """SHA-256 by file name."""
    for name, text in texts.items():
        (target / name).write_text(text, encoding="utf-8")
    return {name: _file_sha256(target / name) for name in texts}


def _write_adapter(
    target: Path, config: dict[str, Any], tensors: Mapping[str, torch.Tensor], noted: dict[str, str]
) -> tuple[dict[str, str], str]:
    with (target / WEIGHTS_FILE).open("wb") as file:
        written = write_tensors(file, tensors, {"format": "pt", **noted})
    _write_json(target / CONFIG_FILE, config)
    config_sha256 = _file_sha256(target / CONFIG_FILE)
    return {WEIGHTS_FILE: written.file, CONFIG_FILE: config_sha256}, written.tensors


def _listing(folder: Path, hashes: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"path": str(folder / name), "bytes": (folder / name).stat().st_size, "sha256": digest}
        for name, digest in sorted(hashes.items())
    ]


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def read_state(folder: Path) -> CheckpointState:
    """Reads trainer.json and checks every file against its hash; raises badModel."""
    state, files = read_manifest(folder)
    for name, expected in files.items():
        place = place_within(folder, name)
        if place is None:
            raise TrainerError(
                "badModel", f"The checkpoint {folder} is corrupt: {name} is missing."
            )
        if _file_sha256(place) != expected:
            raise TrainerError(
                "badModel",
                f"The checkpoint {folder} is corrupt: {name} does not match its recorded SHA-256.",
                hint="Use an earlier checkpoint.",
            )
    return state


def read_manifest(folder: Path) -> tuple[CheckpointState, dict[str, str]]:
    """What trainer.json says, and the SHA-256 by file that it names; raises badModel."""
    raw = json_within(folder, "trainer.json")
    if raw is None:
        raise TrainerError(
            "badModel", f"The folder {folder} is not a checkpoint: it has no trainer.json."
        )
    try:
        state = CheckpointState(
            version=raw["version"],
            seed=raw["seed"],
            optimizer_steps=raw["optimizerSteps"],
            weights_sha256=raw["weightsSha256"],
            has_optimizer=raw["hasOptimizer"],
            base_sha256=raw.get("baseSha256"),
            moments=EarlierCheckpoint(**raw["moments"]) if "moments" in raw else None,
            stage=EarlierCheckpoint(**raw["stage"]) if "stage" in raw else None,
            precision=raw.get("precision", USUAL_METHOD["precision"]),
            optimizer=raw.get("optimizer", USUAL_METHOD["optimizer"]),
        )
        files: dict[str, str] = raw["files"]
        known_format = raw["format"] == FORMAT
    except (KeyError, TypeError) as error:
        raise TrainerError(
            "badModel", f"The checkpoint {folder} is corrupt: trainer.json cannot be read."
        ) from error
    if not known_format:
        raise TrainerError(
            "badModel", f"The checkpoint {folder} was written by a newer version of this program."
        )
    return state, files


def _file_sha256(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_optimizer(folder: Path) -> dict[str, torch.Tensor]:
    """The optimizer's moments by name."""
    place = place_within(folder, "optimizer.safetensors")
    if place is None:
        raise TrainerError("badModel", f"The checkpoint {folder} is corrupt: it has no optimizer.")
    return read_tensors(place)
