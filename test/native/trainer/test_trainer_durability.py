"""Crashes, repeats and full disks: what was acknowledged is kept, and nothing is done twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time

import pytest

from anchor_trainer.errors import TrainerError
from anchor_trainer.methods import METHODS, replay
from anchor_trainer.methods.update import apply_request
from anchor_trainer.params import Params
from anchor_trainer.protocol import Writer
from anchor_trainer.session import RunFolders, Session
from anchor_trainer.storage.journal import Journal, JournalEntry
from trainer_process import LOSS, CallFailed, TrainerProcess, prompts


def step(trainer, number, items=6):
    """One evolve step in miniature: generate under a key of the step, then update."""
    rollouts = trainer.generate(f"s{number}/w1", prompts(items))
    return trainer.update(f"s{number}/update", number, rollouts)


@pytest.fixture(scope="module")
def reused():
    """One process for every test that does not kill it: `hello` opens another run each time."""
    trainer = TrainerProcess()
    yield trainer
    trainer.close()


@pytest.fixture(scope="module")
def undisturbed(reused, models, tmp_path_factory):
    """Weights hash after 0..4 steps without interruption, and a checkpoint after each."""
    folder = tmp_path_factory.mktemp("undisturbed")
    reused.hello(folder)
    hashes = [reused.load(models("qwen2-gqa"))["weightsSha256"]]
    for number in range(4):
        step(reused, number)
        hashes.append(reused.weights(folder / f"at-{number + 1}"))
    return {"hashes": hashes, "folder": folder}


def test_updates_move_the_weights_and_checkpoints_record_them(undisturbed):
    assert len(set(undisturbed["hashes"])) == 5
    manifest = json.loads((undisturbed["folder"] / "at-2" / "trainer.json").read_text())
    assert manifest["version"] == 2
    assert manifest["weightsSha256"] == undisturbed["hashes"][2]


def test_resume_equals_uninterrupted_bit_for_bit(undisturbed, reused, models, tmp_path):
    trainer = reused
    trainer.hello(tmp_path)
    loaded = trainer.load(models("qwen2-gqa"), resume={"dir": str(undisturbed["folder"] / "at-2")})
    assert (loaded["version"], loaded["weightsSha256"]) == (2, undisturbed["hashes"][2])
    step(trainer, 2)
    step(trainer, 3)
    assert trainer.weights(tmp_path / "end") == undisturbed["hashes"][4]


def test_replay_after_a_kill_equals_the_undisturbed_run(
    undisturbed, reused, models, start, tmp_path
):
    trainer = start()
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    step(trainer, 0)
    trainer.weights(tmp_path / "checkpoint")
    first = step(trainer, 1)
    second = step(trainer, 2)
    trainer.process.send_signal(signal.SIGKILL)
    trainer.process.wait()

    again = reused
    again.hello(tmp_path)
    loaded = again.load(models("qwen2-gqa"), resume={"dir": str(tmp_path / "checkpoint")})
    assert loaded["replayed"] == ["s1/update", "s2/update"]
    assert loaded["replayStopped"] is None
    assert (loaded["version"], loaded["weightsSha256"]) == (3, undisturbed["hashes"][3])
    # The engine does not know whether its request arrived, so it asks again.
    assert again.update("s2/update", 2, [{"rolloutId": "x"}]) == second
    assert again.update("s1/update", 1, [{"rolloutId": "x"}]) == first
    step(again, 3)
    assert again.weights(tmp_path / "end") == undisturbed["hashes"][4]


def test_a_checkpoint_without_moments_is_resumed_by_repeating_its_updates(
    undisturbed, reused, models, tmp_path
):
    trainer, origin = reused, tmp_path / "at-0"
    trainer.hello(tmp_path / "first")
    trainer.load(models("qwen2-gqa"))
    trainer.weights(origin)

    def step_and_save(number):
        step(trainer, number)
        place = tmp_path / f"at-{number + 1}"
        parts = ["weights", "updates", "rng"]
        saved = trainer.call("save", dir=str(place), include=parts, momentsIn=str(origin))
        trainer.call("rollouts", op="drop", opKeyPrefix=f"s{number}")
        names = {one["path"].rpartition("/")[2] for one in saved["files"]}
        assert "updates.safetensors" in names and "optimizer.safetensors" not in names
        return saved["weightsSha256"]

    assert [step_and_save(0), step_and_save(1)] == undisturbed["hashes"][1:3]
    # A run of its own, with neither journal nor spool: the checkpoint is all there is of it.
    trainer.hello(tmp_path / "second")
    loaded = trainer.load(models("qwen2-gqa"), resume={"dir": str(tmp_path / "at-2")})
    assert (loaded["version"], loaded["weightsSha256"]) == (2, undisturbed["hashes"][2])
    assert step_and_save(2) == undisturbed["hashes"][3]
    # After a loss the checkpoint's updates come first, then those of the journal.
    step(trainer, 3)
    trainer.hello(tmp_path / "second")
    loaded = trainer.load(models("qwen2-gqa"), resume={"dir": str(tmp_path / "at-3")})
    assert loaded["replayed"] == ["s3/update"]
    assert trainer.weights(tmp_path / "end") == undisturbed["hashes"][4]

    parts = ["weights", "updates"]
    with pytest.raises(CallFailed, match="what led to it from version 0"):
        trainer.call("save", dir=str(tmp_path / "x"), include=parts, momentsIn=str(origin))
    resume = {"dir": str(tmp_path / "at-3")}
    answers = {"train": {"mode": "none"}, "resume": {**resume, "replay": False}}
    answering = trainer.load(models("qwen2-gqa"), **answers)
    assert answering["weightsSha256"] == undisturbed["hashes"][3]
    # Of the last checkpoint its updates alone lead from the model to every version before it.
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(tmp_path / "at-3" / "updates.safetensors", bare)
    trainer.hello(tmp_path / "third")
    trainer.load(models("qwen2-gqa"))
    trainer.weights(tmp_path / "third-0")
    repeated = []
    for version in (1, 3):
        repeated += trainer.call("repeat", dir=str(bare), version=version)["repeated"]
        place = {"dir": str(tmp_path / f"third-{version}"), "momentsIn": str(tmp_path / "third-0")}
        saved = trainer.call("save", include=parts, **place)
        assert saved["weightsSha256"] == undisturbed["hashes"][version]
    assert repeated == ["s0/update", "s1/update", "s2/update"]
    with pytest.raises(CallFailed, match="do not lead from version 3 to 4"):
        trainer.call("repeat", dir=str(bare), version=4)
    origin.rename(tmp_path / "elsewhere")
    with pytest.raises(CallFailed, match=r"goes on from those of .*, which is not there\."):
        trainer.load(models("qwen2-gqa"), resume=resume)
    (undisturbed["folder"] / "at-1").rename(origin)
    with pytest.raises(CallFailed, match="was not trained from that in"):
        trainer.load(models("qwen2-gqa"), resume=resume)
    origin.rename(undisturbed["folder"] / "at-1")


def test_where_digits_may_differ_saved_weights_take_the_place_of_repeated_ones(
    models, tmp_path, monkeypatch
):
    session = Session(Writer(os.open(os.devnull, os.O_WRONLY)))
    session.open_run(RunFolders(tmp_path / "run", tmp_path / "spool"))
    (tmp_path / "run").mkdir()

    def ask(method, **params):
        answer = METHODS[method].handler(session, Params(params), 1)
        return answer() if callable(answer) else answer

    def load(**more):
        model, rollout = {"path": str(models("one-layer"))}, {"maxConcurrent": 4}
        return ask("load", model=model, train={"mode": "full"}, rollout=rollout, seed=0, **more)

    load()
    ask("save", dir=str(tmp_path / "at-0"))
    ask("generate", opKey="g", items=prompts(3), sampling={"maxNewTokens": 4})
    chosen = session.sets["policy"]
    while chosen.policy.sampler.busy:
        chosen.policy.sampler.step()
    items = [{"rolloutId": one, "advantage": 1.0} for one in chosen.store.ids()]
    ask("update", opId="u", expectVersion=0, items=items, loss=LOSS)
    place = str(tmp_path / "at-1")
    parts = {"include": ["weights", "updates"], "momentsIn": str(tmp_path / "at-0")}
    saved = ask("save", dir=place, **parts)

    def differently(policy, *others):
        result = apply_request(policy, *others)
        next(iter(policy.weights.master.values())).add_(1e-6)
        return result

    monkeypatch.setattr(replay, "apply_request", differently)
    resume = {"dir": place, "replay": False}
    with pytest.raises(TrainerError, match="gave other weights than it holds"):
        load(resume=resume)
    monkeypatch.setattr(replay, "_is_exact", lambda policy: False)
    assert load(resume=resume)["weightsSha256"] == saved["weightsSha256"]


@pytest.mark.parametrize("delay_s", [0.0, pytest.param(0.02, marks=pytest.mark.full)])
def test_a_kill_while_an_update_is_under_way_loses_and_doubles_nothing(
    undisturbed, reused, models, start, tmp_path, delay_s
):
    trainer = start()
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    trainer.weights(tmp_path / "checkpoint")
    items = [
        {"rolloutId": one["rolloutId"], "advantage": 1.0 if at % 2 else -0.5}
        for at, one in enumerate(trainer.generate("s0/w1", prompts(6)))
    ]
    request = {"opId": "s0/update", "expectVersion": 0, "items": items, "loss": LOSS}
    trainer.send("update", **request)
    time.sleep(delay_s)
    trainer.process.send_signal(signal.SIGKILL)
    trainer.process.wait()

    reused.hello(tmp_path)
    reused.load(models("qwen2-gqa"), resume={"dir": str(tmp_path / "checkpoint")})
    reused.call("rollouts", op="restore")
    assert reused.call("update", **request)["version"] == 1
    assert reused.weights(tmp_path / "end") == undisturbed["hashes"][1]


def test_updates_that_come_out_otherwise_are_applied_and_named(reused, models, tmp_path):
    trainer, origin = reused, tmp_path / "at-0"
    trainer.hello(tmp_path / "run")
    trainer.load(models("qwen2-gqa"))
    trainer.weights(origin)
    step(trainer, 0)
    parts = {"include": ["weights", "updates"], "momentsIn": str(origin)}
    trainer.call("save", dir=str(tmp_path / "at-1"), **parts)
    # Another model stands for a processor that rounds otherwise.
    trainer.hello(tmp_path / "again")
    trainer.load(models("llama"))
    assert trainer.call("repeat", dir=str(tmp_path / "at-1"), version=1) == {
        "version": 1,
        "repeated": ["s0/update"],
        "differing": ["s0/update"],
    }


@pytest.mark.full
def test_replay_can_be_turned_off_and_the_later_updates_are_then_forgotten(
    undisturbed, reused, models, start, tmp_path
):
    reused.hello(tmp_path)
    reused.load(models("qwen2-gqa"))
    step(reused, 0)
    reused.weights(tmp_path / "checkpoint")
    step(reused, 1)
    step(reused, 2)
    again = start()
    again.hello(tmp_path)
    resume = {"dir": str(tmp_path / "checkpoint"), "replay": False}
    loaded = again.load(models("qwen2-gqa"), resume=resume)
    assert (loaded["version"], loaded["replayed"]) == (1, [])
    # The same operation is now applied, not answered from the journal.
    assert step(again, 1)["version"] == 2
    assert again.weights(tmp_path / "two") == undisturbed["hashes"][2]
    again.process.send_signal(signal.SIGKILL)
    again.process.wait()
    reused.hello(tmp_path)
    loaded = reused.load(models("qwen2-gqa"), resume={"dir": str(tmp_path / "checkpoint")})
    assert loaded["replayed"] == ["s1/update"]
    assert loaded["weightsSha256"] == undisturbed["hashes"][2]


def test_replay_stops_with_the_reason_when_rollouts_were_dropped(reused, models, tmp_path):
    trainer = reused
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    trainer.weights(tmp_path / "checkpoint")
    step(trainer, 0)
    assert trainer.call("rollouts", op="drop", opKeyPrefix="s0") == {"dropped": 6}
    loaded = trainer.load(models("qwen2-gqa"), resume={"dir": str(tmp_path / "checkpoint")})
    assert loaded["version"] == 0
    assert loaded["replayStopped"] == {
        "opId": "s0/update",
        "reason": "its rollouts are no longer in the spool",
    }


def test_an_operation_is_applied_once_and_a_stale_version_not_at_all(reused, models, tmp_path):
    trainer = reused
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    rollouts = trainer.generate("s0/w1", prompts(4))
    first = trainer.update("once", 0, rollouts)
    kept = trainer.weights(tmp_path / "a")
    assert trainer.update("once", 0, rollouts) == first
    assert trainer.weights(tmp_path / "b") == kept
    error = trainer.fails(
        "update",
        opId="stale",
        expectVersion=0,
        items=[{"rolloutId": rollouts[0]["rolloutId"], "advantage": 1}],
        loss=LOSS,
    )
    assert error.kind == "versionMismatch"
    assert error.data["detail"] == {"expected": 0, "actual": 1}
    assert trainer.weights(tmp_path / "c") == kept
    assert len((tmp_path / "journal.jsonl").read_text().splitlines()) == 1


def test_an_update_that_is_not_finite_is_reported_and_leaves_the_weights(reused, models, tmp_path):
    trainer = reused
    trainer.hello(tmp_path)
    before = trainer.load(models("qwen2-gqa"))["weightsSha256"]
    rollouts = trainer.generate("s0/w1", prompts(4))
    items = [{"rolloutId": one["rolloutId"], "advantage": 1e300} for one in rollouts]
    result = trainer.update("bad", 0, [], items=items)
    assert result["optimizerSteps"] == 0 and result["version"] == 1
    assert result["loss"] == [None] and result["nonfinite"] is True
    assert result["skippedSteps"][0]["reason"] == "nonfinite"
    assert trainer.weights(tmp_path / "after") == before


def test_kept_rollouts_are_restored_from_the_spool_and_dropped_by_prefix(
    reused, models, start, tmp_path
):
    trainer = start()
    trainer.hello(tmp_path)
    trainer.load(models("qwen2-gqa"))
    for key in ("s3/w1", "s3/w2", "s30/w1"):
        trainer.generate(key, prompts(3))
    number = trainer.send("generate", items=prompts(2), keep=False, sampling={"maxNewTokens": 4})
    assert trainer.answer(number)["rollouts"] == 2
    ids = trainer.call("rollouts", op="list")["ids"]
    details = trainer.call("rollouts", op="get", ids=ids)
    assert len(ids) == 9
    assert sorted(p.name for p in (tmp_path / "spool").iterdir()) == [
        "s3-w1.safetensors",
        "s3-w2.safetensors",
        "s30-w1.safetensors",
    ]
    trainer.process.send_signal(signal.SIGKILL)
    trainer.process.wait()
    again = reused
    again.hello(tmp_path)
    again.load(models("qwen2-gqa"))
    unknown = again.fails("rollouts", op="get", ids=ids[:1])
    assert unknown.kind == "unknownRollout"
    assert again.call("rollouts", op="restore") == {"restored": 9}
    assert again.call("rollouts", op="get", ids=ids) == details
    assert again.call("rollouts", op="drop", opKeyPrefix="s3") == {"dropped": 6}
    assert again.call("rollouts", op="list")["ids"] == ["s30/w1/k0/0", "s30/w1/k1/0", "s30/w1/k2/0"]
    assert [p.name for p in (tmp_path / "spool").iterdir()] == ["s30-w1.safetensors"]


def entry(version):
    return JournalEntry(f"op{version}", version, "0" * 64, [], {"items": []}, {"version": version})


def test_a_journal_line_cut_off_by_a_crash_is_ignored(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.append(entry(0))
    with path.open("ab") as file:
        file.write(b'{"kind": "update", "opId": "half')
    again = Journal(path)
    assert [one.op_id for one in again.entries] == ["op0"]
    again.append(entry(1))
    assert [one.op_id for one in Journal(path).after(0)] == ["op0", "op1"]


def test_a_damaged_journal_is_named_with_its_line(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append(entry(0))
    with journal.path.open("ab") as file:
        file.write(b"garbage\n")
    with pytest.raises(TrainerError, match=r"journal\.jsonl is damaged at line 2") as caught:
        Journal(journal.path)
    assert caught.value.kind == "badRequest"


def test_a_save_never_replaces_a_folder_of_somebody_else(reused, models, tmp_path):
    reused.hello(tmp_path / "run")
    reused.load(models("qwen2-gqa"))
    (tmp_path / "letters.txt").write_text("dear diary")
    error = reused.fails("save", dir=str(tmp_path))
    assert error.kind == "badRequest"
    assert "is not one this program wrote" in error.message
    assert (tmp_path / "letters.txt").read_text() == "dear diary"


def test_a_checkpoint_can_be_saved_again_and_loaded_as_a_model(reused, models, tmp_path):
    reused.hello(tmp_path / "run")
    reused.load(models("qwen2-gqa"))
    target = tmp_path / "checkpoint"
    first = reused.call("save", dir=str(target))
    second = reused.call("save", dir=str(target))
    assert first["files"] == second["files"]
    loaded = reused.load(target)
    assert loaded["weightsSha256"] == first["weightsSha256"]
    assert loaded["version"] == 0
