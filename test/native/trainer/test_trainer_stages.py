"""Stages: an optimizer without a past, and the KL term against the weights that a stage began with.

What a stage begins with is a named checkpoint, so that a restart in the middle of it finds both.
"""

from __future__ import annotations

import json
import shutil
import signal

import pytest

from trainer_process import LOSS, CallFailed, TrainerProcess, prompts

FULL = {
    "mode": "full",
    "precision": "master32",
    "packTokens": 128,
    # Moments and warm-up are both part of what is begun anew.
    "optim": {"kind": "adamw", "lr": 1e-2, "betas": [0.9, 0.99], "warmupSteps": 3},
}
LORA = {**FULL, "mode": "lora", "lora": {"rank": 4, "alpha": 8, "targets": "all-linear"}}
EIGHT_BITS = {**FULL, "optim": {**FULL["optim"], "kind": "adamw8bit"}, "precision": "bf16"}
METHODS = {"full": FULL, "lora": LORA, "bf16-8bit": EIGHT_BITS}
KL = {**LOSS, "kl": {"coef": 0.5, "estimator": "k3", "clamp": 10}}


@pytest.fixture(scope="module")
def trainer():
    """One process for all: `hello` opens another run each time."""
    process = TrainerProcess.forked()
    yield process
    process.close()


class Run:
    """A run as the engine keeps one: a checkpoint a step, the model itself as step 0."""

    def __init__(self, folder, model, train, reference="stage"):
        self.folder, self.model, self.train, self.reference = folder, model, train, reference

    def place(self, step):
        return self.folder / f"step-{step}"

    def begin(self, trainer):
        trainer.hello(self.folder / "files")
        trainer.load(self.model, train=self.train)
        trainer.weights(self.place(0))
        return self.load(trainer, 0)

    def load(self, trainer, step, **resume):
        return trainer.load(
            self.place(0),
            train=self.train,
            reference=self.reference,
            resume={"dir": str(self.place(step)), **resume},
        )

    def update(self, trainer, step, *, begins=False, **more):
        """The update of a step, from the checkpoint of the one before."""
        rollouts = trainer.generate(f"s{step}/w", prompts(4), maxNewTokens=10)
        begun = {"beginsFrom": str(self.place(step - 1))} if begins else {}
        return trainer.update(f"s{step}/update", step - 1, rollouts, loss=KL, **begun, **more)

    def step(self, trainer, step, *, begins=False):
        figures = self.update(trainer, step, begins=begins)
        return trainer.weights(self.place(step)), figures


@pytest.fixture(
    scope="module",
    params=["full", "lora", pytest.param("bf16-8bit", marks=pytest.mark.full)],
)
def undisturbed(request, trainer, models, tmp_path_factory):
    """Two stages of two steps; hashes and figures of each step, and the run itself."""
    folder = tmp_path_factory.mktemp(request.param)
    run = Run(folder, models("qwen2-gqa"), METHODS[request.param])
    run.begin(trainer)
    steps = [run.step(trainer, step, begins=step in (1, 3)) for step in (1, 2, 3, 4)]
    return {"run": run, "hashes": [one for one, _ in steps], "figures": [two for _, two in steps]}


def test_a_stage_begins_without_moments_and_at_no_distance_from_its_reference(undisturbed):
    figures = undisturbed["figures"]
    # The warm-up of three steps comes again with each stage.
    assert [one["lr"][0] for one in figures] == pytest.approx([1e-2 / 3, 2e-2 / 3] * 2)
    distances = [one["kl"]["ref"] for one in figures]
    assert distances[0] == pytest.approx(0, abs=1e-6)
    assert distances[2] == pytest.approx(0, abs=1e-6)
    assert distances[1] > 1e-6 and distances[3] > 1e-6
    kept = json.loads((undisturbed["run"].place(4) / "trainer.json").read_text())
    assert kept["stage"]["folder"] == "../step-2"
    assert (kept["stage"]["version"], kept["optimizerSteps"]) == (2, 2)


def test_it_is_the_training_that_begins_at_its_checkpoint(undisturbed, trainer, tmp_path):
    """The second stage, as a run of its own whose model is the checkpoint it began from."""
    run = undisturbed["run"]
    if run.train["mode"] == "lora":
        pytest.skip("an adapter's checkpoint is no base of another adapter")
    alone = Run(tmp_path, run.place(2), run.train, reference="copy")
    alone.begin(trainer)
    hashes = []
    for step in (3, 4):
        rollouts = trainer.generate(f"s{step}/w", prompts(4), maxNewTokens=10)
        trainer.update(f"s{step}/update", step - 3, rollouts, loss=KL)
        hashes.append(trainer.weights(tmp_path / f"step-{step}"))
    assert hashes == undisturbed["hashes"][2:]


def test_another_start_gives_other_weights(undisturbed, trainer, tmp_path):
    """Moments and reference both count: carried over, the third step ends elsewhere."""
    run = undisturbed["run"]
    shutil.copytree(run.folder, tmp_path / "run")
    other = Run(tmp_path / "run", run.model, run.train)
    trainer.hello(tmp_path / "files")
    other.load(trainer, 2)
    assert other.step(trainer, 3)[0] != undisturbed["hashes"][2]


def test_a_restart_in_the_middle_of_a_stage_changes_nothing(undisturbed, trainer, tmp_path):
    run = undisturbed["run"]
    shutil.copytree(run.folder, tmp_path / "run")  # a run may be moved whole
    moved = Run(tmp_path / "run", run.model, run.train)
    shutil.rmtree(moved.place(4))
    trainer.hello(tmp_path / "files")
    assert moved.load(trainer, 3)["version"] == 3
    assert moved.step(trainer, 4)[0] == undisturbed["hashes"][3]


def test_the_first_update_of_a_stage_is_repeated_to_the_bit(undisturbed, trainer, tmp_path):
    """The journal begins the stage again: from the checkpoint of the stage before."""
    run = undisturbed["run"]
    shutil.copytree(run.folder, tmp_path / "run")
    moved = Run(tmp_path / "run", run.model, run.train)
    trainer.hello(tmp_path / "files")
    moved.load(trainer, 2)
    figures = moved.update(trainer, 3, begins=True)
    trainer.hello(tmp_path / "files")  # forgets all that was loaded, as a new process would
    loaded = moved.load(trainer, 2)
    assert (loaded["version"], loaded["replayed"]) == (3, ["s3/update"])
    assert moved.update(trainer, 3, begins=True) == figures  # asked again, applied once
    assert trainer.weights(tmp_path / "end") == undisturbed["hashes"][2]
    trainer.call("rollouts", op="drop", opKeyPrefix="s3/")
    again = moved.load(trainer, 2, replay=False)
    assert (again["version"], again["replayed"]) == (2, [])


def test_carried_over_a_stage_is_no_stage(undisturbed, trainer, tmp_path):
    """Without `beginsFrom` optimizer and reference last: the reference is the model throughout."""
    run = Run(tmp_path, undisturbed["run"].model, undisturbed["run"].train)
    run.begin(trainer)
    figures = [run.step(trainer, step)[1] for step in (1, 2, 3)]
    assert [one["lr"][0] for one in figures] == pytest.approx([1e-2 / 3, 2e-2 / 3, 1e-2])
    assert figures[2]["kl"]["ref"] > figures[1]["kl"]["ref"] > 1e-6
    assert "stage" not in json.loads((run.place(3) / "trainer.json").read_text())


@pytest.fixture(scope="module")
def full(trainer, models, tmp_path_factory):
    """A step and the first of a stage after it."""
    run = Run(tmp_path_factory.mktemp("full"), models("qwen2-gqa"), FULL)
    run.begin(trainer)
    run.step(trainer, 1)
    run.step(trainer, 2, begins=True)
    return run


def test_a_trainer_that_is_killed_in_a_stage_gives_the_same_weights(full, trainer, fork, tmp_path):
    shutil.copytree(full.folder, tmp_path / "run")
    moved = Run(tmp_path / "run", full.model, FULL)
    process = fork()
    process.hello(tmp_path / "files")
    moved.load(process, 1)
    moved.update(process, 2, begins=True)
    moved.update(process, 3)
    process.process.send_signal(signal.SIGKILL)
    process.process.wait()

    trainer.hello(tmp_path / "files")
    assert moved.load(trainer, 1)["replayed"] == ["s2/update", "s3/update"]
    killed = trainer.weights(tmp_path / "killed")
    trainer.hello(tmp_path / "others")
    moved.load(trainer, 2)
    assert moved.step(trainer, 3)[0] == killed


def test_a_stage_begins_only_from_the_weights_that_are_there(full, trainer, tmp_path):
    trainer.hello(tmp_path / "files")
    full.load(trainer, 1)
    rollouts = trainer.generate("s2/w", prompts(2), maxNewTokens=4)
    asked = {"opId": "x", "expectVersion": 1, "loss": KL, "batch": {}}
    items = [{"rolloutId": rollouts[0]["rolloutId"], "advantage": 1.0}]
    refused = trainer.fails("update", **asked, items=items, beginsFrom=str(full.place(0)))
    assert "is at version 0: the policy is at version 1" in refused.message
    refused = trainer.fails("update", **asked, items=items, beginsFrom=str(tmp_path))
    assert "is not a checkpoint: it has no trainer.json" in refused.message
    assert full.load(trainer, 1, replay=False)["version"] == 1


def test_a_stage_without_its_start_is_refused(full, trainer, tmp_path):
    shutil.copytree(full.folder, tmp_path / "run")
    moved = Run(tmp_path / "run", full.model, FULL)
    trainer.hello(tmp_path / "files")
    shutil.rmtree(moved.place(1))
    with pytest.raises(CallFailed, match=r"began from .*step-1, which its KL term is measured"):
        moved.load(trainer, 2)
    shutil.copytree(full.place(2), moved.place(1))
    with pytest.raises(CallFailed, match="did not begin from that in"):
        moved.load(trainer, 2)


def test_the_first_checkpoint_of_a_stage_has_moments_of_its_own(full, trainer, tmp_path):
    shutil.copytree(full.folder, tmp_path / "run")
    run = Run(tmp_path / "run", full.model, FULL)
    trainer.hello(tmp_path / "files")
    run.load(trainer, 1)
    run.update(trainer, 2, begins=True)
    parts = {"include": ["weights", "updates", "rng"], "momentsIn": str(run.place(1))}
    refused = trainer.fails("save", dir=str(tmp_path / "none"), **parts)
    assert "A stage began after version 1" in refused.message
    trainer.weights(run.place(2))
    # Later ones of the stage may go on from it, and from its reference.
    end, _ = run.step(trainer, 3)
    run.load(trainer, 2, replay=False)
    run.update(trainer, 3)
    parts["momentsIn"] = str(run.place(2))
    trainer.call("save", dir=str(run.place(3)), **parts)
    trainer.hello(tmp_path / "others")
    assert run.load(trainer, 3)["weightsSha256"] == end
    assert trainer.weights(tmp_path / "again") == end


def test_without_a_kl_term_only_the_optimizer_begins_anew(trainer, models, tmp_path):
    run = Run(tmp_path, models("qwen2-gqa"), FULL, reference="none")
    run.begin(trainer)
    for step, begins in ((1, False), (2, True)):
        rollouts = trainer.generate(f"s{step}/w", prompts(2), maxNewTokens=6)
        begun = {"beginsFrom": str(run.place(step - 1))} if begins else {}
        figures = trainer.update(f"s{step}/update", step - 1, rollouts, **begun)
        trainer.weights(run.place(step))
    assert figures["lr"] == pytest.approx([1e-2 / 3])
    assert "stage" not in json.loads((run.place(2) / "trainer.json").read_text())


@pytest.mark.parametrize("kind", ["full", "lora"])
def test_the_plan_counts_what_a_stage_keeps(trainer, models, tmp_path, kind):
    trainer.hello(tmp_path)
    asked = {"model": {"path": str(models("qwen2-gqa"))}, "train": METHODS[kind], "rollout": {}}
    uses = {
        reference: trainer.call("plan", **asked, reference=reference)["phases"]["update"]
        for reference in ("none", "copy", "stage")
    }
    loaded = trainer.load(models("qwen2-gqa"), train=METHODS[kind], reference="stage")
    trained = 4 * loaded["trainable"]
    assert "reference" not in uses["none"]
    assert uses["copy"].get("reference", 0) == (trained if kind == "full" else 0)
    assert uses["stage"]["reference"] == trained
