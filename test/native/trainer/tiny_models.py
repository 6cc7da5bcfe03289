"""Tiny random models in the three architectures, as real checkpoint folders."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from anchor_trainer.model.config_file import parse_config
from anchor_trainer.model.folder import expected_shapes
from anchor_trainer.model.safetensors_file import write_tensors

QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3_SPLIT = QWEN2_SPLIT.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CORPUS = [
    "def f(x):\n    return x + 1\n",
    "<think>y=x*3=8*3=24</think> the answer is 24, and nothing else is the answer",
    "for item in range(10): total = total + item",
]
COMMON = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 320,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
    "eos_token_id": 302,
}
CONFIGS = {
    "qwen2-gqa": {
        **COMMON,
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "num_key_value_heads": 2,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
    },
    "one-layer": {
        **COMMON,
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "num_hidden_layers": 1,
        "num_key_value_heads": 2,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
    },
    "qwen2-mha": {
        **COMMON,
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "num_key_value_heads": 4,
        "rope_theta": 1000000.0,
        "tie_word_embeddings": False,
    },
    "qwen3": {
        **COMMON,
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "num_key_value_heads": 1,
        "head_dim": 32,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
    },
    "llama": {
        **COMMON,
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "num_key_value_heads": 2,
        "rope_theta": 500000.0,
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": 4.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
        "tie_word_embeddings": False,
    },
}

# What only transformers' own class runs, by family and by what sets a model of a family apart.
LIBRARY_CONFIGS = {
    "qwen2-yarn": {
        **CONFIGS["qwen2-gqa"],
        "rope_scaling": {
            "rope_type": "yarn",
            "factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    },
    "qwen2-window": {
        **CONFIGS["qwen2-gqa"],
        "use_sliding_window": True,
        "sliding_window": 16,
        "max_window_layers": 1,
    },
    "qwen3-moe": {
        **CONFIGS["qwen3"],
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
        "norm_topk_prob": True,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
        "tie_word_embeddings": False,
    },
    "mistral": {
        **COMMON,
        "architectures": ["MistralForCausalLM"],
        "model_type": "mistral",
        "num_key_value_heads": 2,
        "head_dim": 16,
        "sliding_window": 16,
        "tie_word_embeddings": False,
    },
    "gemma2": {
        **COMMON,
        "architectures": ["Gemma2ForCausalLM"],
        "model_type": "gemma2",
        "num_key_value_heads": 2,
        "head_dim": 16,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 16,
        "sliding_window": 16,
        "attn_logit_softcapping": 5.0,
        "final_logit_softcapping": 3.0,
        "attention_dropout": 0.1,
    },
    "gemma3": {
        **COMMON,
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "num_key_value_heads": 1,
        "head_dim": 16,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 16,
        "sliding_window": 16,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "phi3": {
        **COMMON,
        "architectures": ["Phi3ForCausalLM"],
        "model_type": "phi3",
        "num_key_value_heads": 2,
        "sliding_window": 16,
        "pad_token_id": 319,
        "resid_pdrop": 0.1,
        "tie_word_embeddings": False,
    },
    "olmo2": {
        **COMMON,
        "architectures": ["Olmo2ForCausalLM"],
        "model_type": "olmo2",
        "num_key_value_heads": 4,
        "tie_word_embeddings": False,
    },
    "smollm3": {
        **COMMON,
        "architectures": ["SmolLM3ForCausalLM"],
        "model_type": "smollm3",
        "num_key_value_heads": 2,
        "no_rope_layers": [1, 0],
        "pad_token_id": 0,
        "tie_word_embeddings": True,
    },
    "granite": {
        **COMMON,
        "architectures": ["GraniteForCausalLM"],
        "model_type": "granite",
        "num_key_value_heads": 2,
        "embedding_multiplier": 3.0,
        "attention_multiplier": 0.2,
        "residual_multiplier": 0.5,
        "logits_scaling": 4.0,
        "tie_word_embeddings": True,
    },
}


def build_model(folder: Path, kind: str = "qwen2-gqa", seed: int = 0, **changes: object) -> Path:
    """Writes a random model; its weights are large enough that sampling is not uniform.

    `changes` are to its configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    raw = {**CONFIGS, **LIBRARY_CONFIGS}[kind] | changes
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, shape in expected_shapes(parse_config(raw, "test")).items():
        noise = torch.randn(shape, generator=generator)
        if name.endswith("norm.weight"):
            tensors[name] = 1 + 0.1 * noise
        else:
            tensors[name] = noise * (0.3 if name.endswith(".bias") else 0.15)
    with (folder / "model.safetensors").open("wb") as file:
        write_tensors(file, tensors, {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(raw))
    build_tokenizer(folder, LLAMA3_SPLIT if kind == "llama" else QWEN2_SPLIT)
    return folder


def build_tokenizer(folder: Path, split: str = QWEN2_SPLIT) -> None:
    """A byte-level BPE tokenizer of 301 tokens, three control tokens and two plain tags."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(split), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS * 4, trainer)
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.add_tokens(["<think>", "</think>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
