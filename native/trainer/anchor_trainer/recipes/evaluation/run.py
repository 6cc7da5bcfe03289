"""`evaluate`: every measure of a model folder, printed as it comes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from ..training.export import load_exported
from ..training.loop import prepare_cpu
from ..training.presets import PRESETS
from ..training.tokenizer import load_tokenizer
from .asking import Subject
from .measures import Bench, Measure, all_measures
from .questions import question_measures


def load_subject(folder: Path, device: str = "cpu") -> tuple[Subject, dict[str, Any]]:
    """The model of a folder in float32, ready to be asked, and the facts of its header."""
    model, facts = load_exported(folder)
    return Subject(model.to(device).eval(), load_tokenizer(folder)), facts


def taught_questions(facts: dict[str, Any]) -> bool:
    """Whether one of the legs behind these facts had questions among its samples."""
    return any(
        PRESETS[leg["preset"]].questions
        for leg in [*facts.get("earlier_legs", []), facts]
        if leg.get("preset") in PRESETS
    )


def evaluate_folder(
    folder: Path, suites: Path, n: int, say: Callable[[str], None], device: str = "cpu"
) -> list[tuple[str, Measure]]:
    prepare_cpu()
    subject, facts = load_subject(folder, device)
    rows = []
    bench = Bench(subject, suites, n, taught_questions(facts))
    for section, measure in chain(all_measures(bench), question_measures(bench)):
        rows.append((section, measure))
        say(f"{section:10} {measure.name:48} {measure.told:8} {measure.share}")
    return rows
