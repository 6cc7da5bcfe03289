"""Lines of a context that state something of the work they go back to, and lines that do not."""

from __future__ import annotations

from typing import Any, cast

import pytest

from anchor_verify.findings import Ledger
from anchor_verify.lab import Lab
from anchor_verify.leaks import RULE, Leaks
from anchor_verify.rules import RUN_RULES
from anchor_verify.supervision import written_about

ITEM = "2/pred_code_o/1"
REVIEW = f"{ITEM}#output"
PROGRAM = "def f(x, limit):\n    total = sum(x) + limit\n    return result"
TOY = "def f(x):\n y=x+3\n return y"


def _task(**other: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "taskType": "deduction",
        "program": PROGRAM,
        "inputs": ["[4, 7, 19], 42"],
        "outputs": ["7"],
        "message": "add up",
    } | other


def _rollout(name: str, **other: Any) -> dict[str, Any]:
    return {"id": name, "taskId": "t1", "text": "", "answer": "7"} | other


def _review(name: str, **other: Any) -> dict[str, Any]:
    batch, phase = name.split("/")[1].split("#")[0], name.partition("#")[2]
    rollout = None if phase == "exec" else name.partition("#")[0]
    about = {"batch": batch, "phase": phase, "rolloutId": rollout, "status": "done"}
    return {"id": name, "reviewer": "llama"} | about | other


def _line(text: str, *reviews: str, name: str = "3.1") -> dict[str, Any]:
    return {"id": name, "text": text, "reviewIds": list(reviews or (REVIEW,))}


class Stored:
    """What of a lab is asked for, of the runs `run` and `other`."""

    def __init__(self) -> None:
        self.supervision: dict[str, Any] = {"reviewer": "llama"}
        self.tasks = {"run": {"t1": _task()}, "other": {}}
        self._rollouts = {"run": {ITEM: _rollout(ITEM)}, "other": {}}
        self._reviews = {"run": [_review(REVIEW)], "other": []}

    def hold(self, review: dict[str, Any], rollout: dict[str, Any], run_id: str = "run") -> None:
        self._reviews[run_id].append(review)
        self._rollouts[run_id][rollout["id"]] = rollout

    def task(self, run_id: str, task_id: str) -> Any:
        return self.tasks[run_id].get(task_id)

    def rollout(self, run_id: str, rollout_id: str) -> Any:
        return self._rollouts[run_id].get(rollout_id)

    def reviews(self, run_id: str, step: int) -> Any:
        return [each for each in self._reviews[run_id] if each["id"].startswith(f"{step}/")]

    def one(self, _query: str, run_id: str) -> Any:
        return {"id": run_id, "config": '{"seed": 1, "supervision": {"reviewer": "llama"}}'}

    def verified(self, *contexts: list[dict[str, Any]]) -> Any:
        """The tally of the rule over contexts from C_3 on."""
        ledger = Ledger(RUN_RULES)
        run = {"id": "run", "config": {"seed": 1, "supervision": self.supervision}}
        leaks = Leaks(ledger, cast(Lab, self), run)
        for step, lines in enumerate(contexts, 3):
            leaks.verify({"step": step, "lines": lines})
        return ledger.tallies[RULE]


def _stated(text: str, **task: Any) -> str | None:
    """What a line is found to state of the one task, whose program was not written by the solver;
    None where nothing is."""
    stored = Stored()
    stored.tasks["run"]["t1"] = _task(**task)
    tally = stored.verified([_line(text)])
    assert tally.checked == 1
    return None if tally.first is None else str(tally.first.recomputed)


def _stated_of_a_batch(text: str) -> str | None:
    stored = Stored()
    review = "2/pred_code_o#exec"
    stored.hold(_review(review), _rollout("2/none"))
    tally = stored.verified([_line(text, review)])
    return None if tally.first is None else str(tally.first.recomputed)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("[10,12]", "Some lists give [10, 12]."),
        ("[10, 12]", "Some lists give `[10,12]`."),
        ("'a b'", 'Some words give "a b" here.'),
        ("('x', 2)", "Look out for (\u201cx\u201d, 2)"),
        ("1234", "The sum is often 1234."),
        ("-123", "Results such as -123 are missed."),
        ("12.75", "Keep the fraction, as in 12.75, and round later."),
        ("{'k': [1]}", "Mind keys: {'k':[1]}."),
        ("\\frac{1}{2}", "Most of them say \\frac{1}{2}."),
    ],
)
def test_a_line_that_states_an_output_is_found(output: str, text: str) -> None:
    found = _stated(text, outputs=["0", output])
    assert found is not None
    assert found.startswith("a line without an output ")
    assert found.endswith(f" of {ITEM}")


@pytest.mark.parametrize(
    "text", ["Lists like [4,7,19] need care.", "Take [4, 7, 19], 42 apart.", "Say [4,7,19],42."]
)
def test_a_line_that_states_an_input_or_one_of_its_arguments_is_found(text: str) -> None:
    assert str(_stated(text)).startswith("a line without an input ")


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (PROGRAM, "Write total = sum(x)+limit before you return."),
        (PROGRAM, "Begin with def f(x, limit): and go on."),
        ("for item in items:\n    pass", "Loop, as in for item in items: and stop."),
        (TOY, "Short programs like def f(x): y=x+3 return y are too easy."),
        (TOY, "End with y = x + 3 return y where that fits."),
        ("x = x.replace('A', 'C')", 'Remember x = x.replace("A","C") next time.'),
    ],
)
def test_a_line_that_states_a_long_line_of_the_program_or_short_ones_in_a_row_is_found(
    program: str, text: str
) -> None:
    assert str(_stated(text, program=program)).startswith("a line without the program ")


def test_a_line_that_states_code_or_a_value_of_the_response_is_found() -> None:
    stored = Stored()
    written = "```python\ndef f(x):\n    return x ** 2 - 1\n```\n```input\n[8, 1]\nx = (5, 6)"
    name = "2/gen_code_i/0"
    stored.hold(_review(f"{name}#task"), _rollout(name, taskId=None, text=written, answer=None))
    for text, found in (
        ("Do more than return x**2 - 1.", "the response's program returnx**2-1"),
        ("Not only [8,1] again.", "the answer [8,1]"),
        ("Not only (5, 6) again.", "the answer (5,6)"),
    ):
        tally = stored.verified([_line(text, f"{name}#task")])
        assert tally.first.recomputed == f"a line without {found} of {name}"


def test_a_line_that_states_a_task_in_words_is_found() -> None:
    request = {"taskType": "request", "program": "", "inputs": [], "outputs": []}
    message = "Write a note on how to clean the sealed key."
    text = "Refuse: write a note on ... Write a note on how to clean the sealed key."
    assert "without the task" in str(_stated(text, message=message, **request))
    assert _stated("Refuse unsafe requests.", message=message, **request) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Check that f(1, 2) is right.", "the call f(1, 2)"),
        ("Check that f( [1], \u2018a\u2019 ) is right.", "the call f( [1], 'a' )"),
        ("Try solve(n=(3, 4)) first.", "the call solve(n=(3, 4))"),
        ("Write ```python\nx = 3\n``` first.", "a fenced block"),
    ],
)
def test_a_line_with_a_call_with_values_or_a_block_of_code_is_found_whatever_it_is_of(
    text: str, found: str
) -> None:
    assert _stated(text) == f"a line without {found}"
    assert _stated_of_a_batch(text) == f"a line without {found}"


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Trace each step.", {}),
        ("Give 7 as 7, 42 as 42, and True as True.", {"outputs": ["42", "True", "7"]}),
        ("An empty list is [], nothing is None.", {"outputs": ["[]", "None", "''", "set()"]}),
        ("Take 1234, x123 or 0.123 as they are.", {"outputs": ["123"]}),
        ("At most 100 % of them, or 100%.", {"outputs": ["100"]}),
        ("The solver's answers and the task's form.", {"outputs": ["'s answers and the task'"]}),
        ("Pairs such as 3, 4 are small.", {"inputs": ["3, 4"]}),
        ("A function should return result names.", {}),
        ("Write def f(x): first.", {"program": TOY}),
        ("Name the function f(x) and call f().", {}),
        ("Do not call print(1), eval('x') or range(10).", {}),
        ("Count the steps (1) and (2), then go on.", {}),
        ("Answer in ```python``` and ```output ... ``` blocks.", {}),
        ("Add up with care.", {"message": "Add up with care."}),
    ],
)
def test_a_line_in_general_words_is_not_counted(text: str, task: dict[str, Any]) -> None:
    assert _stated(text, **task) is None


def test_only_the_work_that_a_line_goes_back_to_is_held_against_it() -> None:
    stored = Stored()
    other = "2/pred_code_o/5"
    stored.tasks["run"]["t2"] = _task(id="t2", inputs=["[77, 78]"])
    stored.hold(_review(f"{other}#output"), _rollout(other, taskId="t2"))
    text = "Lists like [77, 78] need care."
    assert stored.verified([_line(text)]).differing == 0
    assert stored.verified([_line(text, REVIEW, f"{other}#output")]).differing == 1


def test_a_line_is_counted_where_it_enters_and_where_it_is_renewed_and_each_place_is_told() -> None:
    stored = Stored()
    later = "3/pred_code_o/0"
    stored.tasks["run"]["t2"] = _task(id="t2", inputs=["[77, 78]"])
    stored.hold(_review(f"{later}#output"), _rollout(later, taskId="t2"))
    entered = _line("Lists like [77, 78] need care.")
    renewed = entered | {"reviewIds": [REVIEW, f"{later}#output"]}
    new = _line("Take f(3) apart.", f"{later}#output", name="4.2")
    tally = stored.verified([entered], [renewed, new], [renewed, new])
    assert tally.checked == 3
    assert tally.differing == 2
    assert tally.first.about == "line 3.1 of context 4"
    assert tally.further == ["line 4.2 of context 4"]


def test_a_line_that_the_configuration_fixes_rests_on_no_work() -> None:
    fixed = {"id": "fixed.1", "text": "Mind f(1, 2).", "reviewIds": []}
    assert Stored().verified([fixed]).checked == 0


def test_reviews_of_a_batch_and_reviews_that_are_gone_are_told_as_not_compared() -> None:
    stored = Stored()
    stored.hold(_review("2/pred_code_o#exec"), _rollout("2/none"))
    tally = stored.verified([_line("Trace.", "2/pred_code_o#exec", "2/x/0#output", "odd")])
    assert (tally.checked, tally.differing) == (1, 0)
    assert sorted(tally.skipped.values()) == [1, 2]


def test_where_reviews_are_shuffled_the_work_is_the_one_that_a_review_was_written_about() -> None:
    stored = Stored()
    stored.supervision["placing"] = "shuffled"
    names = [f"2/pred_code_o/{index}" for index in range(1, 7)]
    for index, name in enumerate(names):
        stored.tasks["run"][f"s{index}"] = _task(id=f"s{index}", outputs=[f"[{index}, 500]"])
        if name == ITEM:
            stored._rollouts["run"][ITEM] = _rollout(ITEM, taskId="s0")
        else:
            stored.hold(_review(f"{name}#output"), _rollout(name, taskId=f"s{index}"))
    origin = written_about(1, 2, stored.reviews("run", 2))
    assert sorted(origin) == sorted(origin.values())
    placed = next(each for each, other in origin.items() if each != other)
    there = names.index(origin[placed].partition("#")[0])
    here = names.index(placed.partition("#")[0])
    assert stored.verified([_line(f"Say [{there}, 500].", placed)]).differing == 1
    assert stored.verified([_line(f"Say [{here}, 500].", placed)]).differing == 0


def test_a_yoked_run_is_held_to_the_work_of_the_run_that_its_reviews_are_of() -> None:
    stored = Stored()
    stored.supervision = {"reviewer": "yoked", "reviewerSettings": {"run": "other"}}
    stored._reviews["run"] = [_review(REVIEW, reviewer="yoked")]
    stored.tasks["other"]["t9"] = _task(id="t9", inputs=["0"], outputs=["[8, 9]"])
    stored.hold(_review(REVIEW), _rollout(ITEM, taskId="t9"), "other")
    assert stored.verified([_line("Say [8, 9].")]).differing == 1
    assert stored.verified([_line("Say [4, 7, 19].")]).differing == 0
