"""config.json of the three architectures whose forward pass is written here, field by field.

Each has an oracle test against the transformers class of the same name. Others, and these with
attention or positions of another kind, are run by that class itself: see `model.families`.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from ..errors import TrainerError

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


ROPE_TYPES = ("default", "linear", "llama3")


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
    # Of models that only transformers' own class runs (`model.families`): what happens to logits,
    # and the tensors of a file.
    logit_scale: float = 1.0
    logit_softcap: float | None = None
    library_shapes: dict[str, tuple[int, ...]] | None = None

    @property
    def has_qk_norm(self) -> bool:
        return self.kind == "qwen3"

    def parameter_count(self) -> int:
        """Exact number of trainable parameters (a tied output matrix counts once)."""
        if self.library_shapes is not None:
            return sum(math.prod(shape) for shape in self.library_shapes.values())
        q, kv = self.heads * self.head_dim, self.kv_heads * self.head_dim
        layer = self.hidden * (q + 2 * kv) + q * self.hidden + 3 * self.hidden * self.feed_forward
        layer += 2 * self.hidden
        layer += (q + 2 * kv) if self.qkv_bias else 0
        layer += self.hidden if self.output_bias else 0
        layer += (2 * self.feed_forward + self.hidden) if self.mlp_bias else 0
        layer += 2 * self.head_dim if self.has_qk_norm else 0
        embeddings = self.vocab * self.hidden * (1 if self.tied else 2)
        return self.layers * layer + embeddings + self.hidden


def parse_own_config(raw: dict[str, Any], architecture: str, where: str) -> ModelConfig:
    """Checks the fields of a config whose forward pass is written here; raises badModel."""
    kind = SUPPORTED[architecture]
    hidden = positive(raw, "hidden_size", where)
    heads = positive(raw, "num_attention_heads", where)
    kv_heads = positive(raw, "num_key_value_heads", where, heads)
    # Qwen3 stores head_dim apart from hidden/heads and its class defaults to 128.
    head_dim = positive(raw, "head_dim", where, 128 if kind == "qwen3" else hidden // heads)
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
            f"{where}: hidden_act {shown(activation)} is not supported, only 'silu' is.",
        )
    context = positive(raw, "max_position_embeddings", where)
    if context > LONGEST_CONTEXT:
        raise TrainerError(
            "badModel",
            f"{where}: max_position_embeddings is {context}, and at most {LONGEST_CONTEXT} "
            "positions can be held.",
        )
    theta, linear, llama3 = _rope(raw, where)
    attention_bias = bool(raw.get("attention_bias", False))
    return ModelConfig(
        kind=kind,
        architecture=architecture,
        hidden=hidden,
        feed_forward=positive(raw, "intermediate_size", where),
        layers=positive(raw, "num_hidden_layers", where),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=positive(raw, "vocab_size", where),
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


def positive(raw: dict[str, Any], field: str, where: str, default: int | None = None) -> int:
    value = raw.get(field)
    if value is None:
        value = default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= LARGEST_WHOLE:
        raise TrainerError(
            "badModel",
            f"{where}: {field} must be a positive whole number, but it is {shown(value)}.",
        )
    return value


def _number(raw: dict[str, Any], field: str, where: str, default: float | None = None) -> float:
    value = raw.get(field)
    if value is None:
        value = default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise TrainerError(
            "badModel", f"{where}: {field} must be a positive number, but it is {shown(value)}."
        )
    return float(min(value, sys.float_info.max))


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def rope_type(raw: dict[str, Any]) -> object:
    """The kind of rope scaling, in either form that files have had."""
    merged = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(merged, dict):
        return "default"
    return merged.get("rope_type", merged.get("type", "default"))


def runs_here(raw: dict[str, Any], architecture: str) -> bool:
    """Whether the forward pass written here computes what this config describes."""
    window, context = raw.get("sliding_window"), raw.get("max_position_embeddings")
    windowed = bool(raw.get("use_sliding_window")) and (
        isinstance(window, int) and isinstance(context, int) and window < context
    )
    return architecture in SUPPORTED and rope_type(raw) in ROPE_TYPES and not windowed


def _rope(raw: dict[str, Any], where: str) -> tuple[float, float, Llama3Scaling | None]:
    # Files written before transformers 5 have rope_theta and rope_scaling; later ones have
    # rope_parameters with both.
    merged = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(merged, dict):
        raise TrainerError("badModel", f"{where}: rope scaling is not a table of numbers.")
    theta = _number(merged if "rope_theta" in merged else raw, "rope_theta", where, 10000.0)
    scaling = rope_type(raw)
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
    return theta, 1.0, None
