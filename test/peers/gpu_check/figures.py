"""Figures of the parts, as they are kept and as a table."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One measured number. `goal` is a text for people; `met` is None where there is none."""

    what: str
    value: float | None
    unit: str
    goal: str = ""
    met: bool | None = None


def at_most(what: str, value: float, unit: str, bound: float) -> Figure:
    return Figure(what, value, unit, f"at most {bound:g}", value <= bound)


def at_least(what: str, value: float, unit: str, bound: float) -> Figure:
    return Figure(what, value, unit, f"at least {bound:g}", value >= bound)


def keep(file: Path, told: dict[str, Any]) -> None:
    """Whole or not at all, so that a check that is cut off goes on from the parts it finished."""
    unfinished = file.with_suffix(".tmp")
    unfinished.write_text(json.dumps(told, indent=1))
    os.replace(unfinished, file)


def kept(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text()) if file.exists() else {}


def as_json(figures: list[Figure]) -> list[dict[str, Any]]:
    return [asdict(one) for one in figures]


def table(told: dict[str, Any]) -> str:
    """Markdown, a row a figure, and a line for each part that could not be taken."""
    lines = [
        f"{told['device']}, PyTorch {told['torch']}, CUDA {told['cuda']}, {told['date']}",
        "",
        "| part | what | value | goal | met |",
        "|---|---|---|---|---|",
    ]
    notes = []
    for name, part in told["parts"].items():
        for one in part["figures"]:
            value = "-" if one["value"] is None else f"{one['value']:.4g}"
            met = {None: "", True: "yes", False: "NO"}[one["met"]]
            lines.append(
                f"| {name} | {one['what']} | {value} {one['unit']} | {one['goal']} | {met} |"
            )
        if part["failed"] is not None:
            notes.append(f"{name}: not taken: {part['failed']}")
    return "\n".join([*lines, "", *notes])
