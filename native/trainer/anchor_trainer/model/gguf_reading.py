"""A Hugging Face folder made of a GGUF file, so that the model in it can be trained.

What quantization took away stays away: the values are those that llama.cpp computes with, which is
said in source.json. A folder is written of the families whose GGUF was compared with llama.cpp.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import torch

from ..errors import TrainerError
from ..storage.atomic import replacing_folder
from .config import Llama3Scaling, ModelConfig, positive, shown
from .config_file import parse_config
from .folder import expected_shapes
from .gguf_header import FLOATS, GgufHeader, GgufTensor, each_part, read_gguf
from .gguf_vocabulary import read_vocabulary
from .reading import open_regular
from .rope import llama3_divisors
from .safetensors_file import write_each

SOURCE = "source.json"
# By GGUF's name of the architecture: that of the class, and gguf's own key for names of tensors.
FAMILIES = {
    "qwen2": ("Qwen2ForCausalLM", gguf.MODEL_ARCH.QWEN2),
    "qwen3": ("Qwen3ForCausalLM", gguf.MODEL_ARCH.QWEN3),
    "llama": ("LlamaForCausalLM", gguf.MODEL_ARCH.LLAMA),
}
ROPE_DIVISORS = "rope_freqs.weight"
# Llama 3's scaling is kept as divisors alone; all that was published has these bounds.
LLAMA3_BOUNDS = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3_CONTEXTS = [1 << bits for bits in range(5, 21)]

Progress = Callable[[int, int], None]


def write_policy(path: Path, out: Path, progress: Progress) -> dict[str, Any]:
    """Makes the folder `out` of the GGUF file `path`, whole or not at all; returns source.json.

    `progress` gets the bytes of the file that are done and all of them. Raises badModel, diskFull,
    and badRequest where something stands at `out` already.
    """
    if out.exists():
        raise TrainerError("badRequest", f"{out} exists already; name a new folder.")
    header = read_gguf(path)
    raw, architecture = _raw_config(header)
    config = _checked(header, raw)
    vocabulary = read_vocabulary(header, config.vocab)
    raw |= vocabulary.ids
    places = _places(header, config, architecture)
    total = sum(place.size for place in places.values())
    done = 0

    def values(name: str) -> torch.Tensor:
        nonlocal done
        place = places[name]
        tensor = torch.empty(math.prod(place.shape), dtype=place.dtype)
        at = 0
        for part in each_part(weights, path, place):
            tensor[at : at + part.numel()] = part
            at += part.numel()
        done += place.size
        progress(done, total)
        return _rows_of_halves(name, tensor.view(place.shape), config)

    with replacing_folder(out) as folder, open_regular(path) as weights:
        source = {**_origin(header), "sha256": hashlib.file_digest(weights, "sha256").hexdigest()}
        texts = {
            "config.json": json.dumps(raw, indent=2, allow_nan=False),
            SOURCE: json.dumps(source, indent=2),
            **vocabulary.files,
        }
        for file_name, text in texts.items():
            (folder / file_name).write_bytes(text.encode())
        shapes = {name: (place.dtype, place.shape) for name, place in places.items()}
        with (folder / "model.safetensors").open("wb") as file:
            write_each(file, shapes, values, {"format": "pt"})
    return source


def _raw_config(header: GgufHeader) -> tuple[dict[str, Any], gguf.MODEL_ARCH]:
    """config.json, with nothing in it checked beyond what it takes to write it."""
    metadata = header.metadata
    name = metadata.get("general.architecture")
    if not isinstance(name, str) or name not in FAMILIES:
        raise TrainerError(
            "badModel",
            f"{header.path} is of the architecture {shown(name)}, which cannot become a policy.",
            hint="A GGUF of these can: " + ", ".join(FAMILIES) + ".",
        )
    if metadata.get("split.count", 1) != 1:
        raise TrainerError(
            "badModel",
            f"{header.path} is one part of a model in several files.",
            hint="Join them with llama-gguf-split --merge first.",
        )
    if metadata.get(f"{name}.expert_count", 0) != 0:
        raise TrainerError(
            "badModel", f"{header.path} has layers of experts, which cannot become a policy."
        )

    def field(key: str, default: object = None) -> Any:
        return metadata.get(f"{name}.{key}", default)

    where = str(header.path)
    raw: dict[str, Any] = {
        "architectures": [FAMILIES[name][0]],
        "model_type": name,
        "hidden_act": "silu",
        "hidden_size": field("embedding_length"),
        "intermediate_size": field("feed_forward_length"),
        "num_hidden_layers": field("block_count"),
        "num_attention_heads": field("attention.head_count"),
        "num_key_value_heads": field("attention.head_count_kv", field("attention.head_count")),
        "max_position_embeddings": field("context_length"),
        "rms_norm_eps": field("attention.layer_norm_rms_epsilon"),
        "rope_theta": field("rope.freq_base", 10000.0),
        "tie_word_embeddings": "output.weight" not in header.tensors,
    }
    if raw["rms_norm_eps"] is None:
        raise header.broken("it does not say what its norms add")
    hidden = positive(raw, "hidden_size", where)
    heads = positive(raw, "num_attention_heads", where)
    raw["head_dim"] = field("attention.key_length", hidden // heads)
    width = positive(raw, "head_dim", where)
    for key in ("attention.value_length", "rope.dimension_count"):
        if field(key, width) != width:
            raise header.broken(f"{key} is {shown(field(key))} where heads are {width} wide")
    # Every layer has tensors, so there cannot be more; lists of layers are made of the number.
    if positive(raw, "num_hidden_layers", where) > len(header.tensors):
        raise header.broken(f"it claims {raw['num_hidden_layers']:,} layers, but has not as many")
    embedding = header.tensors.get("token_embd.weight")
    if embedding is None:
        raise header.broken("it has no embedding")
    raw["vocab_size"] = embedding.shape[0]
    if name == "llama":
        raw["attention_bias"] = "blk.0.attn_q.bias" in header.tensors
        raw["mlp_bias"] = "blk.0.ffn_up.bias" in header.tensors
    kinds = Counter(tensor.dtype for tensor in header.tensors.values() if len(tensor.shape) > 1)
    raw["dtype"] = str(kinds.most_common(1)[0][0]).removeprefix("torch.")
    if (scaling := _rope_scaling(header, name)) is not None:
        raw["rope_scaling"] = scaling
    return raw, FAMILIES[name][1]


def _rope_scaling(header: GgufHeader, name: str) -> dict[str, Any] | None:
    """Scaling that the metadata names; Llama 3's is in a tensor."""
    kind = header.metadata.get(f"{name}.rope.scaling.type", "none")
    if kind == "linear":
        return {"rope_type": "linear", "factor": header.metadata.get(f"{name}.rope.scaling.factor")}
    if kind != "none":
        raise TrainerError(
            "badModel",
            f"{header.path} scales positions by {shown(kind)}, which cannot become a policy.",
        )
    return None


def _checked(header: GgufHeader, raw: dict[str, Any]) -> ModelConfig:
    """The configuration that `raw` describes, with Llama 3's scaling put into it."""
    config = parse_config(raw, str(header.path))
    place = header.tensors.get(ROPE_DIVISORS)
    if place is None:
        return config
    with open_regular(header.path) as file:
        divisors = torch.cat(list(each_part(file, header.path, place))).float()
    for context in LLAMA3_CONTEXTS:
        scaling = {**LLAMA3_BOUNDS, "factor": float(divisors.max())}
        tried = replace(config, rope_llama3=Llama3Scaling(original_context=context, **scaling))
        expected = llama3_divisors(tried)
        if divisors.shape == expected.shape and torch.allclose(divisors, expected, rtol=1e-5):
            raw["rope_scaling"] = {
                "rope_type": "llama3",
                "original_max_position_embeddings": context,
                **scaling,
            }
            return parse_config(raw, str(header.path))
    raise TrainerError(
        "badModel",
        f"{header.path} scales positions in a way of its own, which cannot become a policy.",
    )


def _places(
    header: GgufHeader, config: ModelConfig, architecture: gguf.MODEL_ARCH
) -> dict[str, GgufTensor]:
    """The tensors by their Hugging Face names: all that the family has, and no other."""
    names = gguf.get_tensor_name_map(architecture, config.layers)
    left = dict(header.tensors)
    left.pop(ROPE_DIVISORS, None)
    places: dict[str, GgufTensor] = {}
    for name, shape in expected_shapes(config).items():
        place = left.pop(str(names.get_name(name, try_suffixes=(".weight", ".bias"))), None)
        if place is None:
            raise header.broken(f"it lacks the tensor for {name}")
        if place.shape != shape:
            raise header.broken(
                f"the tensor {place.name} has the shape {list(place.shape)}, not {list(shape)}"
            )
        places[name] = place
    if left:
        raise header.broken(f"it has a tensor {next(iter(left))[:80]!r}, which the family has not")
    return places


def _rows_of_halves(name: str, tensor: torch.Tensor, config: ModelConfig) -> torch.Tensor:
    """Undoes what `gguf_file` does to q and k rows of `llama`, which lie there in pairs."""
    if config.kind != "llama" or not (".q_proj." in name or ".k_proj." in name):
        return tensor
    heads = config.heads if ".q_proj." in name else config.kv_heads
    pairs = tensor.reshape(heads, config.head_dim // 2, 2, *tensor.shape[1:])
    return pairs.transpose(1, 2).reshape(tensor.shape)


def _origin(header: GgufHeader) -> dict[str, Any]:
    """Where the weights come from, and what they were kept in."""
    kinds = Counter(tensor.kind for tensor in header.tensors.values())
    try:
        code = gguf.LlamaFileType(header.metadata.get("general.file_type", -1))
        quantization = code.name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except ValueError:
        quantization = kinds.most_common(1)[0][0].name
    return {
        "from": header.path.name,
        "quantization": quantization,
        "tensorTypes": {kind.name: count for kind, count in kinds.most_common()},
        "dequantized": any(kind not in FLOATS for kind in kinds),
    }
