"""The verifier's own reading of answers, beside what the original's readers were recorded to."""

from __future__ import annotations

import json
from pathlib import Path

from anchor_verify.responses import program_text, read_as_original, value_text

RECORDED = Path(__file__).parents[2] / "electron/evolution/code-tasks/original-readers.json"


def test_values_and_programs_are_those_of_the_original() -> None:
    rows = json.loads(RECORDED.read_text())
    assert len(rows) > 40
    for row in rows:
        answer = row["answer"]
        for kind in ("input", "output"):
            assert value_text(answer, kind, as_original=True) == row[kind].strip(), answer
        assert program_text(answer, as_original=True) == row["program"], answer


def test_the_form_is_that_of_the_beginning_and_the_answer_the_last() -> None:
    blocks = "<think>a</think> <answer>1</answer>"
    assert read_as_original(f"\n{blocks} and more") == (True, "1")
    assert read_as_original(f"{blocks}<answer> 2 ") == (True, "2")
    assert read_as_original(f"so {blocks}") == (False, "1")
    assert read_as_original("<think>a</think> 1") == (False, None)
    assert read_as_original("<think>a</think><answer>1") == (False, "1")
