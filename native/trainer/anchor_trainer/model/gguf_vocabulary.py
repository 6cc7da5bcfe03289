"""The tokenizer files of a Hugging Face folder, from the vocabulary in a GGUF file.

Texts are split, and tokens found in them, as llama.cpp does it with the same file. Transformers has
a conversion as well, but it splits SmolLM's numbers otherwise, spells control tokens that are not
ASCII anew, and merges Llama 3's whole words; so the rules are here, one for each name that was
compared with llama.cpp, and a file with another name is refused.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from typing import Any

import gguf
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from tokenizers.pre_tokenizers import PreTokenizer

from ..errors import TrainerError
from .chat_template import ChatTemplate, TemplateFault
from .config import LARGEST_WHOLE, shown
from .gguf_header import GgufHeader

QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3_SPLIT = QWEN_SPLIT.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
QWEN, LLAMA3, SMOLLM, GPT2 = range(4)
RULES = {
    "qwen2": QWEN,
    "deepseek-r1-qwen": QWEN,
    "llama-bpe": LLAMA3,
    "llama3": LLAMA3,
    "llama-v3": LLAMA3,
    "smollm": SMOLLM,
    "gpt-2": GPT2,
}
# Control tokens that end a text for llama.cpp whatever the file says.
ENDINGS = (
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
)
ROLES = {
    "bos_token": "tokenizer.ggml.bos_token_id",
    "eos_token": "tokenizer.ggml.eos_token_id",
    "unk_token": "tokenizer.ggml.unknown_token_id",
    "pad_token": "tokenizer.ggml.padding_token_id",
}


@dataclass(frozen=True)
class Vocabulary:
    """Texts by the name of their file, and the ids that config.json names too."""

    files: dict[str, str]
    ids: dict[str, int]


def read_vocabulary(header: GgufHeader, rows: int) -> Vocabulary:
    """The tokenizer of a model whose embedding has so many rows; raises badModel."""
    metadata = header.metadata
    if (kind := metadata.get("tokenizer.ggml.model")) != "gpt2":
        raise TrainerError(
            "badModel",
            f"{header.path} has a tokenizer of the kind {shown(kind)}, and only byte-level BPE "
            "('gpt2') can be converted.",
        )
    tokens = metadata.get("tokenizer.ggml.tokens")
    kinds = metadata.get("tokenizer.ggml.token_type")
    merges = metadata.get("tokenizer.ggml.merges")
    if not isinstance(tokens, list) or not isinstance(merges, list):
        raise header.broken("it has no vocabulary")
    if not isinstance(kinds, array) or len(kinds) != len(tokens) or len(tokens) > rows:
        raise header.broken("its vocabulary does not fit its embedding")
    tokenizer = _tokenizer(header, tokens, kinds.tolist(), merges)
    ids = {role: _id(header, key, tokens) for role, key in ROLES.items() if key in metadata}
    if "eos_token" not in ids:
        raise header.broken("it does not say which token ends a text")
    names = {role: tokens[number] for role, number in ids.items()}
    if _begins_with_bos(header) and "bos_token" in ids:
        tokenizer.post_processor = _beginning(header, names["bos_token"], ids["bos_token"])
    settings: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **names,
    }
    config_ids = {f"{role}_id": number for role, number in ids.items()}
    generation: dict[str, object] = {
        role: number for role, number in config_ids.items() if role != "unk_token_id"
    }
    generation["eos_token_id"] = _endings(header, tokens, kinds.tolist(), ids["eos_token"])
    files = {
        "tokenizer.json": tokenizer.to_str(),
        "tokenizer_config.json": json.dumps(settings, indent=2),
        "generation_config.json": json.dumps(generation, indent=2),
    }
    template = metadata.get("tokenizer.chat_template")
    if template is not None:
        files["chat_template.jinja"] = _template(header, template)
    return Vocabulary(files, config_ids)


def _tokenizer(
    header: GgufHeader, tokens: list[str], kinds: list[int], merges: list[str]
) -> Tokenizer:
    splits, whole_words = _splitting(header)
    # Rows without a token have names that are made up.
    vocab = {
        token: row
        for row, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind != gguf.TokenType.UNUSED
    }
    if any(merge.count(" ") != 1 for merge in merges):
        raise header.broken("a merge of its vocabulary is not a pair of tokens")
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    try:
        tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=pairs, ignore_merges=whole_words))
    except Exception as error:  # the library raises plain Exception for every defect
        raise header.broken(f"its merges do not fit its vocabulary ({_line(error)})") from error
    tokenizer.pre_tokenizer = splits
    tokenizer.decoder = decoders.ByteLevel()
    for special, wanted in ((True, _CONTROL), (False, (gguf.TokenType.USER_DEFINED,))):
        added = [
            AddedToken(token, special=special, normalized=False)
            for token, kind in zip(tokens, kinds, strict=True)
            if kind in wanted
        ]
        tokenizer.add_special_tokens(added) if special else tokenizer.add_tokens(added)
    return tokenizer


_CONTROL = (gguf.TokenType.CONTROL, gguf.TokenType.UNKNOWN)


def _splitting(header: GgufHeader) -> tuple[PreTokenizer, bool]:
    """How a text is split, and whether a word that is a token is taken whole."""
    name = header.metadata.get("tokenizer.ggml.pre")
    rule = RULES.get(name) if isinstance(name, str) else None
    if rule is None:
        raise TrainerError(
            "badModel",
            f"{header.path} splits text by the rule {shown(name)}, which cannot be converted.",
            hint="Known rules: " + ", ".join(RULES) + ".",
        )
    if rule in (SMOLLM, GPT2):
        words = pre_tokenizers.ByteLevel(add_prefix_space=False)
        digits = pre_tokenizers.Digits(individual_digits=True)
        return (pre_tokenizers.Sequence([digits, words]) if rule == SMOLLM else words), False
    pattern = Regex(LLAMA3_SPLIT if rule == LLAMA3 else QWEN_SPLIT)
    pieces = [
        pre_tokenizers.Split(pattern, "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
    return pre_tokenizers.Sequence(pieces), rule == LLAMA3


def _begins_with_bos(header: GgufHeader) -> bool:
    usual = RULES[header.metadata["tokenizer.ggml.pre"]] == LLAMA3
    return header.metadata.get("tokenizer.ggml.add_bos_token", usual) is True


def _beginning(header: GgufHeader, bos: str, row: int) -> processors.TemplateProcessing:
    try:
        return processors.TemplateProcessing(
            single=[bos, "$A"], pair=[bos, "$A", "$B"], special_tokens=[(bos, row)]
        )
    except Exception as error:  # names that the library reads as something else
        raise header.broken(f"its first token {shown(bos)} cannot begin a text") from error


def _id(header: GgufHeader, key: str, tokens: list[str]) -> int:
    number = header.metadata[key]
    if not isinstance(number, int) or not 0 <= number < min(len(tokens), LARGEST_WHOLE):
        raise header.broken(f"{key} is {shown(number)}, which is no token of it")
    return number


def _endings(header: GgufHeader, tokens: list[str], kinds: list[int], eos: int) -> list[int]:
    """Every token at which llama.cpp stops, the one that the file names first."""
    keys = ("tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id")
    more = {_id(header, key, tokens) for key in keys if key in header.metadata}
    control = gguf.TokenType.CONTROL
    more |= {tokens.index(one) for one in ENDINGS if one in tokens}
    return [eos, *sorted(row for row in more if row != eos and kinds[row] == control)]


def _template(header: GgufHeader, template: object) -> str:
    if not isinstance(template, str):
        raise header.broken("its chat template is not a text")
    try:
        ChatTemplate(template)
    except TemplateFault as fault:
        raise TrainerError(
            "badModel", f"The chat template in {header.path} is not valid: {fault}."
        ) from fault
    return template


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
