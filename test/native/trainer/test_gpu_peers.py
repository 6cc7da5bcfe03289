"""The comparison on a card, tried with ours on a CPU and a stand-in for TRL; verl by its log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trainer_process import CHECKOUT, environment

FOLDER = CHECKOUT / "test" / "peers" / "gpu_peers"
sys.path.append(str(FOLDER))

from exchange import Answer, Request, Round, read_answer, trouble_with, write_answer  # noqa: E402
from programs import programs  # noqa: E402
from verl_run import overrides, rounds_of, rows_of  # noqa: E402

REQUEST = Request(
    model="m",
    prompts=[[{"role": "user", "content": "x"}]] * 2,
    lengths=[[5] * 8] * 2,
    rounds=2,
    rank=0,
    micro_rows=8,
    pack_tokens=64,
    learning_rate=1e-6,
    vllm_share=0.5,
    device="cuda",
)
SKEWED = Request(**{**REQUEST.__dict__, "lengths": [[5, 6] * 4] * 2})
STEP = {
    "timing_s/step": 10.0,
    "timing_s/gen": 4.0,
    "timing_s/update_weights": 1.0,
    "timing_s/update_actor": 3.0,
    "timing_s/old_log_prob": 0.5,
    "response_length/min": 5.0,
    "response_length/max": 5.0,
}


def log_of(*steps: dict[str, float]) -> str:
    told = [{"step": at, "data": one} for at, one in enumerate(steps)]
    return "".join(json.dumps(one) + "\n" for one in told)


def test_steps_of_verl_are_read_from_its_log_without_the_first():
    slow = {**STEP, "timing_s/step": 99.0}
    assert rounds_of(log_of(slow, STEP, STEP), REQUEST) == [Round(5.0, 3.5, 1.5)] * 2


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (log_of(STEP, STEP), "verl logged 2 steps of 3"),
        (log_of(STEP, STEP, {**STEP, "response_length/min": 4.0}), "responses of"),
        (log_of(*[{k: v for k, v in STEP.items() if "gen" not in k}] * 3), "no timing_s/gen"),
    ],
)
def test_a_log_of_verl_that_says_something_else_is_refused(log, sentence):
    with pytest.raises(ValueError, match=sentence):
        rounds_of(log, REQUEST)


def test_verl_is_asked_for_the_same_work_and_not_for_lengths_that_differ():
    asked = overrides(REQUEST, Path("f"), 9)
    for one in ("data.train_batch_size=2", "actor_rollout_ref.rollout.n=8"):
        assert one in asked
    assert "actor_rollout_ref.rollout.ignore_eos=True" in asked
    assert "trainer.total_training_steps=3" in asked
    assert [one["extra_info"]["index"] for one in rows_of(REQUEST)] == [0, 1]
    with pytest.raises(ValueError, match="one response length"):
        overrides(SKEWED, Path("f"), 9)
    refused = {one.name: one.refuses(SKEWED) for one in programs()}
    assert refused["ours"] is refused["trl"] is None
    assert "one response length" in str(refused["verl"])
    assert "LoRA only" in str(refused["unsloth"])


def test_an_answer_is_held_against_what_was_asked(tmp_path):
    file = tmp_path / "answer.json"
    good = Answer([Round(1.0, 2.0, 0.0)] * 2, [[1], [2]], 80, {"trl": "1"})
    write_answer(file, good)
    assert read_answer(file) == good
    assert trouble_with(REQUEST, good) is None
    assert "81 tokens" in str(trouble_with(REQUEST, Answer(good.rounds, [], 81, {})))
    assert "1 rounds" in str(trouble_with(REQUEST, Answer(good.rounds[:1], [], 80, {})))
    assert "no time" in str(trouble_with(REQUEST, Answer([Round(0.0, 1.0, 0.0)] * 2, [], 80, {})))


STAND_IN = """
import json, sys
asked = json.load(open(sys.argv[2]))
kind = open({kind!r}).read()
if kind == "crash":
    sys.exit("out of memory")
if kind == "nothing":
    sys.exit(0)
tokens = sum(sum(one) for one in asked["lengths"])
rounds = [{{"rollouts": 2.0, "update": 1.0, "other": 0.0}}] * asked["rounds"]
answer = {{"rounds": rounds, "prompt_ids": [[1]], "tokens": tokens, "versions": {{}}}}
json.dump(answer, open(sys.argv[3], "w"))
"""


@pytest.mark.full
def test_what_one_program_does_wrong_does_not_lose_the_other(tmp_path):
    out, kind = tmp_path / "figures.json", tmp_path / "kind"
    small = ("--device", "cpu", "--shrink", "64", "--rounds", "2", "--lengths", "skew")
    where = ("--program", "trl", "--environments", str(tmp_path), "--out", str(out))

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(FOLDER / "compare.py"), *small, *where],
            capture_output=True,
            text=True,
            env=environment(),
            cwd=CHECKOUT,
        )

    missing = run()
    assert missing.returncode == 3, missing.stderr
    assert "python3 -m venv .venv-peers-trl" in missing.stderr
    ours = json.loads(out.read_text())["cases"]["tiny full skew"]["programs"]["ours"]
    assert ours["failed"] is None
    assert ours["tokens"] > 0

    python = tmp_path / ".venv-peers-trl/bin/python"
    python.parent.mkdir(parents=True)
    worker = tmp_path / "worker.py"
    worker.write_text(STAND_IN.format(kind=str(kind)))
    python.write_text(f'#!/bin/sh\nexec {sys.executable} {worker} "$@"\n')
    python.chmod(0o755)
    said = {"crash": "out of memory", "nothing": "no answer", "other": "other token ids"}
    for name, sentence in said.items():
        kind.write_text(name)
        ended = run()
        assert ended.returncode == 1, ended.stderr
        found = json.loads(out.read_text())["cases"]["tiny full skew"]["programs"]
        assert found["ours"] == ours  # kept from the first call
        assert sentence in found["trl"]["failed"]
        assert sentence in ended.stdout
