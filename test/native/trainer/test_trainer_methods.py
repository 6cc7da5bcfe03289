"""Each method of training goes on to the bit: resumed, replayed, exported, and never mixed up."""

from __future__ import annotations

import json
import sys

import pytest
import torch

from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.model.safetensors_file import read_tensors
from anchor_trainer.model.tokenizer import load_tokenizer
from anchor_trainer.model.weights import Weights
from anchor_trainer.rollout.scheduler import Scheduler
from sampling_requests import request_of
from trainer_process import CHECKOUT, prompts

# What computes stored runs again by rules of its own, without PyTorch.
sys.path.insert(0, str(CHECKOUT / "native" / "verify"))

from anchor_verify.checkpoints import tensors_sha256

METHODS = {
    "bf16": {"mode": "full", "precision": "bf16"},
    "eight bits": {"mode": "full", "optim": {"kind": "adamw8bit"}},
    "both": {"mode": "full", "precision": "bf16", "optim": {"kind": "adamw8bit"}},
    "adapter": {
        "mode": "lora",
        "lora": {"rank": 4},
        "precision": "bf16",
        "optim": {"kind": "adamw8bit"},
    },
}


@pytest.mark.parametrize("method", list(METHODS))
def test_resume_and_replay_equal_the_undisturbed_run_bit_for_bit(fork, models, tmp_path, method):
    train = METHODS[method]
    trainer = fork()
    trainer.hello(tmp_path / "run")
    start, saved = tmp_path / "start", tmp_path / "saved"
    begun = trainer.load(models("qwen2-gqa"), train=train)
    trainer.call("save", dir=str(start))
    # As a run does, which goes on from its own copy of the model.
    hashes = [trainer.load(start, train=train)["weightsSha256"]]
    assert hashes == [begun["weightsSha256"]]
    for step in range(3):
        rollouts = trainer.generate(f"s{step}", prompts(3), maxNewTokens=6)
        assert trainer.update(f"u{step}", step, rollouts, lr=1e-3)["optimizerSteps"] > 0
        if step == 0:
            hashes.append(trainer.call("save", dir=str(saved))["weightsSha256"])
    hashes.append(trainer.call("save", dir=str(tmp_path / "end"))["weightsSha256"])
    assert len(set(hashes)) == 3
    weights = "adapter_model" if "lora" in train else "model"
    held = read_tensors(saved / f"{weights}.safetensors")
    stored = torch.bfloat16 if train.get("precision") and "lora" not in train else torch.float32
    assert {one.dtype for one in held.values()} == {stored}
    if "lora" not in train:
        assert tensors_sha256(saved / "model.safetensors") == hashes[1]

    # From the first checkpoint, with two updates from the journal.
    again = trainer.load(start, train=train, resume={"dir": str(saved)})
    assert again["replayed"] == ["u1", "u2"]
    assert again["weightsSha256"] == hashes[2]
    again = trainer.load(start, train=train, resume={"dir": str(start)})
    assert again["replayed"] == ["u0", "u1", "u2"]
    assert again["weightsSha256"] == hashes[2]
    # Every file of the checkpoint is the same.
    trainer.call("save", dir=str(tmp_path / "other"))
    manifests = [
        json.loads((tmp_path / name / "trainer.json").read_text()) for name in ("end", "other")
    ]
    assert manifests[0] == manifests[1]

    # As a model of its own it has the same hash, whatever it is computed in.
    answering = trainer.load(tmp_path / "end", train={"mode": "none"})
    assert answering["weightsSha256"] == hashes[2]


def test_answers_in_bf16_do_not_depend_on_how_many_are_written_at_a_time(models):
    folder = models("qwen2-gqa")
    config = read_config(folder)
    tensors = load_tensors(folder, config, torch.bfloat16)
    weights = Weights(config, tensors, torch.device("cpu"), precision="bf16")
    tokenizer = load_tokenizer(folder, config, False)
    found = []
    for slots in (4, 7, 24):
        told: dict = {}
        scheduler = Scheduler(weights, tokenizer, slots, 128)
        request_of(scheduler, 1, [5, 12, 19, 40], told, longest=24, n=4)
        while scheduler.busy:
            scheduler.step()
        found.append(told["rollouts"])
    assert len(found[0]) == 16
    assert found[0] == found[1] == found[2]


def test_a_checkpoint_of_another_method_is_refused_and_left_alone(trainer, models, tmp_path):
    train = METHODS["both"]
    trainer.load(models("qwen2-gqa"), train=train)
    trainer.call("save", dir=str(tmp_path / "saved"))
    request = {
        "model": {"path": str(models("qwen2-gqa"))},
        "rollout": {},
        "seed": 0,
        "resume": {"dir": str(tmp_path / "saved")},
    }
    error = trainer.fails("load", train={"mode": "full"}, **request)
    assert error.kind == "badRequest"
    assert error.message == (
        f"The checkpoint {tmp_path / 'saved'} was trained with the precision bf16 and the "
        "optimizer adamw8bit, but master32 and adamw are asked for."
    )
    trainer.load(models("qwen2-gqa"), train=train, resume={"dir": str(tmp_path / "saved")})


def test_a_method_that_is_not_asked_for_leaves_no_trace_in_a_checkpoint(trainer, models, tmp_path):
    trainer.load(models("qwen2-gqa"))
    trainer.call("save", dir=str(tmp_path / "usual"))
    told = json.loads((tmp_path / "usual" / "trainer.json").read_text())
    assert "precision" not in told and "optimizer" not in told
