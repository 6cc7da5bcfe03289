"""GGUF files that cannot become a folder: each is one sentence, and nothing is left of it."""

from __future__ import annotations

import math
import os
import struct
from pathlib import Path

import pytest

from anchor_trainer.errors import TrainerError
from anchor_trainer.make_policy import of_gguf
from anchor_trainer.model.gguf_header import read_gguf
from gguf_files import changed, exported


def refused(path: Path, expected: str, hint: str | None = None) -> None:
    """Ends in one sentence, and leaves neither a folder nor a part of one."""
    out = path.parent / "out"
    with pytest.raises(TrainerError) as caught:
        of_gguf(path, out)
    message = caught.value.message
    assert caught.value.kind == "badModel" and expected in message
    assert message.endswith(".") and "\n" not in message and len(message) < 600
    assert hint is None or hint in str(caught.value.hint)
    assert not out.exists() and not out.with_name("out.tmp").exists()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"general__architecture": "mamba"}, "is of the architecture 'mamba', which cannot become"),
        ({"split__count": 3}, "is one part of a model in several files"),
        ({"qwen2__expert_count": 8}, "has layers of experts"),
        ({"qwen2__rope__scaling__type": "yarn"}, "scales positions by 'yarn'"),
        ({"tokenizer__ggml__model": "llama"}, "only byte-level BPE ('gpt2') can be converted"),
        ({"tokenizer__ggml__pre": "default"}, "splits text by the rule 'default'"),
        ({"tokenizer__ggml__eos_token_id": 320}, "eos_token_id is 320, which is no token of it"),
        ({"tokenizer__ggml__eos_token_id": None}, "does not say which token ends a text"),
        ({"tokenizer__ggml__merges": ["a b c"]}, "is not a pair of tokens"),
        ({"tokenizer__ggml__merges": ["ab cd"]}, "its merges do not fit its vocabulary"),
        ({"tokenizer__ggml__tokens": ["a"]}, "its vocabulary does not fit its embedding"),
        ({"tokenizer__chat_template": "{% for %}"}, "The chat template in"),
        ({"qwen2__block_count": 10**9}, "claims 1,000,000,000 layers, but has not as many"),
        ({"qwen2__block_count": 3}, "lacks the tensor for model.layers.2."),
        ({"qwen2__block_count": 1}, "has a tensor 'blk.1."),
        ({"qwen2__feed_forward_length": 97}, "has the shape [96, 64], not [97, 64]"),
        ({"qwen2__feed_forward_length": [96, 96]}, "intermediate_size must be a positive whole"),
        ({"qwen2__attention__head_count": [4, 4]}, "num_attention_heads must be a positive whole"),
        ({"qwen2__attention__value_length": [16]}, "attention.value_length is array"),
        ({"qwen2__context_length": None}, "max_position_embeddings must be a positive whole"),
    ],
)
def test_what_cannot_become_a_policy_is_one_sentence(models, tmp_path, changes, expected):
    path = exported(models("qwen2-gqa"), tmp_path / "m.gguf")
    architecture = changes.pop("general__architecture", None)
    other = changed(path, tmp_path / "other.gguf", **changes)
    if architecture is not None:
        other.write_bytes(other.read_bytes().replace(b"qwen2", architecture.encode()))
    refused(other, expected)


def test_positions_scaled_in_an_unknown_way_are_refused(models, tmp_path):
    path = exported(models("llama"), tmp_path / "m.gguf")
    place = read_gguf(path).tensors["rope_freqs.weight"]
    data = bytearray(path.read_bytes())
    data[place.begin + 12 : place.begin + 16] = struct.pack("<f", 2.5)
    path.write_bytes(data)
    refused(path, "scales positions in a way of its own")


@pytest.mark.parametrize("file_type", ["f32", "f16", "q8_0"])
def test_values_that_are_no_numbers_are_refused(models, tmp_path, file_type):
    path = exported(models("qwen2-gqa"), tmp_path / "m.gguf", file_type)
    place = read_gguf(path).tensors["blk.1.ffn_down.weight"]
    data = bytearray(path.read_bytes())
    nan = struct.pack("<f", math.nan) if file_type == "f32" else struct.pack("<e", math.nan)
    data[place.begin : place.begin + len(nan)] = nan  # of q8_0, the scale of the first block
    path.write_bytes(data)
    refused(path, "the tensor blk.1.ffn_down.weight holds values that are no numbers")


HUGE = 1 << 62
DAMAGE = {
    "no mark": (lambda data: b"GGML" + data[4:], "does not begin with the GGUF mark"),
    "version": (lambda data: data[:4] + b"\0\0\0\3" + data[8:], "only 2 and 3 can be read"),
    "empty": (lambda data: b"", "ends in the middle of its header"),
    "cut in the header": (lambda data: data[:2000], "ends in the middle of its header"),
    "cut in the weights": (lambda data: data[:-4000], "would end at byte"),
    "tensors": (
        lambda data: data[:8] + struct.pack("<Q", HUGE) + data[16:],
        "claims 4,611,686,018",
    ),
    "entries": (lambda data: data[:16] + struct.pack("<Q", HUGE) + data[24:], "which no model has"),
    "a long name": (lambda data: data[:24] + struct.pack("<Q", HUGE) + data[32:], "bytes long"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_refused(models, tmp_path, damage):
    path = exported(models("qwen2-gqa"), tmp_path / "m.gguf", "f16")
    change, expected = DAMAGE[damage]
    path.write_bytes(change(path.read_bytes()))
    refused(path, expected, hint="")


@pytest.mark.parametrize(
    ("key", "at", "value", "expected"),
    [
        # After the key: the type of the list, the type of its items, their number.
        (b"tokenizer.ggml.token_type", 8, HUGE, "ends in the middle of its header"),
        (b"tokenizer.ggml.tokens", 8, HUGE, "texts, which no vocabulary has"),
        # After the name: dimensions, their sizes, the type, the place.
        (b"blk.0.ffn_up.weight", 4, HUGE, "claims the shape"),
        (b"blk.0.ffn_up.weight", 24, HUGE, "would end at byte"),
        (b"blk.0.ffn_up.weight", 24, 0, "lies over another one"),
        (b"blk.0.ffn_up.weight", 20, 99, "has the number type 99"),
    ],
)
def test_claims_that_the_file_does_not_bear_out(models, tmp_path, key, at, value, expected):
    path = exported(models("qwen2-gqa"), tmp_path / "m.gguf", "f16")
    data = bytearray(path.read_bytes())
    place = data.index(key) + len(key) + at
    width = 4 if value == 99 else 8
    data[place : place + width] = value.to_bytes(width, "little")
    path.write_bytes(data)
    refused(path, expected)


def test_what_is_no_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.gguf")
    refused(tmp_path / "pipe.gguf", "is not a regular file")
    refused(tmp_path / "none.gguf", "cannot be read")
