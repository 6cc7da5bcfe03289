"""GGUF files made into folders: tensors and tokens come back, damaged files leave nothing."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
from pathlib import Path

import gguf
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from anchor_trainer.errors import TrainerError
from anchor_trainer.export_gguf import export_folder
from anchor_trainer.import_gguf import import_file
from anchor_trainer.model import gguf_header
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_fp32
from anchor_trainer.model.gguf_header import read_gguf
from anchor_trainer.model.tokenizer import load_tokenizer
from trainer_process import TRAINER

KINDS = ["qwen2-gqa", "qwen2-mha", "qwen3", "llama"]
TEXTS = [
    "def f(x):\n    return x + 12345\n\n\n# done\t end",
    "<think>y=x*3=8*3=24</think> <|im_end|><|endoftext|> it's WE'LL",
    "你好,世界。日本語 한국어 😀👍🏽 café ½ ٣٤",
    "  \r\n\r\n mixed \x00 \u00a0",
]
SMOLLM = Path("~/.cache/anchor-models/smollm2-135m.gguf").expanduser()


def exported(folder: Path, out: Path, file_type: str = "f32") -> Path:
    export_folder(folder, out, file_type)
    return out


def changed(path: Path, out: Path, **changes: object) -> Path:
    """The same GGUF with other metadata, `__` for a dot; without an entry where it is None."""
    reader = gguf.GGUFReader(path)
    fields = {
        name: (field.contents(), field.types[0], field.types[-1])
        for name, field in reader.fields.items()
        if not name.startswith("GGUF.")
    }
    for name, value in changes.items():
        key = name.replace("__", ".")
        kind = {str: gguf.GGUFValueType.STRING, list: gguf.GGUFValueType.ARRAY}.get(
            type(value), gguf.GGUFValueType.UINT32
        )
        _, before, items = fields.pop(key, (None, kind, gguf.GGUFValueType.UINT32))
        same = isinstance(value, list) == (before == gguf.GGUFValueType.ARRAY)
        if value is not None:
            fields[key] = (value, before if same else kind, items)
    writer = gguf.GGUFWriter(out, fields.pop("general.architecture")[0])
    for name, (value, kind, items) in fields.items():
        writer.add_key_value(name, value, kind, sub_type=items if kind == 9 else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out


def refused(path: Path, expected: str, hint: str | None = None) -> None:
    """Ends in one sentence, and leaves neither a folder nor a part of one."""
    out = path.parent / "out"
    with pytest.raises(TrainerError) as caught:
        import_file(path, out)
    message = caught.value.message
    assert caught.value.kind == "badModel" and expected in message
    assert message.endswith(".") and "\n" not in message and len(message) < 600
    assert hint is None or hint in str(caught.value.hint)
    assert not out.exists() and not out.with_name("out.tmp").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_comes_back_to_the_bit(models, tmp_path, kind):
    path = exported(models(kind), tmp_path / "m.gguf")
    source = import_file(path, tmp_path / "back")
    before, after = (
        load_file(one / "model.safetensors") for one in (models(kind), tmp_path / "back")
    )
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    config, original = read_config(tmp_path / "back"), read_config(models(kind))
    for field in ("kind", "layers", "heads", "kv_heads", "head_dim", "context", "norm_eps", "tied"):
        assert getattr(config, field) == getattr(original, field)
    assert (config.rope_theta, config.rope_llama3) == (original.rope_theta, original.rope_llama3)
    assert source == json.loads((tmp_path / "back" / "source.json").read_text())
    assert source["from"] == "m.gguf" and not source["dequantized"]
    assert source["quantization"] == "F32" and len(source["sha256"]) == 64


@pytest.mark.parametrize("kind", KINDS)
def test_its_tokenizer_reads_and_renders_like_the_original(models, tmp_path, kind):
    import_file(exported(models(kind), tmp_path / "m.gguf"), tmp_path / "back")
    ours = load_tokenizer(tmp_path / "back", read_config(tmp_path / "back"))
    theirs = load_tokenizer(models(kind), read_config(models(kind)))
    assert [ours.encode(text) for text in TEXTS] == [theirs.encode(text) for text in TEXTS]
    plain = [theirs.plain.encode(text, add_special_tokens=False).ids for text in TEXTS]
    assert [ours.plain.encode(text, add_special_tokens=False).ids for text in TEXTS] == plain
    ids = theirs.encode(TEXTS[0])
    assert ours.decode(ids) == theirs.decode(ids) == TEXTS[0]
    messages = [{"role": "user", "content": "2+2?"}]
    assert ours.encode_messages(messages) == theirs.encode_messages(messages)
    assert ours.special_tokens == theirs.special_tokens
    assert ours.eos_ids == (302, 300)  # llama.cpp ends a text at <|endoftext|> too


@pytest.mark.parametrize("kind", KINDS)
def test_transformers_computes_the_same_with_it(models, tmp_path, kind):
    import_file(exported(models(kind), tmp_path / "m.gguf"), tmp_path / "back")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "back")
    ids = tokenizer(TEXTS[0], return_tensors="pt").input_ids
    with torch.no_grad():
        before, after = (
            AutoModelForCausalLM.from_pretrained(one, dtype=torch.float32)(ids).logits
            for one in (models(kind), tmp_path / "back")
        )
    assert torch.equal(before, after)


@pytest.mark.parametrize(
    ("file_type", "dtype"),
    [("f16", torch.float16), ("bf16", torch.bfloat16), ("q8_0", torch.bfloat16)],
)
def test_matrices_keep_the_type_of_the_file_and_quantized_ones_become_bf16(
    models, tmp_path, monkeypatch, file_type, dtype
):
    monkeypatch.setattr(gguf_header, "ELEMENTS_AT_ONCE", 200)  # a few rows of each tensor
    path = exported(models("llama"), tmp_path / "m.gguf", file_type)
    source = import_file(path, tmp_path / "back")
    assert source["dequantized"] == (file_type == "q8_0")
    assert source["quantization"] == file_type.upper()
    assert json.loads((tmp_path / "back" / "config.json").read_text())["dtype"] in str(dtype)
    before = load_file(models("llama") / "model.safetensors")
    for name, tensor in load_file(tmp_path / "back" / "model.safetensors").items():
        assert tensor.dtype == (torch.float32 if tensor.ndim == 1 else dtype)
        if file_type != "q8_0":
            assert torch.equal(tensor, before[name].to(tensor.dtype))
        else:
            # A block's step is its largest value over 127; bf16 keeps eight bits of a value.
            largest = before[name].abs().max()
            error = (tensor.float() - before[name]).abs().max()
            assert error <= largest / 127 / 2 * 1.01 + largest / 256
    load_fp32(tmp_path / "back", read_config(tmp_path / "back"))


def test_a_text_begins_with_the_token_that_the_file_puts_before_it(models, tmp_path):
    path = exported(models("llama"), tmp_path / "m.gguf")
    begun = changed(
        path,
        tmp_path / "bos.gguf",
        tokenizer__ggml__bos_token_id=301,
        tokenizer__ggml__add_bos_token=None,  # which llama.cpp does for this rule unless told
    )
    import_file(begun, tmp_path / "back")
    tokenizer = load_tokenizer(tmp_path / "back", read_config(tmp_path / "back"))
    assert tokenizer.encode_plain("x = 1")[0] == 301
    assert tokenizer.encode("x = 1")[0] != 301


def test_linear_scaling_of_positions_is_kept(models, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    for file in models("qwen3").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    raw = json.loads((folder / "config.json").read_text())
    raw["rope_scaling"] = {"rope_type": "linear", "factor": 4.0}
    (folder / "config.json").write_text(json.dumps(raw))
    import_file(exported(folder, tmp_path / "m.gguf"), tmp_path / "back")
    assert read_config(tmp_path / "back").rope_linear_factor == 4.0


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


def test_the_command_line_writes_a_new_folder_or_says_why_not(models, tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anchor_trainer.import_gguf", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(TRAINER)}
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    path = exported(models("qwen2-gqa"), tmp_path / "m.gguf", "q8_0")
    out = str(tmp_path / "out")
    good = run("--model", str(path), "--out", out)
    assert (good.returncode, good.stdout) == (0, f"{out}: dequantized from Q8_0 in m.gguf\n")
    again = run("--model", str(path), "--out", out)
    assert (again.returncode, again.stderr) == (1, f"{out} exists already; name a new folder.\n")
    assert run("--model", str(path)).returncode == 2
    told = run("--model", str(path), "--out", f"{out}2", "--progress")
    last = json.loads(told.stdout.splitlines()[-1])
    assert told.returncode == 0 and last["done"] == last["total"] > 0


@pytest.mark.full
@pytest.mark.skipif(not SMOLLM.exists(), reason=f"there is no {SMOLLM}")
def test_a_published_model_answers_like_itself(tmp_path):
    source = import_file(SMOLLM, tmp_path / "smollm")
    assert source["dequantized"]
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "smollm")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "smollm", dtype=torch.float32)
    ids = tokenizer("The capital of France is", return_tensors="pt").input_ids
    answer = model.generate(ids, max_new_tokens=6, do_sample=False)[0, ids.shape[1] :]
    assert "Paris" in tokenizer.decode(answer)
    # Each digit is a token of its own, which distinguishes this vocabulary from GPT-2's.
    assert len(tokenizer("12345").input_ids) == 5
