"""Answers of a run that are tried with one program."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from anchor_verify.findings import Ledger
from anchor_verify.material import fields_of
from anchor_verify.programs import Programs

SETTINGS = {
    "verifier": "strict",
    "validator": "strict",
    "reader": "lenient",
    "rejectMultipleFunctions": True,
    "bannedModules": [],
    "maxLiteralChars": 200,
}
TASK = {
    "id": "t/1",
    "taskType": "abduction",
    "program": "def f(x):\n    return x",
    "imports": [],
    "inputs": ["1"],
    "outputs": ["1"],
}


class Echo:
    """A sandbox in which f gives back its argument."""

    def check(self, program: str, calls: list[Any]) -> Future[dict[str, Any]]:
        return self.run(program, calls)

    def run(self, _program: str, calls: list[Any]) -> Future[dict[str, Any]]:
        done: Future[dict[str, Any]] = Future()
        results = [{"status": "ok", "value": call["args"][0]} for call in calls]
        done.set_result({"status": "ok", "calls": results, "deterministic": True})
        return done


def solution(number: int, said: str, accuracy: int) -> dict[str, Any]:
    return {
        "id": f"1/pred_code_i/{number}",
        "taskId": TASK["id"],
        "taskType": "abduction",
        "purpose": "solve",
        "formatOk": True,
        "answer": f"```input\n{said}\n```",
        "verdict": {"outcome": "passed" if accuracy == 1 else "failed", "accuracy": accuracy},
    }


@pytest.mark.parametrize("no_value", ["...", "[1, ...]", "x + 1", "1 2"])
def test_an_answer_that_is_no_value_leaves_the_others_their_job(no_value: str) -> None:
    rules = ("responses.read", "solutions.verdict")
    ledger = Ledger([(rule, "", "") for rule in rules])
    programs = Programs(ledger, Echo(), SETTINGS)  # type: ignore[arg-type]
    programs.keep_task(TASK)
    for number, (said, accuracy) in enumerate([("1", 1), (no_value, 0), ("2", 0)]):
        programs.take_rollout(solution(number, said, accuracy))
    programs.finish()
    tally = ledger.tallies["solutions.verdict"]
    assert (tally.checked, tally.differing) == (3, 0)


def proposal(said: str) -> dict[str, Any]:
    return {
        "id": "1/gen_code_i/0",
        "taskId": TASK["id"],
        "taskType": "abduction",
        "purpose": "propose",
        "formatOk": True,
        "answer": f"```python\n{TASK['program']}\n```\n```input\n{said}\n```",
        "verdict": {"outcome": "passed", "accuracy": 1},
    }


@pytest.mark.parametrize(
    ("said", "differing"), [("[1,5,0]", 0), ("[1, 5, 0]", 0), ("[1, 5, 1]", 1), ("[1, 5", 1)]
)
def test_a_task_has_the_values_that_its_proposal_wrote_in_whatever_writing(
    said: str, differing: int
) -> None:
    rules = ("responses.read", "tasks.read", "proposals.verdict")
    ledger = Ledger([(rule, "", "") for rule in rules])
    programs = Programs(ledger, Echo(), SETTINGS)  # type: ignore[arg-type]
    task = {**TASK, "rolloutId": "1/gen_code_i/0", "message": None, "inputs": ["[1, 5, 0]"]}
    programs.keep_task(task)
    programs.take_rollout(proposal(said))
    programs.finish()
    tally = ledger.tallies["tasks.read"]
    assert (tally.checked, tally.differing) == (3, differing)


@pytest.mark.parametrize("said", ["[1,5,0]", "[1, 5, 0]"])
def test_a_review_of_a_proposal_was_shown_its_input_as_it_stood_there(said: str) -> None:
    task = {**TASK, "message": None, "inputs": ["[1, 5, 0]"]}
    assert ("input", said) in fields_of("task", proposal(said), task)


@pytest.mark.parametrize(
    ("reader", "outcome", "differing"),
    [
        ("azr-compat", "passed", 0),
        ("azr-compat", "invalid", 1),
        ("strict", "invalid", 0),
        ("strict", "passed", 1),
    ],
)
def test_a_valid_proposal_in_a_broken_form_is_a_task_where_the_reader_in_force_keeps_it(
    reader: str, outcome: str, differing: int
) -> None:
    ledger = Ledger([(rule, "", "") for rule in ("responses.read", "proposals.verdict")])
    programs = Programs(ledger, Echo(), {**SETTINGS, "reader": reader})  # type: ignore[arg-type]
    broken = proposal("5")
    broken |= {"formatOk": False, "verdict": {"outcome": outcome, "accuracy": 0}}
    broken["text"] = f"<answer>{broken['answer']}</answer>"
    programs.take_rollout(broken)
    programs.finish()
    tally = ledger.tallies["proposals.verdict"]
    assert (tally.checked, tally.differing) == (1, differing)
