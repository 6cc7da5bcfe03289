"""A checkpoint folder: which tensors it must hold, and loading them.

Only safetensors are read. A folder that offers nothing but pickled weights is refused, because
unpickling runs code chosen by whoever wrote the file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..errors import TrainerError
from .config import ModelConfig
from .reading import json_within, place_within
from .safetensors_file import Header, each_tensor, read_header

INDEX = "model.safetensors.index.json"
CHECKED_AT_ONCE = 1 << 22
PICKLE_SUFFIXES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


def expected_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Every parameter of the architecture under its Hugging Face name."""
    if config.library_shapes is not None:
        return config.library_shapes
    hidden, feed = config.hidden, config.feed_forward
    q, kv = config.heads * config.head_dim, config.kv_heads * config.head_dim
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config.vocab, hidden)}
    for layer in range(config.layers):
        at = f"model.layers.{layer}."
        for part, rows in (("q", q), ("k", kv), ("v", kv)):
            shapes[f"{at}self_attn.{part}_proj.weight"] = (rows, hidden)
            if config.qkv_bias:
                shapes[f"{at}self_attn.{part}_proj.bias"] = (rows,)
        shapes[f"{at}self_attn.o_proj.weight"] = (hidden, q)
        if config.output_bias:
            shapes[f"{at}self_attn.o_proj.bias"] = (hidden,)
        if config.has_qk_norm:
            shapes[f"{at}self_attn.q_norm.weight"] = (config.head_dim,)
            shapes[f"{at}self_attn.k_norm.weight"] = (config.head_dim,)
        for part, shape in (
            ("gate", (feed, hidden)),
            ("up", (feed, hidden)),
            ("down", (hidden, feed)),
        ):
            shapes[f"{at}mlp.{part}_proj.weight"] = shape
            if config.mlp_bias:
                shapes[f"{at}mlp.{part}_proj.bias"] = (shape[0],)
        shapes[f"{at}input_layernorm.weight"] = (hidden,)
        shapes[f"{at}post_attention_layernorm.weight"] = (hidden,)
    shapes["model.norm.weight"] = (hidden,)
    if not config.tied:
        shapes["lm_head.weight"] = (config.vocab, hidden)
    return shapes


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a folder, sharded or not; raises badModel when there are none."""
    single = place_within(folder, "model.safetensors")
    if single is not None:
        return [single]
    index = json_within(folder, INDEX)
    if index is not None:
        return _shards(folder, index)
    pickled = sorted(p.name for p in folder.iterdir() if p.suffix in PICKLE_SUFFIXES)
    if pickled:
        raise TrainerError(
            "badModel",
            f"The model folder {folder} has only pickled weights ({pickled[0]}), which are refused "
            "because loading them can run foreign code.",
            hint="Convert the checkpoint to safetensors on a machine you trust.",
        )
    raise TrainerError("badModel", f"The model folder {folder} has no model.safetensors.")


def _shards(folder: Path, index: dict[str, Any]) -> list[Path]:
    table = index.get("weight_map")
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise TrainerError("badModel", f"{folder / INDEX} is not a valid list of weight files.")
    shards = []
    for name in sorted(set(table.values())):
        # A name with a path in it could reach outside the chosen folder.
        place = place_within(folder, name) if Path(name).name == name else None
        if place is None:
            raise TrainerError("badModel", f"The model folder {folder} lacks the file {name}.")
        shards.append(place)
    return shards


def check_headers(folder: Path, config: ModelConfig) -> list[tuple[Path, Header]]:
    """Checks names and shapes of all tensors without reading their data."""
    headers = [(path, read_header(path)) for path in weight_files(folder)]
    found = {name: entry for _, header in headers for name, entry in header.entries.items()}
    if config.layers > len(found):  # not even one tensor a layer, so nothing is built for them
        raise TrainerError(
            "badModel",
            f"The config.json in {folder} asks for {config.layers:,} layers, but the weights there "
            f"hold only {len(found):,} tensors.",
        )
    expected = expected_shapes(config)
    extra = sorted(set(found) - set(expected))
    if config.tied and extra == ["lm_head.weight"]:
        extra = []  # some writers store the tied matrix twice; its equality is checked on load
    # Older writers stored the rotation frequencies, which follow from config.json.
    extra = [name for name in extra if not name.endswith(".rotary_emb.inv_freq")]
    missing = sorted(set(expected) - set(found))
    if missing:
        raise TrainerError(
            "badModel",
            f"The weights in {folder} lack {len(missing)} tensor(s) that config.json asks for, "
            f"first {missing[0]}.",
        )
    if extra:
        raise TrainerError(
            "badModel",
            f"The weights in {folder} hold {len(extra)} tensor(s) that config.json does not name, "
            f"first {extra[0]}.",
        )
    for name, shape in expected.items():
        if found[name].shape != shape:
            raise TrainerError(
                "badModel",
                f"Tensor {name} in {folder} has shape {list(found[name].shape)}, but config.json "
                f"asks for {list(shape)}.",
            )
        if not found[name].dtype.is_floating_point:
            raise TrainerError(
                "badModel", f"Tensor {name} in {folder} holds whole numbers, not weights."
            )
    return headers


def _all_finite(tensor: torch.Tensor) -> bool:
    """Asked of parts: the answer for all of a tensor takes more memory than the tensor."""
    return all(bool(torch.isfinite(one).all()) for one in tensor.view(-1).split(CHECKED_AT_ONCE))


def load_tensors(
    folder: Path,
    config: ModelConfig,
    dtype: torch.dtype = torch.float32,
    take: Callable[[str, torch.Tensor], bool] = lambda name, tensor: False,
) -> dict[str, torch.Tensor]:
    """All parameters as CPU tensors by Hugging Face name; raises badModel.

    Numbers with more bits than `dtype` are rounded to the nearest. What `take` says yes to, it has
    made something else of, and it is not kept here: so not all of a model is in memory at once.
    """
    tensors: dict[str, torch.Tensor] = {}
    for path, header in check_headers(folder, config):
        for name, tensor in each_tensor(path, header):
            rounded = tensor.to(dtype)
            if not _all_finite(rounded):
                raise TrainerError(
                    "badModel", f"Tensor {name} in {path} holds values that are not finite."
                )
            if not take(name, rounded):
                tensors[name] = rounded
    tensors = {name: one for name, one in tensors.items() if not name.endswith("inv_freq")}
    extra_head = tensors.pop("lm_head.weight", None) if config.tied else None
    if extra_head is not None and not torch.equal(extra_head, tensors["model.embed_tokens.weight"]):
        raise TrainerError(
            "badModel",
            f"The weights in {folder} hold an lm_head that differs from the embedding, although "
            "config.json ties them.",
        )
    return tensors
