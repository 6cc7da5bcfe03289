"""GGUF files made into folders: the same tensors, tokens and answers come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from anchor_trainer.make_policy import of_gguf
from anchor_trainer.model import gguf_header
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.tokenizer import load_tokenizer
from gguf_files import changed, exported
from trainer_process import TRAINER

KINDS = ["qwen2-gqa", "qwen2-mha", "qwen3", "llama"]
TEXTS = [
    "def f(x):\n    return x + 12345\n\n\n# done\t end",
    "<think>y=x*3=8*3=24</think> <|im_end|><|endoftext|> it's WE'LL",
    "你好,世界。日本語 한국어 😀👍🏽 café ½ ٣٤",
    "  \r\n\r\n mixed \x00 \u00a0",
]
MODELS = Path(os.environ.get("ANCHOR_TEST_MODELS", "~/.cache/anchor-lab/models")).expanduser()
SMOLLM = MODELS / "smollm2-135m.gguf"


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_comes_back_to_the_bit(models, tmp_path, kind):
    path = exported(models(kind), tmp_path / "m.gguf")
    source = of_gguf(path, tmp_path / "back")
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
    of_gguf(exported(models(kind), tmp_path / "m.gguf"), tmp_path / "back")
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
    of_gguf(exported(models(kind), tmp_path / "m.gguf"), tmp_path / "back")
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
    source = of_gguf(path, tmp_path / "back")
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
    load_tensors(tmp_path / "back", read_config(tmp_path / "back"))


def test_a_text_begins_with_the_token_that_the_file_puts_before_it(models, tmp_path):
    path = exported(models("llama"), tmp_path / "m.gguf")
    begun = changed(
        path,
        tmp_path / "bos.gguf",
        tokenizer__ggml__bos_token_id=301,
        tokenizer__ggml__add_bos_token=None,  # which llama.cpp does for this rule unless told
    )
    of_gguf(begun, tmp_path / "back")
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
    of_gguf(exported(folder, tmp_path / "m.gguf"), tmp_path / "back")
    assert read_config(tmp_path / "back").rope_linear_factor == 4.0


def test_the_command_line_writes_a_new_folder_or_says_why_not(models, tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anchor_trainer.make_policy", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(TRAINER)}
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    path = exported(models("qwen2-gqa"), tmp_path / "m.gguf", "q8_0")
    out = str(tmp_path / "out")
    good = run("--gguf", str(path), "--out", out)
    assert (good.returncode, good.stdout) == (0, f"{out}: made of m.gguf\n")
    again = run("--gguf", str(path), "--out", out)
    assert (again.returncode, again.stderr) == (1, f"{out} exists already; name a new folder.\n")
    assert run("--gguf", str(path)).returncode == 2
    told = run("--gguf", str(path), "--out", out, "--progress")
    failed = {"kind": "badRequest", "problem": f"{out} exists already; name a new folder."}
    assert (told.returncode, json.loads(told.stdout)) == (1, failed)
    told = run("--gguf", str(path), "--out", f"{out}2", "--progress")
    last = json.loads(told.stdout.splitlines()[-1])
    assert told.returncode == 0 and last["done"] == last["total"] > 0


@pytest.mark.full
@pytest.mark.skipif(not SMOLLM.exists(), reason=f"there is no {SMOLLM}")
def test_a_published_model_answers_like_itself(tmp_path):
    source = of_gguf(SMOLLM, tmp_path / "smollm")
    assert source["dequantized"]
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "smollm")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "smollm", dtype=torch.float32)
    ids = tokenizer("The capital of France is", return_tensors="pt").input_ids
    answer = model.generate(ids, max_new_tokens=6, do_sample=False)[0, ids.shape[1] :]
    assert "Paris" in tokenizer.decode(answer)
    # Each digit is a token of its own, which distinguishes this vocabulary from GPT-2's.
    assert len(tokenizer("12345").input_ids) == 5
