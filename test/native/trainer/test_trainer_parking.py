"""Whole sets that are in memory one at a time: to the bit, in the room that the plan says."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from anchor_trainer import fitting
from anchor_trainer.errors import TrainerError
from anchor_trainer.model.loading import source_of
from anchor_trainer.policy import SetFiles, load_policy
from anchor_trainer.storage.parking import InFile, InHostMemory, Parking
from load_specs import load_spec
from test_trainer_full_disk import small_disk  # noqa: F401
from test_trainer_roles import ROLES, STEPS, Run
from tiny_models import build_model
from trainer_process import TrainerProcess

OPTIM = {"kind": "adamw", "lr": 1e-2, "betas": [0.9, 0.99], "warmupSteps": 3}
WHOLE = {"mode": "full", "precision": "master32", "packTokens": 128, "optim": OPTIM}
SMALLEST = {**WHOLE, "precision": "bf16", "optim": {**OPTIM, "kind": "adamw8bit"}}
# How the two roles are trained, and what model they begin with.
KINDS = {
    "float32": ("qwen2-gqa", (WHOLE, {**WHOLE, "gradCheckpoint": True})),
    "fewest bits, words apart": ("llama", (SMALLEST, SMALLEST)),
    "a class of the library": ("gemma2", (WHOLE, WHOLE)),
}
FULL = pytest.mark.full


@pytest.fixture(
    scope="module",
    params=["float32", *(pytest.param(one, marks=FULL) for one in list(KINDS)[1:])],
)
def together(request, models, tmp_path_factory):
    """What two roles do that are both in memory, step by step; their checkpoints stay."""
    kind, trains = KINDS[request.param]
    run = Run(tmp_path_factory.mktemp("together"), trains, offload="never")
    trainer = TrainerProcess.forked()
    run.begin(trainer, models(kind))
    loaded = [run.load(trainer, role) for role in ROLES]
    steps = [run.step(trainer, number) for number in range(1, len(STEPS) + 1)]
    assert moved(trainer) == [] and not any(one["offloads"] for one in loaded)
    assert trainer.close() == 0, trainer.stderr
    return {"model": models(kind), "trains": trains, "run": run, "steps": steps}


@pytest.fixture(scope="module")
def trainer():
    process = TrainerProcess.forked()
    yield process
    process.close()


def moved(trainer):
    return [one["params"] for one in trainer.events if one["method"] == "event/moved"]


def test_roles_that_take_turns_in_memory_give_what_they_give_together(together, trainer, tmp_path):
    run = Run(tmp_path, together["trains"], offload="always")
    run.begin(trainer, together["model"])
    # The first is alone as long as nothing says that another comes.
    assert [run.load(trainer, role)["offloads"] for role in ROLES] == [False, True]
    for number, expected in enumerate(together["steps"], 1):
        before = len(moved(trainer))
        assert run.step(trainer, number) == expected
        # The one that learns comes for its answers, the other for its own, and the first again for
        # its update, unless it stands there from the step before.
        came = [one["policy"] for one in moved(trainer)[before:]]
        role = ROLES[STEPS[number - 1][0]]
        other = ROLES[1 - STEPS[number - 1][0]]
        repeats = number > 1 and STEPS[number - 2][0] == STEPS[number - 1][0]
        assert came == [other, role] if repeats else [role, other, role]
    assert {path.name for path in (tmp_path / "files" / "parked").iterdir()} == {
        f"{role}-{part}.safetensors"
        for role in ROLES
        for part in ("weights", "moments", "reference")
    }


def test_what_did_not_change_is_not_written_again_and_an_answer_takes_weights_alone(
    trainer, models, tmp_path
):
    run = Run(tmp_path, (WHOLE, WHOLE), offload="always")
    run.begin(trainer, models("qwen2-gqa"))
    for role in ROLES:
        run.load(trainer, role)
    for number in (1, 2):
        run.step(trainer, number)
    before = len(moved(trainer))
    run.step(trainer, 3)
    run.step(trainer, 4)
    told = moved(trainer)[before:]
    assert [one["policy"] for one in told] == [ROLES[0], *(ROLES[1], ROLES[0]) * 2]
    answers = [one for one in told if one["policy"] == ROLES[1]]
    learns = [one for one in told if one["policy"] == ROLES[0]]
    assert answers and all(one["read"] < learns[-1]["read"] / 3 for one in answers)
    # The solver only answers in both steps, and what is parked of it is still what it is.
    assert [one["written"] for one in learns[1:]] == [0] * len(learns[1:])


def test_a_kill_while_one_is_parked_loses_nothing_and_leaves_nothing(
    together, trainer, fork, tmp_path
):
    """Killed after the updates of steps 4 and 5, of which no checkpoint was committed."""
    shutil.copytree(together["run"].folder, tmp_path / "run")
    run = Run(tmp_path / "run", together["trains"], offload="always")
    run.at = {ROLES[0]: (2, 3), ROLES[1]: (1, 2)}
    killed = fork()
    killed.hello(tmp_path / "files")
    for role in ROLES:
        run.load(killed, role)
    for role, number, begins in ((ROLES[0], 4, False), (ROLES[1], 5, True)):
        run.update(killed, role, number, run.draw(killed, role, number), begins)
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait()
    parked = tmp_path / "files" / "parked"
    left = list(parked.glob(f"{ROLES[0]}-*"))
    assert len(left) == 3
    (parked / "another.safetensors.tmp").write_bytes(b"cut off")

    trainer.hello(tmp_path / "files")
    assert not parked.exists()
    for role, number in ((ROLES[0], 4), (ROLES[1], 5)):
        loaded = run.load(trainer, role)
        assert loaded["replayed"] == [f"s{number}/update"]
        assert loaded["weightsSha256"] == together["steps"][number - 1]["hash"]
    run.at = {ROLES[0]: (3, 4), ROLES[1]: (2, 5)}
    assert run.step(trainer, 6) == together["steps"][5]
    trainer.call("unload", policy=ROLES[0])
    assert {one.name.split("-")[0] for one in parked.iterdir()} <= {ROLES[1]}


def test_nothing_stays_parked_when_a_trainer_ends(fork, models, tmp_path):
    run = Run(tmp_path, (WHOLE, WHOLE), offload="always")
    one = fork()
    run.begin(one, models("qwen2-gqa"))
    for role in ROLES:
        run.load(one, role)
    assert (tmp_path / "files" / "parked").exists()
    assert one.close() == 0
    assert not (tmp_path / "files" / "parked").exists()


def test_a_full_disk_while_parking_is_a_sentence_and_loses_nothing(
    together,
    trainer,
    small_disk,  # noqa: F811
    tmp_path,
):
    if small_disk is None:
        pytest.skip("a small file system can only be mounted as root")
    run = Run(tmp_path, together["trains"], offload="always")
    run.begin(trainer, together["model"])
    os.symlink(small_disk, tmp_path / "files" / "parked")
    filler = small_disk / "filler"
    filler.write_bytes(b"\0" * 700_000)
    run.load(trainer, ROLES[0])
    with pytest.raises(Exception, match="could not be put aside") as caught:
        run.load(trainer, ROLES[1])
    assert caught.value.kind == "diskFull" and caught.value.data["retryable"]
    assert "They stay in memory, and nothing is lost" in caught.value.message
    assert "policy.offload" in caught.value.data["hint"]
    assert [one.name for one in small_disk.iterdir()] == ["filler"]
    filler.unlink()
    room = ["mount", "-o", "remount,size=8m", str(small_disk)]
    subprocess.run(room, check=True)
    run.load(trainer, ROLES[1])
    assert run.step(trainer, 1) == together["steps"][0]
    # What replaces an earlier copy takes no more room than that had.
    with pytest.raises(OSError, match="No space left"):
        filler.write_bytes(b"\0" * 9_000_000)
    assert run.step(trainer, 2) == together["steps"][1]


@pytest.mark.parametrize("fault", ["a byte", "shorter", "gone", "another file"])
def test_a_parked_file_that_was_changed_is_refused(trainer, models, tmp_path, fault):
    run = Run(tmp_path, (WHOLE, WHOLE), offload="always")
    run.begin(trainer, models("qwen2-gqa"))
    for role in ROLES:
        run.load(trainer, role)
    path = tmp_path / "files" / "parked" / f"{ROLES[0]}-weights.safetensors"
    data = bytearray(path.read_bytes())
    if fault == "gone":
        path.unlink()
    elif fault == "another file":
        shutil.copy(path.with_name(f"{ROLES[0]}-moments.safetensors"), path)
    else:
        data[-5] ^= 1
        path.write_bytes(data if fault == "a byte" else data[:-400])
    with pytest.raises(Exception, match="that file is not what was written") as caught:
        run.draw(trainer, ROLES[0], 1)
    assert caught.value.kind == "badModel"
    # The other is where it was, and the first is not taken for one that can answer.
    assert run.draw(trainer, ROLES[1], 1)
    with pytest.raises(Exception, match="that file is not what was written"):
        run.draw(trainer, ROLES[0], 1)


def parts_of():
    shared = torch.arange(12, dtype=torch.float32)
    return {
        "weights": [shared[:4], torch.ones(3, 5, dtype=torch.bfloat16)],
        "moments": [shared[4:], torch.zeros(0), torch.full((7,), 3, dtype=torch.uint8)],
    }


@pytest.mark.parametrize("place", ["file", "host memory"])
def test_parts_come_back_to_the_bit_from_either_place(tmp_path, place):
    tensors = parts_of()
    parking = Parking.of(tmp_path, "solver", tensors)
    for name, part in parking.parts.items():
        path = tmp_path / f"{name}.safetensors"
        part.place = InFile(path, "solver") if place == "file" else InHostMemory()
    as_of = {"weights": 1, "moments": 1}
    held = sum(one.bytes for one in parking.parts.values())
    assert held == 12 * 4 + 15 * 2 + 7  # memory that two share is counted once
    assert parking.park(as_of, lambda: None).written == held
    assert parking.is_gone and parking.away_bytes == held
    assert all(one.untyped_storage().nbytes() == 0 for part in tensors.values() for one in part)
    assert parking.bring(("weights",), lambda: None).read == 12 * 4 + 15 * 2
    assert parking.is_here(("weights",)) and not parking.is_here()
    parking.bring(None, lambda: None)
    for part, expected in zip(tensors.values(), parts_of().values(), strict=True):
        assert all(torch.equal(one, other) for one, other in zip(part, expected, strict=True))
    assert parking.park(as_of, lambda: None).written == 0
    parking.bring(None, lambda: None)
    assert parking.park({**as_of, "weights": 2}, lambda: None).written == 12 * 4 + 15 * 2
    parking.close()
    assert not any(tmp_path.iterdir())


def test_a_part_whose_copy_failed_is_written_again(tmp_path):
    parking = Parking.of(tmp_path / "folder", "solver", parts_of())
    (tmp_path / "folder").write_bytes(b"no folder")
    as_of = {"weights": None, "moments": None}
    with pytest.raises(TrainerError, match="could not be put aside"):
        parking.park(as_of, lambda: None)
    assert parking.is_here() and parking.away_bytes == 0
    (tmp_path / "folder").unlink()
    assert parking.park(as_of, lambda: None).written > 0


SIZES = {"hidden_size": 512, "intermediate_size": 1536, "num_hidden_layers": 8, "vocab_size": 4096}


MODELS = Path(os.environ.get("ANCHOR_TEST_MODELS", "~/.cache/anchor-lab/models")).expanduser()
PUBLIC = MODELS / "smollm2-135m"
needs_public = pytest.mark.skipif(
    not PUBLIC.is_dir(),
    reason=f"needs smollm2-135m in {MODELS} (or another folder named by ANCHOR_TEST_MODELS)",
)


@pytest.fixture(
    scope="module", params=["random", pytest.param("public", marks=[FULL, needs_public])]
)
def larger(request, tmp_path_factory):
    """22 or 135 million parameters: large beside whatever else a process takes."""
    if request.param == "public":
        return PUBLIC
    return build_model(tmp_path_factory.mktemp("larger"), "qwen3", **SIZES)


def highest(process):
    """The most that a process had in memory since it was last asked, in bytes."""
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    line = next(one for one in status.splitlines() if one.startswith("VmHWM:"))
    Path(f"/proc/{process.process.pid}/clear_refs").write_text("5")
    return int(line.split()[1]) * 1024


def test_the_highest_memory_is_lower_by_what_the_plan_says(larger, fork, start, tmp_path):
    took, planned, steps = {}, {}, {}
    for offload in ("never", "always"):
        trainer = start()
        run = Run(tmp_path / offload, (WHOLE, WHOLE), offload=offload)
        run.begin(trainer, larger)
        trainer.call("unload", policy=ROLES[0])
        for role in ROLES:
            run.load(trainer, role)
        # From the third on no moments are pages that were never touched.
        steps[offload] = [run.step(trainer, number) for number in (1, 2)]
        highest(trainer)
        steps[offload].append(run.step(trainer, 3))
        took[offload] = highest(trainer)
        beside = [asked_of(run, role) for role in ROLES]
        told = fork()
        told.hello(tmp_path / f"plan-{offload}")
        planned[offload] = told.call("plan", **beside[0], beside=beside[1:])["neededBytes"]
        trainer.close()
    assert steps["always"] == steps["never"]
    saved = took["never"] - took["always"]
    told = {"saved": saved, "planned": planned, "moved": moved(trainer)[-3:]}
    assert saved == pytest.approx(planned["never"] - planned["always"], rel=0.05), told


def asked_of(run, role):
    return {
        "policy": role,
        "model": {"path": str(run.place(0))},
        "train": run.trains[role],
        "rollout": {"maxSeqTokens": 160, "maxConcurrent": 8},
        "reference": "stage",
        **run.asked,
    }


def test_auto_parks_only_where_not_all_fit(trainer, models, tmp_path):
    run = Run(tmp_path, (WHOLE, WHOLE), offload="never")
    run.begin(trainer, models("qwen2-gqa"))
    trainer.call("unload", policy=ROLES[0])
    both = [asked_of(run, role) for role in ROLES]

    def plan(offload, free=2**40):
        asked = [{**one, "offload": offload} for one in both]
        return trainer.call("plan", **asked[0], beside=asked[1:], card={"freeBytes": free})

    together, apart = plan("never"), plan("always")
    assert (together["offloads"], apart["offloads"]) == (False, True)
    assert together["disk"]["parked"] == 0 < apart["disk"]["parked"]
    resident = together["phases"]["save"]["resident"]
    assert together["neededBytes"] - apart["neededBytes"] == resident
    assert "resident" not in apart["phases"]["save"]
    assert plan("auto") == together

    # As few rows as there can be, and layers computed again, come before one at a time.
    def room(needed):
        return int(needed / 0.95) + 2

    fewest = [plan("never", room(together["neededBytes"]) - more) for more in (0, 2**20)]
    assert fewest[0]["fits"] and plan("auto", room(together["neededBytes"])) == fewest[0]
    between = room(together["neededBytes"] - resident // 2)
    assert not plan("never", between)["fits"]
    chosen = plan("auto", between)
    assert chosen["fits"] and chosen["offloads"]
    first = plan("never", between)["suggestions"][0]
    assert first["change"] == "policy.offload: auto" and first["saves"] > 0
    small = plan("auto", 1000)
    assert not small["fits"] and small["offloads"]
    assert not any("offload" in one["change"] for one in small["suggestions"])


@pytest.mark.parametrize("offload", ["auto", "never"])
def test_a_load_goes_by_the_memory_that_is_free(models, tmp_path, monkeypatch, offload):
    policies: list = []
    specs = [
        load_spec(models("qwen2-gqa"), WHOLE, name=name, reference="copy", offload=offload)
        for name in ROLES
    ]
    first, second = (fitting.needs_of(source_of(one.model), one) for one in specs)
    planned = fitting.plan_to_load(first, resident={}, free=2**40, roles=[second])[1]
    held = 2 * planned["phases"]["save"]["weights"]
    free = int((planned["neededBytes"] - held) / 0.95)
    monkeypatch.setattr(
        fitting, "free_bytes", lambda cuda: free - sum(one.held_bytes() for one in policies)
    )

    def load(at):
        spec = replace(specs[at], beside=(specs[1 - at],))
        files = SetFiles(tmp_path / "handover", tmp_path / "parked")
        policies.append(load_policy(spec, policies, files))

    if offload == "never":
        with pytest.raises(TrainerError, match="are free; nothing was loaded") as caught:
            load(0)
        assert "policy.offload: auto" in caught.value.hint
        return
    load(0)
    hashes = [policies[0].weights.sha256()]
    assert policies[0].offloads and not policies[0].is_parked
    load(1)
    assert policies[0].is_parked and policies[0].held_bytes() == 0
    assert not policies[1].is_parked
    policies[0].take_place(policies, None, lambda: None)
    assert policies[1].is_parked
    hashes.append(policies[0].weights.sha256())
    assert hashes[0] == hashes[1]
    for one in policies:
        one.close()


def test_a_refusal_says_that_one_at_a_time_was_tried(models, tmp_path, monkeypatch):
    specs = [load_spec(models("qwen2-gqa"), WHOLE, name=name) for name in ROLES]
    monkeypatch.setattr(fitting, "free_bytes", lambda cuda: 1000)
    files = SetFiles(tmp_path / "handover", tmp_path / "parked")
    with pytest.raises(TrainerError, match=r"with one of its weight sets in memory at a time\)"):
        load_policy(replace(specs[0], beside=(specs[1],)), (), files)


def test_an_answer_for_a_parked_set_waits_for_open_answers_of_the_other(trainer, models, tmp_path):
    run = Run(tmp_path, (WHOLE, WHOLE), offload="always")
    run.begin(trainer, models("qwen2-gqa"))
    for role in ROLES:
        run.load(trainer, role)
    alone = {role: [one["text"] for one in run.draw(trainer, role, 1)] for role in ROLES}
    sampling = {"temperature": 1, "topP": 1, "topK": 0, "maxNewTokens": 12}
    items = [
        {"key": f"k{at}", "prompt": "def f(x): " + "return x + " * (1 + at % 5), "seed": at}
        for at in range(5)
    ]
    asked = {
        (role, number): trainer.send(
            "generate", policy=role, opKey=f"s{number}/w", items=items, sampling=sampling
        )
        for number in (2, 3)
        for role in ROLES
    }
    counts = trainer.call(
        "tokenize", policy=ROLES[0], items=[{"prompt": "def f(x)"}], what="count"
    )["counts"]
    assert counts[0] > 0
    for (role, number), request in asked.items():
        trainer.answer(request)
        told = sorted(trainer.rollouts_of(request), key=lambda one: one["rolloutId"])
        assert [one["text"] for one in told] == alone[role], number
