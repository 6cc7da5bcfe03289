"""Adapters of several roles on one frozen base: each evolves as it would on a base of its own."""

from __future__ import annotations

import gc
import hashlib
import json
import shutil
import signal
import weakref
from dataclasses import replace

import pytest

from anchor_trainer.errors import TrainerError
from anchor_trainer.params import Params
from anchor_trainer.policy import load_policy
from anchor_trainer.training.spec import parse_train
from live_bytes import LiveBytes
from load_specs import load_spec
from tiny_models import build_model
from trainer_process import LOSS, TrainerProcess, prompts

ROLES = ("challenger", "solver")
LORA = {
    "mode": "lora",
    "precision": "master32",
    "packTokens": 128,
    "lora": {"rank": 4, "alpha": 8, "targets": "all-linear"},
    "optim": {"kind": "adamw", "lr": 1e-2, "betas": [0.9, 0.99], "warmupSteps": 3},
}
# A run's roles differ in their mini-batches; here in all that a set has for itself.
METHODS = {
    "alike": (LORA, LORA),
    "unlike": (
        {**LORA, "gradCheckpoint": True},
        {**LORA, "lora": {"rank": 2, "alpha": 8, "targets": "attention"}},
    ),
    "bf16": ({**LORA, "precision": "bf16"}, {**LORA, "precision": "bf16", "gradCheckpoint": True}),
}
KL = {**LOSS, "kl": {"coef": 0.5, "estimator": "k3"}}
# Which role is trained in which step, and whether a stage begins with it.
STEPS = [(0, True), (1, True), (0, True), (0, False), (1, True), (1, False)]


class Run:
    """A run of two roles as the engine keeps one: the model is checkpoint 0 of both."""

    def __init__(self, folder, trains, **asked):
        self.folder, self.trains = folder, dict(zip(ROLES, trains, strict=True))
        self.asked = asked  # of every load
        self.at = dict.fromkeys(ROLES, (0, 0))  # version, and the step whose checkpoint has it

    def place(self, step):
        return self.folder / f"step-{step}"

    def begin(self, trainer, model, files="files"):
        trainer.hello(self.folder / files)
        trainer.load(model, train=self.trains[ROLES[0]], policy=ROLES[0])
        trainer.call("save", policy=ROLES[0], dir=str(self.place(0)))

    def load(self, trainer, role, **resume):
        return trainer.load(
            self.place(0),
            **self.asked,
            train=self.trains[role],
            policy=role,
            reference="stage",
            seed=7,
            resume={"dir": str(self.place(self.at[role][1])), **resume},
        )

    def step(self, trainer, number):
        """Texts of both roles, figures of an update, and the hash and bytes of what it saves."""
        at, begins = STEPS[number - 1]
        role, other = ROLES[at], ROLES[1 - at]
        drawn = self.draw(trainer, role, number)
        # The role that is not trained answers with the weights that it has, as a solver votes.
        votes = self.draw(trainer, other, number)
        figures = self.update(trainer, role, number, drawn, begins)
        saved = self.place(number)
        told = trainer.call("save", policy=role, dir=str(saved))["weightsSha256"]
        self.at[role] = (self.at[role][0] + 1, number)
        return {
            role: texts(drawn),
            other: texts(votes),
            "figures": figures,
            "hash": told,
            "bytes": [hashlib.sha256(one.read_bytes()).hexdigest() for one in written_in(saved)],
        }

    def draw(self, trainer, role, number):
        sampling = {"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": 12}
        asked = trainer.send(
            "generate", policy=role, opKey=f"s{number}/w", items=prompts(5), sampling=sampling
        )
        trainer.answer(asked)
        return sorted(trainer.rollouts_of(asked), key=lambda one: one["rolloutId"])

    def update(self, trainer, role, number, rollouts, begins):
        version, step = self.at[role]
        begun = {"beginsFrom": str(self.place(step))} if begins else {}
        told = trainer.update(f"s{number}/update", version, rollouts, loss=KL, policy=role, **begun)
        return {key: value for key, value in told.items() if key not in ("wallMs", "tokPerSec")}


def written_in(saved):
    """Weights, or an adapter, and moments."""
    return sorted(saved.glob("*.safetensors"))


def texts(rollouts):
    return {one["rolloutId"]: (one["text"], one["logpSum"]) for one in rollouts}


class Apart:
    """A process for each role, so that each has a base of its own."""

    def __init__(self, processes):
        self.processes = processes
        self.asked = {}

    def send(self, method, **params):
        process = self.processes[params["policy"]]
        number = process.send(method, **params)
        self.asked[number] = process
        self.last = process
        return number

    def answer(self, number):
        return self.asked[number].answer(number)

    def rollouts_of(self, number):
        return self.asked[number].rollouts_of(number)

    def call(self, method, **params):
        return self.processes[params["policy"]].call(method, **params)

    def update(self, *args, **params):
        return self.processes[params["policy"]].update(*args, **params)


@pytest.fixture(
    scope="module",
    params=["alike", "unlike", pytest.param("bf16", marks=pytest.mark.full)],
)
def apart(request, models, tmp_path_factory):
    """What each role does on a base of its own, step by step; its checkpoints stay."""
    run = Run(tmp_path_factory.mktemp(request.param), METHODS[request.param])
    processes = {role: TrainerProcess.forked() for role in ROLES}
    run.begin(processes[ROLES[0]], models("qwen2-gqa"))
    for role, process in processes.items():
        process.hello(run.folder / f"files-{role}")
        run.load(process, role)
    both = Apart(processes)
    steps = [run.step(both, number) for number in range(1, len(STEPS) + 1)]
    for process in processes.values():
        assert process.close() == 0, process.stderr
    return {"run": run, "steps": steps}


@pytest.fixture(scope="module")
def trainer():
    process = TrainerProcess.forked()
    yield process
    process.close()


def test_roles_on_one_base_give_what_they_give_on_two(apart, trainer, models, tmp_path):
    run = Run(tmp_path, apart["run"].trains.values())
    run.begin(trainer, models("qwen2-gqa"))
    for role in ROLES:
        run.load(trainer, role)
    for number, expected in enumerate(apart["steps"], 1):
        assert run.step(trainer, number) == expected


def test_roles_that_sample_at_the_same_time_draw_what_they_draw_alone(apart, trainer, tmp_path):
    run = apart["run"]
    trainer.hello(tmp_path)
    for role in ROLES:
        run.load(trainer, role)
    drawn = {role: texts(run.draw(trainer, role, 90)) for role in ROLES}
    sampling = {"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": 12}
    asked = {
        role: trainer.send(
            "generate", policy=role, opKey="s91/w", items=prompts(5), sampling=sampling
        )
        for role in ROLES
    }
    for role, request in asked.items():
        trainer.answer(request)
        told = {
            one["rolloutId"][4:]: (one["text"], one["logpSum"])
            for one in trainer.rollouts_of(request)
        }
        assert told == {key[4:]: value for key, value in drawn[role].items()}


def test_a_kill_between_their_updates_replays_both(apart, trainer, fork, tmp_path):
    """Killed after the updates of steps 5 and 6, of which no checkpoint was committed."""
    shutil.copytree(apart["run"].folder, tmp_path / "run")
    run = Run(tmp_path / "run", apart["run"].trains.values())
    run.at = {ROLES[0]: (2, 3), ROLES[1]: (1, 2)}
    killed = fork()
    killed.hello(tmp_path / "files")
    for role in ROLES:
        assert run.load(killed, role)["version"] == run.at[role][0]
    for role, number, begins in ((ROLES[0], 4, False), (ROLES[1], 5, True)):
        run.update(killed, role, number, run.draw(killed, role, number), begins)
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait()

    trainer.hello(tmp_path / "files")
    for role, number in ((ROLES[0], 4), (ROLES[1], 5)):
        loaded = run.load(trainer, role)
        assert loaded["replayed"] == [f"s{number}/update"]
        assert loaded["weightsSha256"] == apart["steps"][number - 1]["hash"]
    run.at = {ROLES[0]: (3, 4), ROLES[1]: (2, 5)}
    assert run.step(trainer, 6) == apart["steps"][5]


@pytest.fixture
def load(models):
    def load(beside=(), **more):
        return load_policy(replace(load_spec(models("qwen2-gqa"), LORA), **more), beside)

    return load


def test_a_second_role_takes_the_memory_of_its_adapter_only(load):
    first = load()
    with LiveBytes() as measured:
        second = load([first], name="other")
    assert second.adapter.base is first.adapter.base
    own = second.held_bytes()
    assert own == second.adapter.adapter_bytes() + second.optimizer.byte_count()
    assert own < first.weights.byte_count() / 2
    # PEFT draws each matrix where it comes to be, so what is made is what is kept and a few views.
    assert measured.peak < 1.1 * own + 64 * 320


def test_what_a_role_held_is_free_when_it_goes_and_the_other_stays_as_it_is(load):
    first = load()
    second = load([first], name="other")
    before = second.weights.sha256()
    base, adapter = weakref.ref(first.adapter.base), weakref.ref(first.adapter)
    gone = [weakref.ref(one) for one in first.adapter.adapter.values()]
    first.close()
    del first
    gc.collect()
    assert adapter() is None and not any(one() for one in gone)
    assert second.weights.sha256() == before and base() is second.adapter.base
    third = load([second], name="policy")
    assert third.adapter.base is base()
    second.close()
    third.close()
    del second, third
    gc.collect()
    assert base() is None


@pytest.mark.parametrize("fault", ["another shape", "another hash"])
def test_a_role_that_cannot_be_loaded_leaves_nothing_on_the_base(apart, load, tmp_path, fault):
    run = Run(tmp_path / "run", apart["run"].trains.values())
    shutil.copytree(apart["run"].folder, run.folder)
    train = run.trains[ROLES[0]]
    first = load(model=run.place(0), train=parse_train(Params(train)))

    def adapters():
        return sum("lora_" in name for name, _ in first.adapter.base.module.named_parameters())

    before = adapters()
    told = run.place(1) / "trainer.json"
    if fault == "another shape":
        train = {**train, "lora": {"rank": 3, "alpha": 8}}
    else:
        kept = json.loads(told.read_text())
        told.write_text(json.dumps({**kept, "weightsSha256": "0" * 64}))
    asked = {"model": run.place(0), "resume": run.place(1), "train": parse_train(Params(train))}
    with pytest.raises(TrainerError, match=r"not what train\.lora asks for|is not what it was"):
        load([first], name="other", **asked)
    assert adapters() == before > 0


@pytest.mark.parametrize("change", ["written anew", "precision", "another folder"])
def test_a_base_that_is_another_is_loaded_beside_the_first(load, tmp_path, change):
    first = load(model=build_model(tmp_path / "model"))
    asked = {"model": tmp_path / "model"}
    if change == "written anew":
        build_model(tmp_path / "model", seed=5)
    elif change == "precision":
        asked["train"] = parse_train(Params({**LORA, "precision": "bf16"}))
    else:
        asked["model"] = build_model(tmp_path / "other")
    second = load([first], name="other", **asked)
    assert second.adapter.base is not first.adapter.base
    same = first.weights.sha256() == second.weights.sha256()
    assert same == (change == "another folder")
