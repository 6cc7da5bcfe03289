"""LoRA adapters: trained beside frozen weights, saved as PEFT reads them, taken up to the bit."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

from tiny_models import build_model
from trainer_process import CallFailed, TrainerProcess, prompts

LORA = {
    "mode": "lora",
    "precision": "master32",
    "packTokens": 128,
    "lora": {"rank": 4, "alpha": 8, "targets": "all-linear"},
    "optim": {"kind": "adamw", "lr": 1e-2, "betas": [0.9, 0.99]},
}
ONLY_ANSWERS = {"mode": "none"}


@pytest.fixture(scope="module")
def trainer():
    """One process for all: `hello` opens another run each time."""
    process = TrainerProcess()
    yield process
    process.close()


def step(trainer, number):
    rollouts = trainer.generate(f"s{number}/w1", prompts(6))
    trainer.update(f"s{number}/update", number, rollouts)
    return rollouts


def greedy(trainer, key):
    found = trainer.generate(key, prompts(3), temperature=0, maxNewTokens=12)
    ids = [one["rolloutId"] for one in found]
    return trainer.call("rollouts", op="get", ids=ids)["rollouts"]


@pytest.fixture(scope="module")
def run(trainer, models, tmp_path_factory):
    """A run as the engine keeps one: the model itself as step 0, then an adapter a step."""
    folder = tmp_path_factory.mktemp("run")
    trainer.hello(folder / "files")
    loaded = trainer.load(models("qwen2-gqa"), train=LORA)
    hashes = [loaded["weightsSha256"], trainer.weights(folder / "step-0")]
    beginning = {"dir": str(folder / "step-0")}
    assert trainer.load(folder / "step-0", train=LORA, resume=beginning)["version"] == 0
    for number in range(3):
        step(trainer, number)
        hashes.append(trainer.weights(folder / f"step-{number + 1}"))
    return {"folder": folder, "hashes": hashes, "loaded": loaded}


def test_a_new_adapter_changes_nothing_and_what_is_saved_is_the_model(run, trainer, models):
    loaded = run["loaded"]
    # Rank 4 on the seven matrices of two layers: 4 * (inputs + outputs) each.
    assert loaded["trainable"] == 4 * 2 * (2 * 128 + 2 * 96 + 3 * 160)
    assert loaded["params"] > 10 * loaded["trainable"]
    assert run["hashes"][0] == run["hashes"][1]
    assert (run["folder"] / "step-0" / "model.safetensors").exists()
    trainer.hello(run["folder"] / "plain")
    full = trainer.load(models("qwen2-gqa"))
    assert full["weightsSha256"] == run["hashes"][0]
    assert len(set(run["hashes"][1:])) == 4


def test_peft_reads_a_checkpoint_and_gives_the_same_answers(run, trainer):
    folder = run["folder"]
    config = json.loads((folder / "step-3" / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == "../step-0"
    assert not (folder / "step-3" / "model.safetensors").exists()
    trainer.hello(folder / "asked")
    trainer.load(folder / "step-3", train=ONLY_ANSWERS)
    base = AutoModelForCausalLM.from_pretrained(folder / "step-0", dtype=torch.float32)
    theirs = PeftModel.from_pretrained(base, folder / "step-3").eval()
    for one in greedy(trainer, "asked"):
        ids, start = torch.tensor(one["tokenIds"]), one["promptTokens"]
        with torch.no_grad():
            logits = theirs(ids[None]).logits[0]
        assert logits[start - 1 : -1].argmax(-1).tolist() == ids[start:].tolist()
        logp = torch.log_softmax(logits, -1)[start - 1 : -1].gather(1, ids[start:, None])
        asked = {"tokenIds": one["tokenIds"], "promptLen": start}
        scored = trainer.call("logprobs", items=[asked])["items"][0]
        assert scored["sum"] == pytest.approx(float(logp.sum()), abs=1e-3)


def test_resume_and_replay_equal_the_undisturbed_run_bit_for_bit(run, trainer, tmp_path):
    at = run["folder"] / "step-1"
    trainer.hello(tmp_path)
    loaded = trainer.load(run["folder"] / "step-0", train=LORA, resume={"dir": str(at)})
    assert (loaded["version"], loaded["weightsSha256"]) == (1, run["hashes"][2])
    step(trainer, 1)
    step(trainer, 2)
    assert trainer.weights(tmp_path / "end") == run["hashes"][4]
    # What the journal knows beyond a checkpoint is applied again.
    again = trainer.load(run["folder"] / "step-0", train=LORA, resume={"dir": str(at)})
    assert again["replayed"] == ["s1/update", "s2/update"]
    assert again["weightsSha256"] == run["hashes"][4]
    beginning = {"dir": str(run["folder"] / "step-0"), "replay": False}
    first = trainer.load(run["folder"] / "step-0", train=LORA, resume=beginning)
    assert (first["version"], first["weightsSha256"]) == (0, run["hashes"][0])


def test_the_reference_is_the_model_without_the_adapter(run, trainer, tmp_path):
    trainer.hello(tmp_path)
    trainer.load(run["folder"] / "step-0", train=ONLY_ANSWERS)
    told = greedy(trainer, "base")
    asked = [{"tokenIds": one["tokenIds"], "promptLen": one["promptTokens"]} for one in told]
    own = trainer.call("logprobs", items=asked)["items"]
    loaded = trainer.load(
        run["folder"] / "step-0",
        train=LORA,
        reference="copy",
        resume={"dir": str(run["folder"] / "step-3")},
    )
    assert loaded["bytes"] < 1.5 * run["loaded"]["params"] * 4
    reference = trainer.call("logprobs", items=asked, which="reference")["items"]
    policy = trainer.call("logprobs", items=asked, which="policy")["items"]
    for one, other, moved in zip(own, reference, policy, strict=True):
        assert other["sum"] == pytest.approx(one["sum"], abs=1e-4)
        assert abs(moved["sum"] - one["sum"]) > 1e-3


def test_exports_are_merged_and_the_adapter_alone_is_exported_as_it_is(run, trainer, tmp_path):
    trainer.hello(tmp_path / "run")
    trainer.load(run["folder"] / "step-3", train=ONLY_ANSWERS)
    asked = greedy(trainer, "asked")
    trainer.call("export", format="safetensors", dir=str(tmp_path / "merged"))
    files = trainer.call("export", format="gguf", quant="f16", dir=str(tmp_path / "gguf"))["files"]
    assert files[0]["bytes"] > 0
    trainer.call("export", format="peft", dir=str(tmp_path / "adapter"))
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == str(run["folder"] / "step-0")
    trainer.load(tmp_path / "merged", train=ONLY_ANSWERS)
    assert [one["tokenIds"] for one in greedy(trainer, "merged")] == [
        one["tokenIds"] for one in asked
    ]
    with pytest.raises(CallFailed, match="this policy is no adapter"):
        trainer.call("export", format="peft", dir=str(tmp_path / "none"))
    trainer.load(tmp_path / "adapter", train=ONLY_ANSWERS)
    assert [one["text"] for one in greedy(trainer, "apart")] == [one["text"] for one in asked]


def test_a_run_may_be_moved_and_a_base_may_not_be_another(run, trainer, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(run["folder"], moved)
    trainer.hello(tmp_path / "files")
    resume = {"dir": str(moved / "step-3")}
    loaded = trainer.load(moved / "step-0", train=LORA, resume=resume)
    assert loaded["weightsSha256"] == run["hashes"][4]
    shutil.rmtree(moved / "step-0")
    with pytest.raises(CallFailed, match=r"names the base model '../step-0', which is no folder"):
        trainer.load(moved / "step-3", train=ONLY_ANSWERS)
    build_model(moved / "step-0", seed=5)
    with pytest.raises(CallFailed, match="one of them is not what it was"):
        trainer.load(moved / "step-0", train=LORA, resume=resume)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"use_dora": True}, "asks for use_dora, which cannot be trained or sampled here"),
        ({"peft_type": "IA3"}, "is of an adapter that is no LoRA adapter without biases"),
        ({"bias": "all"}, "is of an adapter that is no LoRA adapter without biases"),
        ({"target_modules": "(a+)+$"}, "target_modules must be a list of layers' names"),
        ({"r": 10**9}, "must be a whole number up to 1024"),
        ({"r": 8}, "does not fit the model in"),
        ({"target_modules": ["nothing"]}, "cannot change the layers ['nothing']; it can"),
        ({"target_modules": ["lm_head"]}, "cannot change the layers ['lm_head']; it can"),
        ({"base_model_name_or_path": "some/model"}, "'some/model', which is no folder"),
        ({"base_model_name_or_path": "../step-3"}, "is an adapter itself"),
    ],
)
def test_adapters_that_cannot_be_used(run, trainer, tmp_path, changes, expected):
    folder = tmp_path / "step-9"
    shutil.copytree(run["folder"] / "step-3", folder)
    for number in (0, 3):
        (tmp_path / f"step-{number}").symlink_to(run["folder"] / f"step-{number}")
    config = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps({**config, **changes}))
    trainer.hello(tmp_path / "run")
    with pytest.raises(CallFailed) as refused:
        trainer.load(folder, train=ONLY_ANSWERS)
    assert expected in refused.value.message
    assert refused.value.kind == "badModel"


def test_training_that_the_adapter_is_not_of_is_refused(run, trainer, tmp_path):
    trainer.hello(tmp_path)
    with pytest.raises(CallFailed, match="is an adapter, whose base cannot be trained with it"):
        trainer.load(run["folder"] / "step-3")
    for lora in ({"rank": 2, "alpha": 8}, {"rank": 4, "alpha": 8, "targets": "attention"}):
        with pytest.raises(CallFailed, match=r"which is not what train\.lora asks for"):
            trainer.load(
                run["folder"] / "step-0",
                train={**LORA, "lora": lora},
                resume={"dir": str(run["folder"] / "step-3")},
            )
