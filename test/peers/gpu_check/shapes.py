"""Models with random weights in the shapes of published ones: speed and memory ask for no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from anchor_trainer.model.config_file import parse_config
from anchor_trainer.model.folder import expected_shapes
from anchor_trainer.model.safetensors_file import write_tensors
from tiny_models import build_tokenizer

# Of the tokenizer that every shape gets; longer vocabularies keep their matrices' size.
END_ID = 302
# Of logits, whatever the width: answers are then neither certain nor all alike.
LOGIT_SPREAD = 1.2


def _qwen2(
    hidden: int, layers: int, heads: int, kv_heads: int, wide: int, vocab: int, *, tied: bool
) -> dict[str, Any]:
    return {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": hidden,
        "intermediate_size": wide,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "vocab_size": vocab,
        "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1000000.0,
        "hidden_act": "silu",
        "eos_token_id": END_ID,
        "tie_word_embeddings": tied,
    }


# The configurations of Qwen2.5 as published (config.json of each); "wide" has two of 7B's layers.
SHAPES = {
    "tiny": _qwen2(64, 2, 4, 2, 96, 320, tied=True),
    "0.5b": _qwen2(896, 24, 14, 2, 4864, 151936, tied=True),
    "1.5b": _qwen2(1536, 28, 12, 2, 8960, 151936, tied=True),
    "3b": _qwen2(2048, 36, 16, 2, 11008, 151936, tied=True),
    "7b": _qwen2(3584, 28, 28, 4, 18944, 152064, tied=False),
    "wide": _qwen2(3584, 2, 28, 4, 18944, 152064, tied=False),
}


def make_model(root: Path, shape: str, device: torch.device) -> Path:
    """A folder that the trainer loads, bf16, always with the same weights on the same device."""
    folder = root / shape
    if (folder / "tokenizer_config.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    raw = {**SHAPES[shape], "torch_dtype": "bfloat16"}
    spread = LOGIT_SPREAD / raw["hidden_size"] ** 0.5
    noise = torch.Generator(device).manual_seed(0)
    tensors = {}
    for name, size in expected_shapes(parse_config(raw, shape)).items():
        drawn = spread * torch.randn(size, generator=noise, device=device)
        value = 1 + drawn if name.endswith("norm.weight") else drawn
        tensors[name] = value.to(torch.bfloat16).cpu()
    with (folder / "model.safetensors").open("wb") as file:
        write_tensors(file, tensors, {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(raw))
    build_tokenizer(folder)
    return folder


def parameters(shape: str) -> int:
    return parse_config(SHAPES[shape], shape).parameter_count()


def kv_bytes_per_token(shape: str) -> int:
    """Of keys and values of all layers in bf16."""
    raw = SHAPES[shape]
    head = raw["hidden_size"] // raw["num_attention_heads"]
    return 2 * 2 * raw["num_hidden_layers"] * raw["num_key_value_heads"] * head
