"""Adapters that PEFT made, added to their base: the same answers, and one sentence for the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from anchor_trainer.errors import TrainerError
from anchor_trainer.make_policy import of_adapter
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from trainer_process import TRAINER

IDS = torch.tensor([[5, 17, 250, 3, 41, 99, 7]])
EVERY = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def base_of(folder, dtype=torch.float32):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)


def adapter_of(base, folder, modules=EVERY, dtype=torch.float32, **settings):
    """An adapter that changes answers, in the folder that PEFT writes."""
    torch.manual_seed(3)
    settings = {"r": 4, "lora_alpha": 12, "target_modules": modules, **settings}
    model = get_peft_model(base_of(base, dtype), LoraConfig(task_type="CAUSAL_LM", **settings))
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            parameter.data.normal_(std=0.05)
    model.save_pretrained(folder)
    config = json.loads((folder / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = "somebody/model-on-the-internet"
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize("kind", ["qwen2-gqa", "llama", "gemma3", "olmo2"])
def test_answers_are_those_of_peft(models, tmp_path, kind):
    adapter = adapter_of(models(kind), tmp_path / "adapter")
    said = []
    source = of_adapter(adapter, models(kind), tmp_path / "made", lambda *at: said.append(at))
    assert source == json.loads((tmp_path / "made" / "source.json").read_text())
    assert source == {"from": "adapter", "base": models(kind).name, "rank": 4, "alpha": 12.0}
    with torch.no_grad():
        theirs = PeftModel.from_pretrained(base_of(models(kind)), adapter)(IDS).logits
        ours = base_of(tmp_path / "made")(IDS).logits
        plain = base_of(models(kind))(IDS).logits
    torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=1e-4)
    assert (plain - theirs).abs().max() > 1e-2
    # It is a policy like any other, and has everything of its base that one needs.
    load_tensors(tmp_path / "made", read_config(tmp_path / "made"))
    names = {one.name for one in (tmp_path / "made").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "source.json"} <= names
    done, total = said[-1]
    assert done == total == sum(one.nbytes for one in load_file(models(kind) / WEIGHTS).values())


WEIGHTS = "model.safetensors"


def test_a_base_of_sixteen_bits_keeps_what_the_adapter_adds(models, tmp_path):
    base = tmp_path / "base"
    shutil.copytree(models("llama"), base)
    rounded = {name: one.bfloat16() for name, one in load_file(base / WEIGHTS).items()}
    save_file(rounded, base / WEIGHTS, {"format": "pt"})
    adapter = adapter_of(base, tmp_path / "adapter", ["q_proj"], r=2, lora_alpha=2)
    of_adapter(adapter, base, tmp_path / "made")
    made = load_file(tmp_path / "made" / WEIGHTS)
    assert {one.dtype for one in made.values()} == {torch.float32}
    assert json.loads((tmp_path / "made" / "config.json").read_text())["dtype"] == "float32"
    own = load_file(adapter / "adapter_model.safetensors")
    for name, before in rounded.items():
        pair = [
            own.get(f"base_model.model.{name[: -len('.weight')]}.lora_{one}.weight") for one in "AB"
        ]
        expected = before.float() if pair[0] is None else before.float() + pair[1] @ pair[0]
        torch.testing.assert_close(made[name], expected, atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"modules": ["embed_tokens", "q_proj"]}, r"embed_tokens.*no matrix of the model"),
        ({"modules": ["q_proj"], "modules_to_save": ["lm_head"]}, "asks for modules_to_save"),
        ({"use_dora": True}, "asks for use_dora"),
        ({"use_rslora": True}, "asks for use_rslora"),
        ({"rank_pattern": {"q_proj": 2}}, "asks for rank_pattern"),
        ({"bias": "all"}, "no LoRA adapter without biases"),
    ],
)
def test_what_is_more_than_two_matrices_is_refused(models, tmp_path, settings, expected):
    adapter = adapter_of(models("llama"), tmp_path / "adapter", **settings)
    with pytest.raises(TrainerError, match=expected):
        of_adapter(adapter, models("llama"), tmp_path / "made")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["adapter"]


def test_the_wrong_base_and_broken_numbers_are_refused(models, tmp_path):
    adapter = adapter_of(models("llama"), tmp_path / "adapter")
    with pytest.raises(TrainerError, match=r"no matrix of the model|does not fit the model"):
        of_adapter(adapter, models("gemma3"), tmp_path / "made")
    with pytest.raises(TrainerError, match="is an adapter itself"):
        of_adapter(adapter, adapter, tmp_path / "made")
    with pytest.raises(TrainerError, match=r"has no adapter_config\.json"):
        of_adapter(models("llama"), models("llama"), tmp_path / "made")
    place = adapter / "adapter_model.safetensors"
    own = load_file(place)
    first = sorted(own)[0]
    for changed, expected in [
        ({first: torch.full_like(own[first], float("nan"))}, "holds values that are no weights"),
        ({first: own[first][:2].clone()}, "does not fit the model"),
        ({f"{first}.more": own[first].clone()}, "no matrix of the model"),
    ]:
        save_file({**own, **changed}, place)
        with pytest.raises(TrainerError, match=expected):
            of_adapter(adapter, models("llama"), tmp_path / "made")
    save_file({name: one for name, one in own.items() if name != first}, place)
    with pytest.raises(TrainerError, match="does not fit the model"):
        of_adapter(adapter, models("llama"), tmp_path / "made")
    save_file({}, place)
    with pytest.raises(TrainerError, match="holds no matrices"):
        of_adapter(adapter, models("llama"), tmp_path / "made")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["adapter"]


def test_the_command_line_asks_for_the_base(models, tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anchor_trainer.make_policy", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(TRAINER)}
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    adapter = adapter_of(models("llama"), tmp_path / "adapter")
    given, out = ("--adapter", str(adapter)), ("--out", str(tmp_path / "made"))
    assert "--adapter and --base go together" in run(*given, *out).stderr
    made = run(*given, "--base", str(models("llama")), *out)
    assert (made.returncode, made.stdout) == (0, f"{tmp_path / 'made'}: made of adapter\n")
