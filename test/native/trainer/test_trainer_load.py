"""Loading through the real process: it says what is wrong and goes on living."""

from __future__ import annotations

import shutil

from anchor_trainer.methods.replay import repeats


def test_an_update_applied_again_repeats_to_the_bit_or_within_what_a_gpu_adds_up_otherwise():
    first = {"loss": [0.25, -0.0001], "gradNorm": [1.5, 2.0], "lr": [1e-6, 1e-6]}
    assert repeats(first, {**first}, exact=True)
    near = {**first, "gradNorm": [1.5001, 2.0]}
    assert not repeats(first, near, exact=True)
    assert repeats(first, near, exact=False)
    for other in ([1.52, 2.0], [1.5], [1.5, 2.0, 1.0], [None, 2.0]):
        assert not repeats(first, {**first, "gradNorm": other}, exact=False)
    unfinite = {**first, "loss": [None, 0.0]}
    assert repeats(unfinite, {**unfinite}, exact=False)


def test_the_process_reports_a_bad_model_and_lives_on(trainer, models, tmp_path):
    broken = tmp_path / "model"
    shutil.copytree(models("qwen2-gqa"), broken)
    (broken / "tokenizer.json").unlink()
    request = {
        "model": {"path": str(broken)},
        "train": {"mode": "none"},
        "rollout": {"maxConcurrent": 2},
        "seed": 1,
    }
    error = trainer.fails("load", **request)
    assert (error.kind, error.message) == (
        "badModel",
        f"The model folder {broken} has no tokenizer.json.",
    )
    assert trainer.fails("tokenize", items=[{"prompt": "x"}]).kind == "notLoaded"
    trainer.load(models("qwen2-gqa"))
    checkpoint = tmp_path / "checkpoint"
    trainer.call("save", dir=str(checkpoint))
    good = (checkpoint / "optimizer.safetensors").read_bytes()
    (checkpoint / "optimizer.safetensors").write_bytes(good[:-1] + b"\x7f")
    error = trainer.fails("load", **{**request, "resume": {"dir": str(checkpoint)}})
    assert error.message == (
        f"The checkpoint {checkpoint} is corrupt: optimizer.safetensors does not match its "
        "recorded SHA-256."
    )
    (checkpoint / "optimizer.safetensors").unlink()
    error = trainer.fails("load", **{**request, "resume": {"dir": str(checkpoint)}})
    assert "is corrupt: optimizer.safetensors is missing" in error.message
    error = trainer.fails("load", **{**request, "resume": {"dir": str(broken)}})
    assert "is not a checkpoint: it has no trainer.json" in error.message
    trainer.load(models("qwen2-gqa"))
    trainer.call("save", dir=str(checkpoint), include=["weights"])
    training = {"mode": "full"}
    error = trainer.fails(
        "load", **{**request, "train": training, "resume": {"dir": str(checkpoint)}}
    )
    assert "was saved without its optimizer" in error.message


def test_training_settings_that_do_not_exist_are_refused(trainer, models):
    def refused(**train):
        params = {
            "model": {"path": str(models("qwen2-gqa"))},
            "train": train,
            "rollout": {},
            "seed": 0,
        }
        error = trainer.fails("load", **params)
        assert error.kind == "badRequest"
        return error.message

    assert "params.train.lora.rank must be a whole number from 1 to 1024" in refused(
        mode="lora", lora={"rank": 0}
    )
    assert "params.train.lora.targets must be one of all-linear, attention" in refused(
        mode="lora", lora={"targets": "mlp"}
    )
    assert "params.train.precision must be one of master32" in refused(mode="full", precision="sr")
    assert "params.train.optim.kind must be one of adamw" in refused(
        mode="full", optim={"kind": "adamw8"}
    )
    assert "params.train.optim.lr must be a number from 0 upwards" in refused(
        mode="full", optim={"lr": -1}
    )
    assert "params.train.mode must be one of" in refused(mode="half")
