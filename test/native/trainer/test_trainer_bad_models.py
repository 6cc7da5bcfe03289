"""Every way a model folder can be wrong gives one sentence that says what and where."""

from __future__ import annotations

import json
import random
import shutil
import struct
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from anchor_trainer.errors import TrainerError
from anchor_trainer.model.config_file import parse_config, read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.safetensors_file import read_header, read_tensors, write_tensors
from anchor_trainer.model.tokenizer import load_tokenizer
from tiny_models import CONFIGS


@pytest.fixture
def broken(models, tmp_path):
    """A copy of a good model that a test may damage."""
    shutil.copytree(models("qwen2-gqa"), tmp_path / "model")
    return tmp_path / "model"


def load(folder: Path):
    config = read_config(folder)
    load_tokenizer(folder, config)
    return load_tensors(folder, config)


def sentence(folder: Path) -> str:
    with pytest.raises(TrainerError) as caught:
        load(folder)
    assert caught.value.kind == "badModel"
    assert caught.value.message.endswith(".") and "\n" not in caught.value.message
    return caught.value.message


def edit(path: Path, **changes):
    raw = json.loads(path.read_text())
    for name, value in changes.items():
        if value is None:
            raw.pop(name, None)
        else:
            raw[name] = value
    path.write_text(json.dumps(raw))


def rewrite(folder: Path, change):
    """Applies `change` to the tensors of a folder and writes them back."""
    # Copies, because the library maps the file that is about to be overwritten.
    stored = load_file(folder / "model.safetensors")
    tensors = {name: tensor.clone() for name, tensor in stored.items()}
    change(tensors)
    with (folder / "model.safetensors").open("wb") as file:
        write_tensors(file, tensors)


def test_a_good_folder_loads(broken):
    assert load(broken)["model.norm.weight"].shape == (64,)


def test_missing_folder_and_missing_config(broken, tmp_path):
    assert sentence(tmp_path / "nowhere") == f"The model folder {tmp_path}/nowhere does not exist."
    (broken / "config.json").unlink()
    assert sentence(broken) == f"The model folder {broken} has no config.json."


def test_config_that_is_not_json_or_lacks_a_field(broken):
    edit(broken / "config.json", hidden_size=None)
    assert "hidden_size must be a positive whole number, but it is None" in sentence(broken)
    (broken / "config.json").write_text("{")
    assert "cannot be read as JSON" in sentence(broken)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"architectures": ["MambaForCausalLM"]}, "architecture MambaForCausalLM is not supported"),
        ({"architectures": None}, "architecture none is not supported"),
        ({"hidden_act": "gelu"}, "hidden_act 'gelu' is not supported"),
        ({"num_key_value_heads": 3}, "is not a multiple of num_key_value_heads (3)"),
        (
            {"rope_scaling": {"type": "yarn"}},
            "transformers does not build Qwen2ForCausalLM from it",
        ),
        ({"rope_scaling": {"type": "dynamic"}}, "rope scaling 'dynamic' is not supported, because"),
        (
            {"architectures": ["Qwen3NextForCausalLM"]},
            "architecture Qwen3NextForCausalLM is not supported: its layers carry a state",
        ),
        ({"rope_scaling": {"type": "llama3", "factor": 8}}, "low_freq_factor must be a positive"),
    ],
)
def test_unsupported_configurations(changes, expected):
    raw = {k: v for k, v in {**CONFIGS["qwen2-gqa"], **changes}.items() if v is not None}
    with pytest.raises(TrainerError) as caught:
        parse_config(raw, "config.json")
    assert expected in caught.value.message


def test_pickled_weights_are_refused_by_what_they_are(broken):
    (broken / "model.safetensors").unlink()
    assert "has no model.safetensors" in sentence(broken)
    (broken / "pytorch_model.bin").write_bytes(b"\x80\x04N.")
    assert "has only pickled weights (pytorch_model.bin), which are refused" in sentence(broken)


def test_truncated_and_corrupt_safetensors(broken):
    path = broken / "model.safetensors"
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    path.write_bytes(data[:-1])
    assert f"it should have {len(data)} bytes but has {len(data) - 1}" in sentence(broken)
    path.write_bytes(data + b"\0")
    assert f"it should have {len(data)} bytes but has {len(data) + 1}" in sentence(broken)
    path.write_bytes(data[:5])
    assert "it is only 5 bytes long" in sentence(broken)
    path.write_bytes(struct.pack("<Q", 2**60) + data[8:])
    assert "its header claims 1152921504606846976 bytes" in sentence(broken)
    path.write_bytes(data[:8] + b"x" * length + data[8 + length :])
    assert "its header is not valid JSON" in sentence(broken)


def with_header(path: Path, change):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    table = json.loads(data[8 : 8 + length])
    text = change(table)
    encoded = (text if isinstance(text, str) else json.dumps(table)).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data[8 + length :])


def test_headers_that_contradict_themselves(broken, tmp_path):
    good = tmp_path / "good"
    shutil.copyfile(broken / "model.safetensors", good)
    path = broken / "model.safetensors"

    def after(change):
        shutil.copyfile(good, path)
        with_header(path, change)
        return sentence(broken)

    name = "model.norm.weight"
    assert "not shape times number size" in after(lambda t: t[name].update(shape=[65]))
    assert "unknown number type" in after(lambda t: t[name].update(dtype="F12"))
    told = after(lambda t: t[name].update(dtype="F8_E4M3"))
    assert f"holds numbers of the type F8_E4M3 (tensor {name}), which are quantized" in told
    assert "no valid shape or offsets" in after(lambda t: t[name].update(shape=[-64]))
    assert "no valid shape or offsets" in after(lambda t: t[name].update(shape=[64.0]))
    assert "does not begin where the one before it ends" in after(
        lambda t: t[name].update(data_offsets=[o + 4 for o in t[name]["data_offsets"]])
    )
    assert "a name occurs twice" in after(
        lambda t: json.dumps(t)[:-1] + ', "model.norm.weight": {}}'
    )
    assert "metadata is not a table of strings" in after(
        lambda t: t.update(__metadata__={"format": 3})
    )


def test_missing_extra_and_misshapen_tensors(broken):
    rewrite(broken, lambda t: t.pop("model.layers.1.mlp.up_proj.weight"))
    assert "lack 1 tensor(s) that config.json asks for, first model.layers.1.mlp.up" in sentence(
        broken
    )
    rewrite(broken, lambda t: t.update({"model.layers.1.mlp.up_proj.weight": torch.zeros(96, 64)}))
    rewrite(broken, lambda t: t.update({"adapter.weight": torch.zeros(2)}))
    assert "hold 1 tensor(s) that config.json does not name, first adapter.weight" in sentence(
        broken
    )
    rewrite(broken, lambda t: t.pop("adapter.weight"))
    rewrite(broken, lambda t: t.update({"model.norm.weight": torch.ones(65)}))
    assert "has shape [65], but config.json asks for [64]" in sentence(broken)
    rewrite(broken, lambda t: t.update({"model.norm.weight": torch.full((64,), torch.nan)}))
    assert "holds values that are not finite" in sentence(broken)


def test_a_tied_head_stored_twice_must_agree(broken):
    rewrite(broken, lambda t: t.update({"lm_head.weight": t["model.embed_tokens.weight"].clone()}))
    assert "lm_head.weight" not in load(broken)
    rewrite(broken, lambda t: t.update({"lm_head.weight": t["lm_head.weight"] + 1}))
    assert "an lm_head that differs from the embedding" in sentence(broken)


def test_rotation_frequencies_that_older_writers_stored_are_left_aside(broken):
    before = load(broken)
    name = "model.layers.0.self_attn.rotary_emb.inv_freq"
    rewrite(broken, lambda t: t.update({name: torch.ones(8)}))
    assert set(load(broken)) == set(before)


def test_weights_in_several_files_and_in_half_precision(broken):
    whole = load(broken)
    tensors = load_file(broken / "model.safetensors")
    names = sorted(tensors)
    shards = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file_name, members in shards.items():
        with (broken / file_name).open("wb") as file:
            write_tensors(file, {name: tensors[name].half() for name in members})
    (broken / "model.safetensors").unlink()
    index = {name: file_name for file_name, members in shards.items() for name in members}
    (broken / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    for name, tensor in load(broken).items():
        assert tensor.dtype == torch.float32
        torch.testing.assert_close(tensor, whole[name], atol=2e-3, rtol=1e-3)
    (broken / "b.safetensors").unlink()
    assert "lacks the file b.safetensors" in sentence(broken)
    escaping = {"weight_map": {"x": "../a.safetensors"}}
    (broken / "model.safetensors.index.json").write_text(json.dumps(escaping))
    assert "lacks the file ../a.safetensors" in sentence(broken)


def test_tokenizer_missing_broken_or_of_another_model(broken):
    path = broken / "tokenizer.json"
    good = path.read_text()
    path.write_text(good[:-20])
    assert "is not a valid tokenizer" in sentence(broken)
    path.write_text(good)
    edit(broken / "config.json", vocab_size=200)
    assert "has token id 304, but the model's embedding has only 200 rows" in sentence(broken)
    edit(broken / "config.json", vocab_size=320, eos_token_id=None)
    edit(broken / "tokenizer_config.json", eos_token=None)
    assert "does not say which token ends a text" in sentence(broken)
    edit(broken / "tokenizer_config.json", chat_template="{% for %}", eos_token="<|im_end|>")
    assert "The chat template" in sentence(broken) and "is not valid" in sentence(broken)
    path.unlink()
    assert "has no tokenizer.json" in sentence(broken)


def test_our_files_are_read_alike_by_the_safetensors_library(tmp_path):
    noise = torch.Generator().manual_seed(1)
    tensors = {
        "b": torch.randn(3, 5, generator=noise),
        "a": torch.randn(7, generator=noise).bfloat16(),
        "c": torch.arange(4, dtype=torch.int32),
        "empty": torch.zeros(0, 3),
    }
    path = tmp_path / "x.safetensors"
    with path.open("wb") as file:
        write_tensors(file, tensors, {"k": "v"})
    theirs, ours = load_file(path), read_tensors(path)
    assert set(theirs) == set(ours) == set(tensors)
    for name, tensor in tensors.items():
        assert torch.equal(theirs[name], tensor) and torch.equal(ours[name], tensor)
    assert read_header(path).metadata == {"k": "v"}


def test_a_thousand_mutated_headers_are_refused_or_still_consistent(models, tmp_path):
    """Whatever bytes change in the header, reading either works or raises badModel."""
    data = (models("qwen2-gqa") / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    noise = random.Random(5)
    path = tmp_path / "mutant.safetensors"
    refused = 0
    for _ in range(1000):
        mutant = bytearray(data)
        for _ in range(noise.choice((1, 1, 2, 8))):
            mutant[noise.randrange(8 + length)] = noise.randrange(256)
        path.write_bytes(mutant)
        try:
            read_tensors(path)
        except TrainerError as error:
            assert error.kind == "badModel"
            refused += 1
    assert refused > 500
