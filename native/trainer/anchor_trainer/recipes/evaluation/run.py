"""`evaluate`: every measure of a model folder, printed as it comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..training.export import load_exported
from ..training.loop import prepare_cpu
from ..training.tokenizer import load_tokenizer
from .asking import Subject
from .measures import Bench, Measure, all_measures


def load_subject(folder: Path, device: str = "cpu") -> tuple[Subject, dict[str, Any]]:
    """The model of a folder in float32, ready to be asked, and the facts of its header."""
    model, facts = load_exported(folder)
    return Subject(model.to(device).eval(), load_tokenizer(folder)), facts


def evaluate_folder(
    folder: Path, suites: Path, n: int, say: Callable[[str], None], device: str = "cpu"
) -> list[tuple[str, Measure]]:
    prepare_cpu()
    subject, _ = load_subject(folder, device)
    rows = []
    for section, measure in all_measures(Bench(subject, suites, n)):
        rows.append((section, measure))
        say(f"{section:10} {measure.name:48} {measure.told:8} {measure.share}")
    return rows
