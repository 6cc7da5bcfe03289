"""Several weight sets in one process: each evolves as it would alone, and has files of its own."""

from __future__ import annotations

import signal

import pytest

from trainer_process import LOSS, TrainerProcess, prompts

FIRST, SECOND = "challenger", "solver"
# Different in everything that a set has for itself.
OF_KIND = {FIRST: "qwen2-gqa", SECOND: "llama"}
LOADED = {
    FIRST: {"seed": 7},
    SECOND: {
        "seed": 11,
        "reference": "copy",
        "rollout": {"maxSeqTokens": 120, "maxConcurrent": 4},
        "train": {
            "mode": "full",
            "packTokens": 96,
            "optim": {"kind": "adamw", "lr": 3e-3, "warmupSteps": 3},
        },
    },
}
KL = {**LOSS, "kl": {"coef": 0.1, "estimator": "k3"}}
STEPS = 3


def load(trainer, models, name, policy=None, **more):
    return trainer.load(models(OF_KIND[name]), **LOADED[name], policy=policy or name, **more)


def generate(trainer, policy, op_key, count=6):
    """The request's number; its rollouts may be read when it is answered."""
    sampling = {"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": 24}
    items = prompts(count)
    return trainer.send("generate", policy=policy, opKey=op_key, items=items, sampling=sampling)


def texts(rollouts):
    return {one["rolloutId"]: (one["text"], one["logpSum"]) for one in rollouts}


def update(trainer, name, policy, number, rollouts):
    loss = KL if name == SECOND else LOSS
    # The order of arrival is not the order of the items.
    ordered = sorted(rollouts, key=lambda one: one["rolloutId"])
    return trainer.update(f"s{number}/update", number, ordered, loss=loss, policy=policy)


def numbers(result):
    """What an update computed, without how long it took."""
    return {key: value for key, value in result.items() if key not in ("wallMs", "tokPerSec")}


def save(trainer, policy, folder):
    return trainer.call("save", policy=policy, dir=str(folder))["weightsSha256"]


def step(trainer, name, policy, number):
    request = generate(trainer, policy, f"s{number}/w1")
    trainer.answer(request)
    rollouts = trainer.rollouts_of(request)
    return texts(rollouts), numbers(update(trainer, name, policy, number, rollouts))


@pytest.fixture(scope="module")
def process():
    trainer = TrainerProcess()
    yield trainer
    trainer.close()


@pytest.fixture(scope="module")
def alone(models, tmp_path_factory):
    """What each set does in a process of its own, under the usual name: per step, in order."""
    told = {}
    for name in (FIRST, SECOND):
        folder = tmp_path_factory.mktemp(name)
        trainer = TrainerProcess.forked()
        trainer.hello(folder)
        hashes = [load(trainer, models, name, policy="policy")["weightsSha256"]]
        steps = []
        for number in range(STEPS):
            steps.append(step(trainer, name, "policy", number))
            hashes.append(save(trainer, "policy", folder / f"at-{number + 1}"))
        told[name] = {"steps": steps, "hashes": hashes}
        assert trainer.close() == 0, trainer.stderr
    return told


def test_two_sets_in_one_process_each_evolve_as_alone(alone, process, models, tmp_path):
    process.hello(tmp_path)
    for name in (FIRST, SECOND):
        assert load(process, models, name)["weightsSha256"] == alone[name]["hashes"][0]
    for number in range(STEPS):
        # Both sample at the same time, in batches of their own.
        requests = {name: generate(process, name, f"s{number}/w1") for name in (FIRST, SECOND)}
        for name, request in requests.items():
            process.answer(request)
            rollouts = process.rollouts_of(request)
            expected, figures = alone[name]["steps"][number]
            assert texts(rollouts) == expected
            assert numbers(update(process, name, name, number, rollouts)) == figures
            reached = save(process, name, tmp_path / f"{name}-{number + 1}")
            assert reached == alone[name]["hashes"][number + 1]


def test_an_update_of_one_set_leaves_the_other_as_it_is(alone, process, models, tmp_path):
    process.hello(tmp_path)
    for name in (FIRST, SECOND):
        load(process, models, name)
    step(process, FIRST, FIRST, 0)
    step(process, FIRST, FIRST, 1)
    assert save(process, FIRST, tmp_path / FIRST) == alone[FIRST]["hashes"][2]
    assert save(process, SECOND, tmp_path / SECOND) == alone[SECOND]["hashes"][0]
    versions = {one["id"]: one["version"] for one in process.call("stats")["policies"]}
    assert versions == {FIRST: 2, SECOND: 0}


def test_a_kill_between_their_updates_replays_both(alone, process, models, start, tmp_path):
    trainer = start()
    trainer.hello(tmp_path)
    for name in (FIRST, SECOND):
        load(trainer, models, name)
        step(trainer, name, name, 0)
        save(trainer, name, tmp_path / f"{name}-1")
    step(trainer, FIRST, FIRST, 1)
    step(trainer, SECOND, SECOND, 1)
    step(trainer, FIRST, FIRST, 2)
    trainer.process.send_signal(signal.SIGKILL)
    trainer.process.wait()

    process.hello(tmp_path)
    for name, reached in ((FIRST, 3), (SECOND, 2)):
        loaded = load(process, models, name, resume={"dir": str(tmp_path / f"{name}-1")})
        assert loaded["replayed"] == [f"s{number}/update" for number in range(1, reached)]
        assert loaded["replayStopped"] is None
        assert loaded["version"] == reached
        assert loaded["weightsSha256"] == alone[name]["hashes"][reached]
    step(process, SECOND, SECOND, 2)
    assert save(process, SECOND, tmp_path / "end") == alone[SECOND]["hashes"][3]


def test_the_usual_name_keeps_the_files_of_older_runs(process, models, tmp_path):
    process.hello(tmp_path)
    load(process, models, FIRST, policy="policy")
    load(process, models, SECOND)
    step(process, FIRST, "policy", 0)
    step(process, SECOND, SECOND, 0)
    journals = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    assert journals == ["journal-solver.jsonl", "journal.jsonl"]
    spooled = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.safetensors"))
    assert spooled == ["spool/s0-w1.safetensors", "spool/set-solver/s0-w1.safetensors"]


def test_kept_rollouts_belong_to_the_set_that_drew_them(process, models, tmp_path):
    process.hello(tmp_path)
    for name in (FIRST, SECOND):
        load(process, models, name)
    step(process, FIRST, FIRST, 0)
    assert process.call("rollouts", policy=SECOND, op="list") == {"ids": []}
    assert process.call("rollouts", policy=SECOND, op="drop", opKeyPrefix="s0") == {"dropped": 0}
    assert len(process.call("rollouts", policy=FIRST, op="list")["ids"]) == 6
    item = {"rolloutId": "s0/k0/0"}
    unknown = process.fails("logprobs", policy=SECOND, items=[item])
    assert unknown.kind == "unknownRollout"


def test_loading_a_name_again_replaces_that_set_only(alone, process, models, tmp_path):
    process.hello(tmp_path)
    for name in (FIRST, SECOND):
        load(process, models, name)
        step(process, name, name, 0)
        save(process, name, tmp_path / name)
    resume = {"dir": str(tmp_path / FIRST), "replay": False}
    load(process, models, FIRST, resume=resume)
    step(process, SECOND, SECOND, 1)
    assert save(process, FIRST, tmp_path / "a") == alone[FIRST]["hashes"][1]
    assert save(process, SECOND, tmp_path / "b") == alone[SECOND]["hashes"][2]


def test_an_unloaded_set_goes_on_from_its_own_files(alone, process, models, tmp_path):
    process.hello(tmp_path)
    for name in (FIRST, SECOND):
        load(process, models, name)
        save(process, name, tmp_path / name)
        step(process, name, name, 0)
    assert process.call("unload", policy=SECOND) == {"unloaded": True}
    assert process.call("unload", policy=SECOND) == {"unloaded": False}
    error = process.fails("save", policy=SECOND, dir=str(tmp_path / "no"))
    assert error.kind == "notLoaded" and repr(SECOND) in error.message
    assert [one["id"] for one in process.call("stats")["policies"]] == [FIRST]
    step(process, FIRST, FIRST, 1)
    loaded = load(process, models, SECOND, resume={"dir": str(tmp_path / SECOND)})
    assert loaded["replayed"] == ["s0/update"]
    assert loaded["weightsSha256"] == alone[SECOND]["hashes"][1]


def test_a_plan_counts_the_sets_that_stay_loaded(process, models, tmp_path):
    process.hello(tmp_path)
    loaded = load(process, models, FIRST)
    request = {
        "model": {"path": str(models(OF_KIND[SECOND]))},
        "device": "cpu",
        "train": LOADED[SECOND]["train"],
        "rollout": LOADED[SECOND]["rollout"],
    }
    replacing = process.call("plan", policy=FIRST, **request)
    beside = process.call("plan", policy=SECOND, **request)
    assert "resident" not in replacing["phases"]["load"]
    resident = beside["phases"]["load"]["resident"]
    # What the first keeps between requests; what it works with it has given back by then.
    assert resident == loaded["bytes"]
    more = beside["neededBytes"] - replacing["neededBytes"]
    assert more >= resident
    assert {"change": f"unload: {FIRST}", "saves": more} in beside["suggestions"]


def test_one_set_may_compute_with_other_threads_than_the_next(alone, process, models, tmp_path):
    process.hello(tmp_path)
    load(process, models, FIRST)
    load(process, models, SECOND, threads=2)
    expected, figures = alone[FIRST]["steps"][0]
    assert step(process, FIRST, FIRST, 0) == (expected, figures)


@pytest.mark.parametrize("name", ["Solver", "../solver", "", "1st", "a" * 41, 3])
def test_a_name_that_could_not_name_files_is_refused(process, models, tmp_path, name):
    process.hello(tmp_path)
    error = process.fails("unload", policy=name)
    assert error.kind == "badRequest"
    assert error.data["detail"] == {"field": "params.policy"}
