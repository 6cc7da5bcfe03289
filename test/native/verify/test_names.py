"""Which runs a name stands for."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from anchor_verify.__main__ import targets
from anchor_verify.lab import Lab, WrongRequest

RUNS = {
    "run-1": "demo: alone",
    "run-2": "demo: supervised",
    "run-3": "demo",
    "run-4": "demo once more",
    "run-5": "study alone/0/101",
    "run-6": "study supervised/0.25/101",
    "run-7": "study of nothing",
    "run-8": "study: alone",
}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    with sqlite3.connect(tmp_path / "lab.sqlite") as db:
        db.execute("CREATE TABLE runs (id, name, created_at)")
        db.executemany("INSERT INTO runs VALUES (?, ?, 0)", RUNS.items())
        db.execute("CREATE TABLE evaluations (key, id, run_id)")
        db.execute("INSERT INTO evaluations VALUES (1, 'eval-1', 'run-6')")
    db.close()
    return Lab(tmp_path)


def test_the_name_of_an_experiment_stands_for_its_arms(lab: Lab) -> None:
    assert targets(lab, ["demo"]) == [("run", "run-1"), ("run", "run-2")]


def test_the_name_of_a_study_stands_for_every_arm_share_and_seed(lab: Lab) -> None:
    found = targets(lab, ["study"])
    assert found == [
        ("run", "run-5"),
        ("run", "run-6"),
        ("run", "run-8"),
        ("evaluation", "eval-1"),
    ]


def test_an_id_stands_for_one_run_and_what_was_asked_of_it(lab: Lab) -> None:
    assert targets(lab, ["run-6"]) == [("run", "run-6"), ("evaluation", "eval-1")]


def test_a_name_that_only_begins_like_that_of_an_experiment_is_refused(lab: Lab) -> None:
    with pytest.raises(WrongRequest, match='There is no run, experiment or evaluation "dem"'):
        targets(lab, ["dem"])
