"""A checkpoint is written beside the next step, and hashed once while it is."""

from __future__ import annotations

import hashlib
from contextlib import closing
from types import SimpleNamespace

from anchor_trainer.model import safetensors_file
from anchor_trainer.model.config_file import read_config
from anchor_trainer.model.folder import load_tensors
from anchor_trainer.storage import checkpoint
from trainer_process import TrainerProcess, prompts

# The trainer, whose checkpoints are not begun before a file is there.
HELD = """
import sys, time
from pathlib import Path
from anchor_trainer.__main__ import main
from anchor_trainer.storage import checkpoint
gate, write = Path(sys.argv[1]), checkpoint.write_tensors
def held(*given):
    while not gate.exists():
        time.sleep(0.005)
    return write(*given)
checkpoint.write_tensors = held
sys.exit(main())
"""


def test_a_checkpoint_is_written_while_the_next_step_samples(models, tmp_path):
    gate, saved = tmp_path / "gate", tmp_path / "saved"
    with closing(TrainerProcess(program=("-c", HELD, str(gate)))) as trainer:
        trainer.hello(tmp_path / "run")
        loaded = trainer.load(models("qwen2-gqa"))
        saving = trainer.send("save", dir=str(saved))
        # Rollouts of the next step are drawn, answered and scored while it is not written.
        rollouts = trainer.generate("s2", prompts(4))
        assert len(rollouts) == 4 and saving not in trainer.answers and not saved.exists()
        ids = [one["rolloutId"] for one in rollouts]
        asked = {"items": [{"rolloutId": one} for one in ids], "temperature": 1.0}
        assert len(trainer.call("logprobs", **asked)["items"]) == 4
        assert saving not in trainer.answers
        # What moves the weights waits for it: the checkpoint is of the weights as they were.
        items = [{"rolloutId": one, "advantage": 1.0} for one in ids]
        updating = trainer.send(
            "update", opId="u", expectVersion=0, items=items, loss={"kind": "pg-clip"}, batch={}
        )
        assert updating not in trainer.answers
        gate.touch()
        told = trainer.answer(saving)
        assert told["weightsSha256"] == loaded["weightsSha256"]
        assert trainer.answer(updating)["version"] == 1
        assert list(trainer.answers).index(saving) < list(trainer.answers).index(updating)
        assert checkpoint.read_state(saved).version == 0


def test_a_file_of_weights_is_hashed_in_the_pass_that_writes_it(models, tmp_path, monkeypatch):
    folder = models("qwen2-gqa")
    config = read_config(folder)
    tensors = load_tensors(folder, config)
    read, hashed, hash_of = [], [], checkpoint._file_sha256

    class Counting:
        def __init__(self, data=b""):
            self.inner = hashlib.sha256()
            self.update(data)

        def update(self, data):
            hashed.append(len(memoryview(data).cast("B")))
            self.inner.update(data)

        def hexdigest(self):
            return self.inner.hexdigest()

    monkeypatch.setattr(safetensors_file, "hashlib", SimpleNamespace(sha256=Counting))
    monkeypatch.setattr(
        checkpoint, "_file_sha256", lambda path: read.append(path.name) or hash_of(path)
    )
    about = {"version": 1, "seed": 0, "optimizer_steps": 1, "method": checkpoint.USUAL_METHOD}
    target = tmp_path / "saved"
    files, _ = checkpoint.save_checkpoint(target, {}, config.raw, tensors, dict(tensors), **about)
    assert sorted(read) == ["config.json", "trainer.json"]
    size = (target / "model.safetensors").stat().st_size
    moments = (target / "optimizer.safetensors").stat().st_size
    # The file of the weights and the values in it, and the moments' file: no byte a third time.
    assert size + moments < sum(hashed) <= 2 * size + moments
    for one in files:
        with open(one["path"], "rb") as file:
            assert hashlib.file_digest(file, "sha256").hexdigest() == one["sha256"]
