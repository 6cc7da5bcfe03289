"""A GGUF v3 file of a Qwen2, Qwen3 or Llama model, for llama.cpp.

The traps this module exists for: a beginning-of-text id makes chat wrappers prepend a token that
the model never saw, so it is left out; the `llama` architecture rotates neighbouring pairs where
Hugging Face rotates halves, so its q and k rows are reordered; norms and biases stay f32; and a
tokenizer whose splitting rule llama.cpp does not know is refused instead of approximated.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch

from ..errors import TrainerError
from ..storage.atomic import replacing
from .config import ModelConfig
from .rope import llama3_divisors
from .safetensors_file import as_array
from .tokenizer import PolicyTokenizer

FILE_TYPES = {
    "f32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "bf16": (gguf.GGMLQuantizationType.BF16, gguf.LlamaFileType.MOSTLY_BF16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}
ARCHITECTURES = {
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "llama": gguf.MODEL_ARCH.LLAMA,
}
# llama.cpp's name for a splitting rule, by a piece that only that rule contains: the number
# group, which is where the published byte-level rules differ.
PRE_TOKENIZERS = (("\\p{N}{1,3}", "llama-bpe"), ("|\\p{N}|", "qwen2"))
Q8_BLOCK = 32


def write_gguf(
    path: Path,
    config: ModelConfig,
    tokenizer: PolicyTokenizer,
    tensors: Mapping[str, torch.Tensor],
    file_type: str,
    name: str,
) -> None:
    """Writes `tensors` (Hugging Face names) to `path`, whole or not at all.

    `file_type` is f32, f16, bf16 or q8_0; matrices whose rows do not divide into q8_0 blocks are
    kept as f16. Raises badModel for a tokenizer llama.cpp cannot reproduce, diskFull.
    """
    if file_type not in FILE_TYPES:
        known = ", ".join(FILE_TYPES)
        raise TrainerError("badRequest", f"GGUF type {file_type!r} is unknown; choose of {known}.")
    if config.library_shapes is not None:
        raise TrainerError(
            "badModel",
            f"{config.architecture} with this configuration cannot be written as GGUF here.",
            hint="Export it as safetensors and convert it with llama.cpp's own converter.",
        )
    with replacing(path) as temporary:
        writer = gguf.GGUFWriter(temporary, gguf.MODEL_ARCH_NAMES[ARCHITECTURES[config.kind]])
        try:
            _add_shape(writer, config, file_type, name)
            _add_vocabulary(writer, config, tokenizer)
            _write_tensors(writer, config, tensors, file_type)
        finally:
            writer.close()


def _add_shape(writer: gguf.GGUFWriter, config: ModelConfig, file_type: str, name: str) -> None:
    writer.add_type("model")
    writer.add_name(name)
    writer.add_file_type(FILE_TYPES[file_type][1])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_context_length(config.context)
    writer.add_embedding_length(config.hidden)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.feed_forward)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.kv_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.norm_eps)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_vocab_size(config.vocab)
    if config.kind == "llama":
        writer.add_rope_dimension_count(config.head_dim)
    if config.rope_linear_factor != 1.0:
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(config.rope_linear_factor)


def _add_vocabulary(
    writer: gguf.GGUFWriter, config: ModelConfig, tokenizer: PolicyTokenizer
) -> None:
    model = tokenizer.raw.get("model", {})
    if model.get("type") != "BPE" or model.get("byte_fallback"):
        raise TrainerError(
            "badModel", "Only byte-level BPE tokenizers can be exported to GGUF; this one is not."
        )
    tokens = [f"<|unused_{row}|>" for row in range(config.vocab)]
    types = [int(gguf.TokenType.UNUSED)] * config.vocab
    for text, row in model["vocab"].items():
        tokens[row], types[row] = text, int(gguf.TokenType.NORMAL)
    for added in tokenizer.raw.get("added_tokens", []):
        kind = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        tokens[added["id"]], types[added["id"]] = added["content"], int(kind)
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre_tokenizer_name(tokenizer.raw))
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(tokenizer.eos_ids[0])
    pad = tokenizer.special_tokens.get("pad_token")
    pad_id = tokenizer.tokenizer.token_to_id(pad) if pad else None
    writer.add_pad_token_id(tokenizer.eos_ids[0] if pad_id is None else pad_id)
    bos = tokenizer.special_tokens.get("bos_token")
    bos_id = tokenizer.tokenizer.token_to_id(bos) if bos else None
    if bos_id is not None:
        writer.add_bos_token_id(bos_id)  # for templates that write it themselves
    writer.add_add_bos_token(False)
    if tokenizer.chat is not None:
        writer.add_chat_template(tokenizer.chat.template.source)


def pre_tokenizer_name(raw_tokenizer: dict[str, Any]) -> str:
    """llama.cpp's name of the splitting rule in a tokenizer.json; raises badModel if unknown."""
    pre = raw_tokenizer.get("pre_tokenizer") or {}
    parts = pre.get("pretokenizers", [pre])
    patterns = [part["pattern"].get("Regex", "") for part in parts if part.get("type") == "Split"]
    byte_level = [part for part in parts if part.get("type") == "ByteLevel"]
    if len(byte_level) == 1 and len(patterns) == 1 and not byte_level[0].get("use_regex"):
        for piece, name in PRE_TOKENIZERS:
            if piece in patterns[0]:
                return name
    if len(byte_level) == 1 and len(parts) == 1 and byte_level[0].get("use_regex"):
        return "gpt-2"
    raise TrainerError(
        "badModel",
        "The tokenizer splits text by a rule that GGUF has no name for, so an export would read "
        "prompts differently.",
        hint="Export as safetensors instead.",
    )


def _write_tensors(
    writer: gguf.GGUFWriter,
    config: ModelConfig,
    tensors: Mapping[str, torch.Tensor],
    file_type: str,
) -> None:
    names = gguf.get_tensor_name_map(ARCHITECTURES[config.kind], config.layers)
    extra: dict[str, torch.Tensor] = {}
    if config.rope_llama3 is not None:
        extra["rope_freqs.weight"] = llama3_divisors(config)
    plan: list[tuple[str, gguf.GGMLQuantizationType, torch.Tensor, str]] = []
    for name, tensor in tensors.items():
        target = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if target is None:
            raise TrainerError("badModel", f"GGUF has no place for the tensor {name}.")
        plan.append((target, _tensor_type(tensor, file_type), tensor, name))
    for name, tensor in extra.items():
        plan.append((name, gguf.GGMLQuantizationType.F32, tensor, name))
    for target, kind, tensor, _ in plan:
        block, size = gguf.GGML_QUANT_SIZES[kind]
        writer.add_tensor_info(
            target,
            tuple(tensor.shape),
            np.dtype(np.float32),
            tensor.numel() // block * size,
            raw_dtype=kind,
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for _, kind, tensor, name in plan:
        # One tensor is converted at a time: a 7B model would not fit twice.
        values = _rows_for_llama(name, tensor, config).to("cpu", torch.float32).contiguous()
        writer.write_tensor_data(gguf.quants.quantize(as_array(values), kind))


def _tensor_type(tensor: torch.Tensor, file_type: str) -> gguf.GGMLQuantizationType:
    kind = FILE_TYPES[file_type][0]
    if tensor.ndim == 1:
        return gguf.GGMLQuantizationType.F32
    if kind == gguf.GGMLQuantizationType.Q8_0 and tensor.shape[-1] % Q8_BLOCK:
        return gguf.GGMLQuantizationType.F16
    return kind


def _rows_for_llama(name: str, tensor: torch.Tensor, config: ModelConfig) -> torch.Tensor:
    """Reorders q and k rows of `llama` from (first half, second half) to neighbouring pairs."""
    if config.kind != "llama" or not (".q_proj." in name or ".k_proj." in name):
        return tensor
    heads = config.heads if ".q_proj." in name else config.kv_heads
    halves = tensor.reshape(heads, 2, config.head_dim // 2, *tensor.shape[1:])
    return halves.transpose(1, 2).reshape(tensor.shape)
