"""A Hugging Face folder made of a LoRA adapter and its base: W + (alpha / rank) B A, in float32.

Tensors pass one after the other, so that a model larger than the memory can be made. PEFT's
merge_and_unload rounds to what the base is kept in; float32 keeps what was trained.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..errors import TrainerError
from ..storage.atomic import replacing_folder
from ..storage.checkpoint import read_companions
from .adapter_folder import (
    CONFIG_FILE,
    MERGED_READ_ME,
    AdapterFolder,
    read_adapter,
    wrong_base,
)
from .config import shown
from .config_file import read_config
from .folder import check_headers
from .reading import json_within
from .safetensors_file import read_tensor, read_tensors, value_bytes, write_each

SOURCE = "source.json"
MATRIX = re.compile(r"base_model\.model\.(?P<layer>[^ ]+)\.lora_(?P<side>[AB])\.weight")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Pair:
    """The two matrices that are added to a layer's, fp32: rank by inputs and outputs by rank."""

    a: torch.Tensor
    b: torch.Tensor


def write_merged(adapter: Path, base: Path, out: Path, progress: Progress) -> dict[str, Any]:
    """Makes the folder `out`, whole or not at all; returns source.json.

    `progress` gets the bytes of the base that are done and all of them. Raises badModel, diskFull,
    and badRequest where something stands at `out` already.
    """
    if out.exists():
        raise TrainerError("badRequest", f"{out} exists already; name a new folder.")
    given = read_adapter(adapter, base)
    if given is None:
        raise TrainerError("badModel", f"The folder {adapter} has no {CONFIG_FILE}.")
    config = read_config(base)
    places = {
        name: (path, header, entry)
        for path, header in check_headers(base, config)
        for name, entry in header.entries.items()
        # Follows from config.json, and a tied output matrix is the words' once more.
        if not name.endswith(".rotary_emb.inv_freq")
        and not (config.tied and name == "lm_head.weight")
    }
    pairs = _pairs(given, {name: entry.shape for name, (_, _, entry) in places.items()})
    total = sum(entry.end - entry.begin for _, _, entry in places.values())
    done = 0
    of_base = hashlib.sha256()

    def values(name: str) -> torch.Tensor:
        nonlocal done
        path, header, entry = places[name]
        tensor = read_tensor(path, header, entry)
        of_base.update(value_bytes(tensor))
        whole = tensor.float()
        pair = pairs.get(name)
        if pair is not None:
            whole = whole.addmm(pair.b, pair.a, alpha=given.alpha / given.rank)
        if not torch.isfinite(whole).all():
            raise TrainerError(
                "badModel", f"Tensor {name} of {base} and the adapter is not finite."
            )
        done += entry.end - entry.begin
        progress(done, total)
        return whole

    source = {"from": adapter.name, "base": base.name, "rank": given.rank, "alpha": given.alpha}
    raw = json_within(base, "config.json") or {}
    kept = {key: value for key, value in raw.items() if key != "torch_dtype"}
    texts = {
        "config.json": json.dumps({**kept, "dtype": "float32"}, indent=2),
        SOURCE: json.dumps(source, indent=2),
        **({} if given.rounded_base is None else {"README.md": MERGED_READ_ME}),
    }
    with replacing_folder(out) as folder:
        for name, data in read_companions(base).items():
            (folder / name).write_bytes(data)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        shapes = {name: (torch.float32, entry.shape) for name, (_, _, entry) in places.items()}
        with (folder / "model.safetensors").open("wb") as file:
            write_each(file, shapes, values, {"format": "pt"})
        if given.rounded_base not in (None, of_base.hexdigest()):
            raise wrong_base(given)
    return source


def _pairs(adapter: AdapterFolder, shapes: dict[str, tuple[int, ...]]) -> dict[str, _Pair]:
    """The adapter's matrices by the tensor that they are added to; nothing of it is left over."""
    found: dict[str, dict[str, torch.Tensor]] = {}
    for name, tensor in read_tensors(adapter.weights).items():
        match = MATRIX.fullmatch(name)
        target = "" if match is None else f"{match['layer']}.weight"
        if match is None or len(shapes.get(target, ())) != 2:
            raise TrainerError(
                "badModel",
                f"The adapter {adapter.folder} changes {shown(name)}, which is no matrix of the "
                f"model in {adapter.base}.",
                hint="Name the model that it was trained with, and merge other kinds of adapters "
                "with merge_and_unload of PEFT.",
            )
        if not tensor.is_floating_point() or not torch.isfinite(tensor).all():
            raise TrainerError(
                "badModel", f"Tensor {name} in {adapter.weights} holds values that are no weights."
            )
        found.setdefault(target, {})[match["side"]] = tensor.float()
    if not found:
        raise TrainerError("badModel", f"The adapter {adapter.folder} holds no matrices.")
    pairs = {}
    for target, sides in found.items():
        rows, columns = shapes[target]
        wanted = {"A": (adapter.rank, columns), "B": (rows, adapter.rank)}
        if {side: tuple(one.shape) for side, one in sides.items()} != wanted:
            raise TrainerError(
                "badModel",
                f"The adapter in {adapter.folder} does not fit the model in {adapter.base}: "
                f"{target} has {rows} rows and {columns} columns there.",
            )
        pairs[target] = _Pair(sides["A"], sides["B"])
    return pairs
