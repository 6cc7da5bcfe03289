"""Write a trained model as a transformers folder: config.json, model.safetensors, tokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from .files import read_tensors, write_tensors, write_text
from .model import Architecture, TrainingModel
from .tokenizer import save_tokenizer


def to_qwen2(state: dict[str, Tensor], shape: Architecture) -> dict[str, Tensor]:
    """Rename our parameters to Qwen2's and take the fused projections apart."""
    out = {"model.embed_tokens.weight": state["embedding"], "model.norm.weight": state["norm"]}
    key_value = shape.key_value_heads * shape.head_width
    sizes = [shape.width, key_value, key_value]
    for index in range(shape.layers):
        ours, theirs = f"blocks.{index}.", f"model.layers.{index}."
        out[theirs + "input_layernorm.weight"] = state[ours + "attention_norm"]
        out[theirs + "post_attention_layernorm.weight"] = state[ours + "feed_forward_norm"]
        for kind in ("weight", "bias"):
            parts = state[ours + f"query_key_value.{kind}"].split(sizes)
            for name, part in zip("qkv", parts, strict=True):
                out[theirs + f"self_attn.{name}_proj.{kind}"] = part
        out[theirs + "self_attn.o_proj.weight"] = state[ours + "attention_out.weight"]
        gate, up = state[ours + "gate_up.weight"].chunk(2)
        out[theirs + "mlp.gate_proj.weight"] = gate
        out[theirs + "mlp.up_proj.weight"] = up
        out[theirs + "mlp.down_proj.weight"] = state[ours + "down.weight"]
    return out


def from_qwen2(tensors: dict[str, Tensor], shape: Architecture) -> dict[str, Tensor]:
    """The inverse of `to_qwen2`, in float32."""
    tensors = {name: tensor.float() for name, tensor in tensors.items()}
    out = {"embedding": tensors["model.embed_tokens.weight"], "norm": tensors["model.norm.weight"]}
    for index in range(shape.layers):
        ours, theirs = f"blocks.{index}.", f"model.layers.{index}."
        out[ours + "attention_norm"] = tensors[theirs + "input_layernorm.weight"]
        out[ours + "feed_forward_norm"] = tensors[theirs + "post_attention_layernorm.weight"]
        for kind in ("weight", "bias"):
            out[ours + f"query_key_value.{kind}"] = torch.cat(
                [tensors[theirs + f"self_attn.{name}_proj.{kind}"] for name in "qkv"]
            )
        out[ours + "attention_out.weight"] = tensors[theirs + "self_attn.o_proj.weight"]
        out[ours + "gate_up.weight"] = torch.cat(
            [tensors[theirs + f"mlp.{name}_proj.weight"] for name in ("gate", "up")]
        )
        out[ours + "down.weight"] = tensors[theirs + "mlp.down_proj.weight"]
    return out


def configuration(shape: Architecture, tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.key_value_heads,
        "intermediate_size": shape.feed_forward,
        "max_position_embeddings": shape.context,
        "rope_theta": shape.rope_theta,
        "rms_norm_eps": shape.epsilon,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "attention_dropout": 0.0,
        "use_sliding_window": False,
        "torch_dtype": "float16",
        "bos_token_id": None,
        "eos_token_id": tokenizer.token_to_id("<|im_end|>"),
        "pad_token_id": tokenizer.token_to_id("<|endoftext|>"),
    }


def export_model(
    model: TrainingModel, tokenizer: Tokenizer, folder: Path, facts: dict[str, Any]
) -> None:
    """Write the folder; weights go down to float16, `facts` into the safetensors header."""
    tensors = to_qwen2(
        {name: tensor.detach().cpu() for name, tensor in model.state_dict().items()}, model.shape
    )
    halves = {name: tensor.to(torch.float16) for name, tensor in tensors.items()}
    write_tensors(folder / "model.safetensors", halves, facts)
    config = json.dumps(configuration(model.shape, tokenizer), indent=1) + "\n"
    write_text(folder / "config.json", config)
    save_tokenizer(tokenizer, folder, model.shape.context)


def load_exported(folder: Path) -> tuple[TrainingModel, dict[str, Any]]:
    """The training form of an exported folder, and the facts of its header."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    shape = Architecture(
        vocabulary=config["vocab_size"],
        width=config["hidden_size"],
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        key_value_heads=config["num_key_value_heads"],
        feed_forward=config["intermediate_size"],
        context=config["max_position_embeddings"],
    )
    tensors, facts = read_tensors(folder / "model.safetensors")
    model = TrainingModel(shape, seed=0)
    model.load_state_dict(from_qwen2(tensors, shape))
    return model, facts
