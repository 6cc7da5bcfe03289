"""config.json of the three architectures this trainer runs, checked field by field.

The allow-list is short on purpose: each entry has an oracle test against the transformers class
of the same name, and anything else would only look as if it worked.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import TrainerError
from .reading import json_within

# No field of a model comes near it; arithmetic on larger ones would be a load of its own.
LARGEST_WHOLE = 2**31 - 1
# The angles of every position are held in memory, and nothing in the weights says how many.
LONGEST_CONTEXT = 2**22
LONGEST_SHOWN = 80
# Below it memory is no matter, and arithmetic stays what it was when the first runs were stored.
SMALL_MODEL = 50_000_000

SUPPORTED = {
    "Qwen2ForCausalLM": "qwen2",
    "Qwen3ForCausalLM": "qwen3",
    "LlamaForCausalLM": "llama",
}


def is_small(parameters: int) -> bool:
    return parameters < SMALL_MODEL


@dataclass(frozen=True)
class Llama3Scaling:
    """Frequency scaling of Llama 3.1 and later."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_context: int


@dataclass(frozen=True)
class ModelConfig:
    """Shapes of one model. `kind` is qwen2, qwen3 or llama; lengths are in tokens."""

    kind: str
    architecture: str
    hidden: int
    feed_forward: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    context: int
    rope_theta: float
    rope_linear_factor: float
    rope_llama3: Llama3Scaling | None
    norm_eps: float
    tied: bool
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    raw: dict[str, Any]

    @property
    def has_qk_norm(self) -> bool:
        return self.kind == "qwen3"

    def parameter_count(self) -> int:
        """Exact number of trainable parameters (a tied output matrix counts once)."""
        q, kv = self.heads * self.head_dim, self.kv_heads * self.head_dim
        layer = self.hidden * (q + 2 * kv) + q * self.hidden + 3 * self.hidden * self.feed_forward
        layer += 2 * self.hidden
        layer += (q + 2 * kv) if self.qkv_bias else 0
        layer += self.hidden if self.output_bias else 0
        layer += (2 * self.feed_forward + self.hidden) if self.mlp_bias else 0
        layer += 2 * self.head_dim if self.has_qk_norm else 0
        embeddings = self.vocab * self.hidden * (1 if self.tied else 2)
        return self.layers * layer + embeddings + self.hidden


def read_config(folder: Path) -> ModelConfig:
    """Reads and checks `folder`/config.json; raises badModel with one sentence."""
    if not folder.is_dir():
        raise TrainerError(
            "badModel",
            f"The model folder {folder} does not exist.",
            hint="Choose a folder that holds config.json, tokenizer.json and model.safetensors.",
        )
    raw = json_within(folder, "config.json")
    if raw is None:
        raise TrainerError(
            "badModel",
            f"The model folder {folder} has no config.json.",
            hint="Choose the folder of a Hugging Face checkpoint.",
        )
    return parse_config(raw, str(folder / "config.json"))


def parse_config(raw: dict[str, Any], where: str) -> ModelConfig:
    """Checks the fields of one config; `where` names their source in messages."""
    architecture = _architecture(raw, where)
    kind = SUPPORTED[architecture]
    hidden = _positive(raw, "hidden_size", where)
    heads = _positive(raw, "num_attention_heads", where)
    kv_heads = _positive(raw, "num_key_value_heads", where, heads)
    # Qwen3 stores head_dim apart from hidden/heads and its class defaults to 128.
    head_dim = _positive(raw, "head_dim", where, 128 if kind == "qwen3" else hidden // heads)
    if heads % kv_heads:
        raise TrainerError(
            "badModel",
            f"{where}: num_attention_heads ({heads}) is not a multiple of num_key_value_heads "
            f"({kv_heads}).",
        )
    if head_dim % 2:
        raise TrainerError("badModel", f"{where}: head_dim must be even, but it is {head_dim}.")
    activation = raw.get("hidden_act", "silu")
    if activation != "silu":
        raise TrainerError(
            "badModel",
            f"{where}: hidden_act {_shown(activation)} is not supported, only 'silu' is.",
        )
    context = _positive(raw, "max_position_embeddings", where)
    if context > LONGEST_CONTEXT:
        raise TrainerError(
            "badModel",
            f"{where}: max_position_embeddings is {context}, and at most {LONGEST_CONTEXT} "
            "positions can be held.",
        )
    _refuse_sliding_window(raw, context, where)
    theta, linear, llama3 = _rope(raw, where)
    attention_bias = bool(raw.get("attention_bias", False))
    return ModelConfig(
        kind=kind,
        architecture=architecture,
        hidden=hidden,
        feed_forward=_positive(raw, "intermediate_size", where),
        layers=_positive(raw, "num_hidden_layers", where),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=_positive(raw, "vocab_size", where),
        context=context,
        rope_theta=theta,
        rope_linear_factor=linear,
        rope_llama3=llama3,
        norm_eps=_number(raw, "rms_norm_eps", where, 1e-6),
        tied=bool(raw.get("tie_word_embeddings", False)),
        # Qwen2 always has q/k/v biases and never an output bias; the others follow their flag.
        qkv_bias=kind == "qwen2" or attention_bias,
        output_bias=kind != "qwen2" and attention_bias,
        mlp_bias=kind == "llama" and bool(raw.get("mlp_bias", False)),
        raw=raw,
    )


def _architecture(raw: dict[str, Any], where: str) -> str:
    names = raw.get("architectures")
    name = names[0] if isinstance(names, list) and len(names) == 1 else None
    if not isinstance(name, str) or name not in SUPPORTED:
        found = ", ".join(map(str, names[:3])) if isinstance(names, list) and names else "none"
        raise TrainerError(
            "badModel",
            f"{where}: architecture {found[:LONGEST_SHOWN]} is not supported.",
            hint="Supported architectures: " + ", ".join(SUPPORTED) + ".",
        )
    return name


def _positive(raw: dict[str, Any], field: str, where: str, default: int | None = None) -> int:
    value = raw.get(field)
    if value is None:
        value = default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= LARGEST_WHOLE:
        raise TrainerError(
            "badModel",
            f"{where}: {field} must be a positive whole number, but it is {_shown(value)}.",
        )
    return value


def _number(raw: dict[str, Any], field: str, where: str, default: float | None = None) -> float:
    value = raw.get(field)
    if value is None:
        value = default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise TrainerError(
            "badModel", f"{where}: {field} must be a positive number, but it is {_shown(value)}."
        )
    return float(min(value, sys.float_info.max))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def _refuse_sliding_window(raw: dict[str, Any], context: int, where: str) -> None:
    window = raw.get("sliding_window")
    if raw.get("use_sliding_window") and isinstance(window, int) and window < context:
        raise TrainerError(
            "badModel",
            f"{where}: sliding-window attention ({window} of {context} tokens) is not supported.",
        )


def _rope(raw: dict[str, Any], where: str) -> tuple[float, float, Llama3Scaling | None]:
    # Files written before transformers 5 have rope_theta and rope_scaling; later ones have
    # rope_parameters with both.
    merged = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(merged, dict):
        raise TrainerError("badModel", f"{where}: rope scaling is not a table of numbers.")
    theta = _number(merged if "rope_theta" in merged else raw, "rope_theta", where, 10000.0)
    scaling = merged.get("rope_type", merged.get("type", "default"))
    if scaling == "default":
        return theta, 1.0, None
    if scaling == "linear":
        return theta, _number(merged, "factor", where), None
    if scaling == "llama3":
        llama3 = Llama3Scaling(
            factor=_number(merged, "factor", where),
            low_freq_factor=_number(merged, "low_freq_factor", where),
            high_freq_factor=_number(merged, "high_freq_factor", where),
            original_context=int(_number(merged, "original_max_position_embeddings", where)),
        )
        return theta, 1.0, llama3
    raise TrainerError(
        "badModel",
        f"{where}: rope scaling {_shown(scaling)} is not supported (default, linear and llama3 "
        "are).",
    )
