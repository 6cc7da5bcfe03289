"""Families that run as transformers' own class, and their config.json checked field by field.

The list is of what was tested, not of what the library has: each entry has a row of
test_trainer_families.py, which compares tokens, logits, gradients and packed rows with the class
as it is, and anything else would only look as if it worked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import TrainerError
from .config import ModelConfig, positive, rope_type, shown

MOST_LAYERS = 1024
WIDEST_HEAD = 4096
MOST_EXPERTS = 4096


@dataclass(frozen=True)
class Family:
    """Where transformers keeps a class: its package, and the name of its configuration."""

    package: str
    config: str


FAMILIES = {
    "Qwen2ForCausalLM": Family("qwen2", "Qwen2Config"),
    "Qwen3ForCausalLM": Family("qwen3", "Qwen3Config"),
    "Qwen3MoeForCausalLM": Family("qwen3_moe", "Qwen3MoeConfig"),
    "LlamaForCausalLM": Family("llama", "LlamaConfig"),
    "MistralForCausalLM": Family("mistral", "MistralConfig"),
    "Gemma2ForCausalLM": Family("gemma2", "Gemma2Config"),
    "Gemma3ForCausalLM": Family("gemma3", "Gemma3TextConfig"),
    "Phi3ForCausalLM": Family("phi3", "Phi3Config"),
    "Olmo2ForCausalLM": Family("olmo2", "Olmo2Config"),
    "SmolLM3ForCausalLM": Family("smollm3", "SmolLM3Config"),
    "GraniteForCausalLM": Family("granite", "GraniteConfig"),
}
# Architectures that people do bring, with the reason why they cannot be trained here.
REFUSED = {
    "Qwen3NextForCausalLM": "its layers carry a state from token to token, which rows of several "
    "texts would mix",
    "Qwen3_5ForCausalLM": "its layers carry a state from token to token, which rows of several "
    "texts would mix",
    "Gemma3ForConditionalGeneration": "it reads pictures too; its text model alone is saved as "
    "Gemma3ForCausalLM",
}
# Frequencies that depend on the longest text of a row would make an answer depend on its company.
ROPE_OF_THE_ROW = ("dynamic", "longrope")
SIZES = (
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "vocab_size",
    "max_position_embeddings",
)
OPTIONAL_SIZES = (
    "num_key_value_heads",
    "head_dim",
    "sliding_window",
    "num_experts",
    "moe_intermediate_size",
)


def parse_library_config(raw: dict[str, Any], architecture: str, where: str) -> ModelConfig:
    """Checks a config by its sizes, then by the library's own class; raises badModel."""
    # Imported here: the library takes seconds, and small models do without.
    from .library_model import empty_module, library_config

    _check(raw, where)
    try:
        library = library_config(raw)
        module = empty_module(library, architecture)
    except Exception as error:  # the classes raise whatever their arithmetic raises
        raise TrainerError(
            "badModel",
            f"{where}: transformers does not build {architecture} from it "
            f"({shown(str(error).splitlines()[0] if str(error) else type(error).__name__)}).",
        ) from error
    shapes = {
        name: tuple(view.shape)
        for parameter, tensor in module.named_parameters()
        if not (library.tie_word_embeddings and parameter == "lm_head.weight")
        for name, view in file_views(parameter, tensor)
    }
    heads = library.num_attention_heads
    scale = getattr(library, "logits_scaling", None)
    return ModelConfig(
        kind=FAMILIES[architecture].package,
        architecture=architecture,
        hidden=library.hidden_size,
        feed_forward=library.intermediate_size,
        layers=library.num_hidden_layers,
        heads=heads,
        kv_heads=library.num_key_value_heads or heads,
        head_dim=getattr(library, "head_dim", None) or library.hidden_size // heads,
        vocab=library.vocab_size,
        context=library.max_position_embeddings,
        rope_theta=1.0,
        rope_linear_factor=1.0,
        rope_llama3=None,
        norm_eps=library.rms_norm_eps,
        tied=bool(library.tie_word_embeddings),
        qkv_bias=False,
        output_bias=False,
        mlp_bias=False,
        raw=raw,
        logit_scale=1.0 if scale is None else 1.0 / scale,
        logit_softcap=getattr(library, "final_logit_softcapping", None),
        library_shapes=shapes,
    )


def _check(raw: dict[str, Any], where: str) -> None:
    for field in SIZES:
        positive(raw, field, where)
    for field in OPTIONAL_SIZES:
        if raw.get(field) is not None:
            positive(raw, field, where)
    for field, most in (
        ("num_hidden_layers", MOST_LAYERS),
        ("head_dim", WIDEST_HEAD),
        ("num_experts", MOST_EXPERTS),
    ):
        if (raw.get(field) or 0) > most:
            raise TrainerError("badModel", f"{where}: {field} is {raw[field]}, more than {most}.")
    scaling = rope_type(raw)
    if scaling in ROPE_OF_THE_ROW:
        raise TrainerError(
            "badModel",
            f"{where}: rope scaling {shown(scaling)} is not supported, because a text's numbers "
            "would depend on the longest one beside it.",
        )


def file_views(name: str, tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """The parts of a parameter under the names of files, where each expert's matrix is its own.

    The class keeps all experts of a layer in one tensor: gate and up stacked [E, 2 * I, H], down
    [E, H, I].
    """
    place, _, leaf = name.rpartition(".experts.")
    if leaf == "gate_up_proj":
        half = tensor.shape[1] // 2
        for number in range(tensor.shape[0]):
            yield f"{place}.experts.{number}.gate_proj.weight", tensor[number, :half]
            yield f"{place}.experts.{number}.up_proj.weight", tensor[number, half:]
    elif leaf == "down_proj":
        for number in range(tensor.shape[0]):
            yield f"{place}.experts.{number}.down_proj.weight", tensor[number]
    else:
        yield name, tensor
