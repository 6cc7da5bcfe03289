"""Exports read back: GGUF by the gguf package, safetensors by transformers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import gguf
import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from anchor_trainer.errors import TrainerError
from anchor_trainer.export_gguf import export_folder
from anchor_trainer.model.gguf_file import pre_tokenizer_name
from tiny_models import CONFIGS, build_model
from trainer_process import TRAINER, prompts

ERROR = {"f32": 0.0, "f16": 2e-3, "bf16": 1e-2, "q8_0": 1e-2}


def read(path):
    reader = gguf.GGUFReader(path)
    tensors = {
        one.name: (one.tensor_type.name, gguf.quants.dequantize(one.data, one.tensor_type))
        for one in reader.tensors
    }
    fields = {name: field.contents() for name, field in reader.fields.items()}
    return fields, tensors


@pytest.mark.parametrize("file_type", ERROR)
def test_every_weight_is_in_the_gguf_within_the_precision_of_its_type(models, tmp_path, file_type):
    path = tmp_path / "model.gguf"
    export_folder(models("qwen2-gqa"), path, file_type)
    fields, tensors = read(path)
    original = load_file(models("qwen2-gqa") / "model.safetensors")
    assert len(tensors) == len(original) and "output.weight" not in tensors
    names = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "model.layers.1.self_attn.k_proj.weight": "blk.1.attn_k.weight",
        "model.layers.1.self_attn.k_proj.bias": "blk.1.attn_k.bias",
        "model.layers.0.mlp.down_proj.weight": "blk.0.ffn_down.weight",
        "model.layers.0.post_attention_layernorm.weight": "blk.0.ffn_norm.weight",
    }
    for theirs, ours in names.items():
        kind, values = tensors[ours]
        expected = original[theirs].numpy()
        assert kind == ("F32" if expected.ndim == 1 else file_type.upper())
        np.testing.assert_allclose(values, expected, atol=ERROR[file_type], rtol=0)
    assert fields["general.architecture"] == "qwen2"
    assert fields["qwen2.attention.head_count_kv"] == 2
    assert fields["qwen2.context_length"] == 256


def test_a_beginning_token_is_named_for_the_templates_that_write_it(models, tmp_path):
    """Llama's template begins with it; without its id llama.cpp would leave it out."""
    folder = tmp_path / "model"
    shutil.copytree(models("llama"), folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["bos_token"] = "<|im_start|>"
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    export_folder(folder, tmp_path / "model.gguf", "f16")
    fields, _ = read(tmp_path / "model.gguf")
    assert fields["tokenizer.ggml.bos_token_id"] == 301
    assert fields["tokenizer.ggml.add_bos_token"] is False


def test_the_vocabulary_has_kinds_merges_and_no_beginning_token(models, tmp_path):
    path = tmp_path / "model.gguf"
    export_folder(models("qwen2-gqa"), path, "f16")
    fields, _ = read(path)
    tokens, kinds = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]
    assert len(tokens) == len(kinds) == 320
    by_token = dict(zip(tokens, kinds, strict=True))
    assert by_token["<|im_end|>"] == gguf.TokenType.CONTROL
    assert by_token["<think>"] == gguf.TokenType.USER_DEFINED
    assert by_token["a"] == gguf.TokenType.NORMAL
    assert kinds[310:] == [gguf.TokenType.UNUSED] * 10 and len(set(tokens)) == 320
    assert fields["tokenizer.ggml.model"] == "gpt2"
    assert fields["tokenizer.ggml.pre"] == "qwen2"
    assert fields["tokenizer.ggml.eos_token_id"] == 302
    assert fields["tokenizer.ggml.padding_token_id"] == 300
    assert fields["tokenizer.ggml.add_bos_token"] is False
    assert "tokenizer.ggml.bos_token_id" not in fields
    raw = json.loads((models("qwen2-gqa") / "tokenizer.json").read_text())
    assert len(fields["tokenizer.ggml.merges"]) == len(raw["model"]["merges"])
    assert fields["tokenizer.chat_template"].startswith("{% for m in messages %}")


def test_llama_rows_are_reordered_to_rotate_neighbouring_pairs(models, tmp_path):
    """llama.cpp's rotation of the exported rows equals the half rotation of the original ones."""
    path = tmp_path / "model.gguf"
    export_folder(models("llama"), path, "f32")
    fields, tensors = read(path)
    original = load_file(models("llama") / "model.safetensors")
    for part, heads in (("q", 4), ("k", 2)):
        ours = tensors[f"blk.0.attn_{part}.weight"][1].reshape(heads, 16, 64)
        theirs = original[f"model.layers.0.self_attn.{part}_proj.weight"].reshape(heads, 16, 64)
        np.testing.assert_array_equal(ours[:, 0::2], theirs[:, :8].numpy())
        np.testing.assert_array_equal(ours[:, 1::2], theirs[:, 8:].numpy())
    value = tensors["blk.0.attn_v.weight"][1]
    np.testing.assert_array_equal(value, original["model.layers.0.self_attn.v_proj.weight"].numpy())
    assert fields["tokenizer.ggml.pre"] == "llama-bpe"
    divisors = tensors["rope_freqs.weight"][1]
    assert divisors.shape == (8,) and divisors[0] == 1.0 and divisors[-1] == pytest.approx(4.0)


def test_qwen3_norms_and_head_size_are_exported(models, tmp_path):
    path = tmp_path / "model.gguf"
    export_folder(models("qwen3"), path, "f16")
    fields, tensors = read(path)
    assert fields["qwen3.attention.key_length"] == 32
    assert tensors["blk.1.attn_q_norm.weight"][1].shape == (32,)


def test_q8_0_keeps_rows_that_do_not_divide_into_blocks_as_f16(tmp_path):
    build_model(tmp_path / "model", "qwen2-gqa")
    raw = json.loads((tmp_path / "model" / "config.json").read_text())
    raw["intermediate_size"] = 80
    (tmp_path / "model" / "config.json").write_text(json.dumps(raw))
    tensors = load_file(tmp_path / "model" / "model.safetensors")
    cut = {name: tensor.clone() for name, tensor in tensors.items()}
    for name in cut:
        if "gate_proj" in name or "up_proj" in name:
            cut[name] = cut[name][:80].contiguous()
        elif "down_proj" in name:
            cut[name] = cut[name][:, :80].contiguous()
    from anchor_trainer.model.safetensors_file import write_tensors

    with (tmp_path / "model" / "model.safetensors").open("wb") as file:
        write_tensors(file, cut)
    export_folder(tmp_path / "model", tmp_path / "m.gguf", "q8_0")
    _, read_back = read(tmp_path / "m.gguf")
    assert read_back["blk.0.ffn_down.weight"][0] == "F16"
    assert read_back["blk.0.ffn_up.weight"][0] == "Q8_0"


def test_a_tokenizer_without_a_gguf_name_is_refused(models, tmp_path):
    raw = json.loads((models("qwen2-gqa") / "tokenizer.json").read_text())
    raw["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = r"\w+|\W+"
    with pytest.raises(TrainerError, match="splits text by a rule that GGUF has no name for"):
        pre_tokenizer_name(raw)
    folder = tmp_path / "model"
    shutil.copytree(models("qwen2-gqa"), folder)
    (folder / "tokenizer.json").write_text(json.dumps(raw))
    with pytest.raises(TrainerError):
        export_folder(folder, tmp_path / "x.gguf", "f16")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model"]


def test_the_command_line_writes_a_file_or_says_why_not(models, tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "anchor_trainer.export_gguf", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(TRAINER)}
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    out = str(tmp_path / "x.gguf")
    good = run("--model", str(models("qwen2-gqa")), "--out", out, "--type", "q8_0")
    assert good.returncode == 0 and "bytes, q8_0" in good.stdout
    bad = run("--model", str(tmp_path / "none"), "--out", out)
    assert bad.returncode == 1
    assert bad.stderr.startswith(f"The model folder {tmp_path}/none does not exist.")
    assert run("--model", str(models("qwen2-gqa"))).returncode == 2


def test_equal_weights_give_equal_files(models, tmp_path):
    for name in ("a", "b"):
        export_folder(models("qwen2-gqa"), tmp_path / f"{name}.gguf", "f16", name="same")
    assert (tmp_path / "a.gguf").read_bytes() == (tmp_path / "b.gguf").read_bytes()


@pytest.mark.parametrize("kind", ["qwen2-gqa", "llama"])
def test_the_trained_policy_is_exported_and_loads_in_transformers(trainer, models, tmp_path, kind):
    assert kind in CONFIGS
    trainer.hello(tmp_path / "run")
    trainer.load(models(kind))
    rollouts = trainer.generate("s0/w1", prompts(3))
    trainer.update("u", 0, rollouts)
    folder = tmp_path / "exported"
    files = trainer.call("export", format="safetensors", quant="f32", dir=str(folder))["files"]
    assert "model.safetensors" in {os.path.basename(one["path"]) for one in files}
    model = AutoModelForCausalLM.from_pretrained(folder)
    assert model.dtype == torch.float32
    ids = torch.tensor([[5, 6, 7, 8, 9]])
    with torch.no_grad():
        logp = torch.log_softmax(model(ids).logits[0].float(), -1)
    expected = float(logp[1:4].gather(1, ids[0, 2:, None]).sum())
    item = {"tokenIds": ids[0].tolist(), "promptLen": 2}
    ours = trainer.call("logprobs", items=[item])["items"][0]
    assert ours["n"] == 3 and ours["sum"] == pytest.approx(expected, abs=1e-4)
    one = trainer.call("export", format="gguf", quant="f16", file=str(tmp_path / "p.gguf"))
    assert one["version"] == 1 and one["files"][0]["bytes"] == os.path.getsize(tmp_path / "p.gguf")
    _, tensors = read(tmp_path / "p.gguf")
    trained = load_file(folder / "model.safetensors")["model.norm.weight"].numpy()
    np.testing.assert_array_equal(tensors["output_norm.weight"][1], trained)
