"""The writer's data: production asks and labels it, and what is held out stays out."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from anchor_trainer.recipes.__main__ import main
from anchor_trainer.recipes.reviewing.raw_wordings import (
    ISSUES,
    KINDS,
    _sentence,
    is_held_out,
    raw_wording,
)
from anchor_trainer.recipes.reviewing.records import review_records
from anchor_trainer.recipes.writer import WRITER_PRESETS, held_out_records


@pytest.fixture(scope="module")
def records():
    rng = Random(31)
    return review_records([raw_wording(rng) for _ in range(800)])


def line_of(record):
    answer = json.loads(record.label)
    assert list(answer) == ["line"]
    return answer["line"]


def test_production_asks_every_kind_of_question_and_labels_it(records):
    assert {record.phase for record in records} == {"summary", "merge"}
    asked = {re.sub(r"summary: \w+ ?", "", r.user.splitlines()[0]) for r in records}
    assert {issue.replace("_", " ") for issue in ISSUES} <= asked
    assert all(line_of(record) for record in records)


def test_a_merge_is_answered_with_the_newest_of_its_lines(records):
    shown = re.compile(r"^<<[0-9a-f]{12} (?:(new)|step (\d+)), (\d+) reviews>> (.*)$", re.M)
    merges = [record for record in records if record.phase == "merge"]
    assert len(merges) > 300
    for record in merges:
        lines = [
            (0 if new else int(age), -int(support), text)
            for new, age, support, text in shown.findall(record.user)
        ]
        assert 2 <= len(lines) <= 3
        best = min(lines, key=lambda line: line[:2])
        assert line_of(record) == next(line[2] for line in lines if line[:2] == best[:2])


def test_no_held_out_sentence_is_drawn_for_training(records):
    for kind in ("free", "composed"):
        rng = Random(32)
        trained = [raw_wording(rng, kind) for _ in range(300)]
        texts = [t for raw in trained for t in _texts(raw)]
        assert not any(is_held_out(text) for text in texts)
        held = [t for _ in range(50) for t in _texts(raw_wording(rng, kind, held_out=True))]
        assert all(is_held_out(text) for text in held)
    rng = Random(33)
    share = sum(is_held_out(_sentence(rng, False, fault=True)) for _ in range(50))
    assert share == 0


def _texts(raw):
    return [raw["finding"]] if raw["kind"] == "summary" else [line["text"] for line in raw["lines"]]


@pytest.mark.full
def test_measurements_have_every_kind_and_fit_the_context(tokenizer):
    found = held_out_records(WRITER_PRESETS["smoke"])
    assert list(found) == list(KINDS)
    for record in (record for records in found.values() for record in records):
        assert len(tokenizer.encode(record.sample().prompt + record.label).ids) < 400


@pytest.mark.full
def test_the_recipe_trains_exports_and_describes_a_writer(resources, tmp_path, capsys):
    out = tmp_path / "writer"
    assert main(["writer", "--preset", "smoke", "--out", str(out)]) == 0
    assert (out / "writer.f16.gguf").stat().st_size > 4_000_000
    card = (out / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "lines of the vocabulary, the newer stays" in card and "n=20)" in card
    assert "named" in capsys.readouterr().out
