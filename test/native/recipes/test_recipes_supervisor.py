"""The supervisor's data: production labels it, sound work is not accused, every issue occurs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from anchor_trainer.recipes.__main__ import main
from anchor_trainer.recipes.corpus.programs import random_example
from anchor_trainer.recipes.evaluation.bars import agreement_bars
from anchor_trainer.recipes.evaluation.intervals import Share
from anchor_trainer.recipes.reviewing.agreement import Agreement, agreements
from anchor_trainer.recipes.reviewing.defects import (
    altered_number,
    altered_plan,
    broken_syntax,
    parser_view,
)
from anchor_trainer.recipes.reviewing.raw_items import raw_item, solver_task, traced_thought
from anchor_trainer.recipes.reviewing.records import load_records, review_records, save_records
from anchor_trainer.recipes.reviewing.rollout_items import rollout_items
from anchor_trainer.recipes.supervisor import SUPERVISOR_PRESETS, _written, fresh_records

ISSUES = {
    "bad_syntax",
    "unsafe_call",
    "invalid",
    "duplicate",
    "trivial",
    "plan_mismatch",
    "trace_error",
    "no_trace",
    "unsafe_comply",
    "policy_shortcut",
    "wrong_format",
    "type_error",
    "format_failures",
    "timeouts",
    "low_accuracy",
    "high_accuracy",
}


@pytest.fixture(scope="module")
def records():
    rng = Random(21)
    return review_records([raw_item(rng) for _ in range(2500)])


def test_production_accepts_every_raw_item_and_names_every_issue(records):
    found = Counter(issue for record in records for issue in record.issues)
    assert set(found) == ISSUES
    assert min(found.values()) >= 10
    assert sum(not record.issues for record in records) > len(records) / 4


def test_a_label_is_the_answer_production_expects(records):
    for record in records:
        answer = json.loads(record.label)
        assert list(answer) == ["issues", "decision", "feedback"]
        assert tuple(answer["issues"]) == record.issues


def test_records_read_back_as_they_were_saved(records, tmp_path):
    save_records(tmp_path / "records.jsonl", records[:50])
    assert load_records(tmp_path / "records.jsonl") == records[:50]


@pytest.mark.full
def test_fresh_records_are_none_that_training_draws(tmp_path):
    preset = replace(SUPERVISOR_PRESETS["smoke"], written=2000)
    trained = {r.user for r in review_records(_written("written", preset.written))}
    drawn = review_records(_written("fresh", 2000))
    fresh = fresh_records(2000, preset)
    assert fresh == [record for record in drawn if record.user not in trained]
    assert 1000 < len(fresh) < len(drawn)  # exec records hold few figures, so some repeat
    assert main(["records", "--preset", "smoke", "--n", "40", "--out", str(tmp_path / "r")]) == 0
    assert load_records(tmp_path / "r") == fresh_records(40, SUPERVISOR_PRESETS["smoke"])


def test_the_card_says_which_agreement_is_too_low():
    fine = [Agreement("same issues", Share(93, 100)), Agreement("recall of trivial", Share(8, 10))]
    poor = [
        Agreement("same issues", Share(91, 100)),
        Agreement("recall of trivial", Share(6, 10)),
        Agreement("recall of timeouts", Share(0, 3)),
    ]
    rows = agreement_bars({"a": fine, "b": poor}).splitlines()[2:]
    assert [row.endswith("| yes |") for row in rows] == [True, True, False, False]
    assert "lowest 60.0 % (recall of trivial)" in rows[3]
    few = agreement_bars({"few": [Agreement("same issues", Share(93, 100)), poor[2]]}).splitlines()
    assert "| no such issue | **no** |" in few[-1]


def test_a_record_becomes_a_sample_within_the_context(records, tokenizer):
    sample = records[0].sample()
    assert sample.prompt.endswith("<|im_start|>assistant\n")
    assert sample.completion == records[0].label + "<|im_end|>"
    longest = max(len(tokenizer.encode(r.sample().prompt + r.label).ids) for r in records)
    assert longest < 700


def items_with_trace(change):
    rng = Random(22)
    for _ in range(400):
        kind = rng.choice(["deduction", "abduction", "induction"])
        item, example = solver_task(rng, kind)
        thought = change(rng, traced_thought(rng, example, kind))
        if thought is not None:
            yield item | {"phase": "thought", "thought": thought}


def test_the_rubric_finds_no_fault_in_sound_traces():
    records = review_records(list(items_with_trace(lambda rng, thought: thought)))
    assert [record.user for record in records if record.issues] == []


def test_the_rubric_finds_most_altered_numbers():
    records = review_records(list(items_with_trace(altered_number)))
    caught = sum(record.issues == ("trace_error",) for record in records)
    # Lines of a backward trace are checked each by itself: a value stated before belongs to later.
    assert caught > 0.7 * len(records)


@pytest.mark.full
def test_sound_plans_are_not_accused_and_altered_ones_are():
    rng = Random(23)
    sound, altered = [], []
    for _ in range(200):
        item, example = solver_task(rng, "deduction")
        item |= {"phase": "plan"}
        sound.append(item | {"plan": example.program.plan()})
        altered.append(item | {"plan": altered_plan(rng, example.program.plan())})
    assert all(record.issues == () for record in review_records(sound))
    assert all(record.issues == ("plan_mismatch",) for record in review_records(altered))


def test_broken_syntax_is_broken_and_the_parser_view_says_where():
    rng = Random(24)
    found = [broken_syntax(rng, random_example(rng, count=3).program.source()) for _ in range(200)]
    broken = [text for text in found if text is not None]
    assert len(broken) > 100
    assert all(parser_view(text)["ok"] is False for text in broken)
    assert parser_view("def f(x):\n import os.path\n from sys import exit\n return x") == {
        "ok": True,
        "errorLine": None,
        "imports": ["os", "sys"],
    }


@pytest.mark.full
def test_a_policy_s_own_rollouts_become_items_production_accepts(resources):
    from anchor_trainer.recipes.evaluation.run import load_subject

    subject, _ = load_subject(resources / "models" / "policy")
    items = rollout_items(subject, "test", 24)
    assert {item["phase"] for item in items} == {"task", "plan", "thought", "output"}
    assert len(review_records(items)) == len(items)


def test_a_malformed_raw_item_is_refused_with_the_line_number():
    with pytest.raises(ValueError, match="Line 1"):
        review_records([{"phase": "task", "taskType": "deduction", "role": "solver", "plam": "x"}])


class Parrot:
    """Answers every record with the label of the first: agreement must notice."""

    def __init__(self, label: str) -> None:
        self.label = label

    def answer(self, prompts, temperature):
        return [self.label + "<|im_end|>" for _ in prompts]


def test_agreement_counts_recall_and_false_alarms_separately(records):
    some = [r for r in records if r.issues == ("no_trace",)][:3]
    some += [r for r in records if r.issues == ()][:2]
    found = {a.name: a.share for a in agreements(Parrot(some[0].label), some)}
    assert (found["same issues"].hits, found["same issues"].n) == (3, 5)
    assert found["recall of no_trace"].value == 1.0
    assert found["no issue found where there is none"].value == 0.0
    assert found["valid JSON without a grammar"].value == 1.0
