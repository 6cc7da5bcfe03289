"""
python -m anchor_verify --lab FOLDER --resources FOLDER --broker FILE [--sample N] [ID ...]

Writes one JSON object a line: {"progress": {done, total, about}} now and then, and at the end
{"report": ...}, or {"wrong": sentence} with exit code 2. Ids are of runs and evaluations; the
name of an experiment stands for its runs; without any, everything that is stored is verified.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import time
from pathlib import Path

from .lab import Lab, Record, WrongRequest
from .sandbox import SandboxLost
from .verify import (
    Request,
    Sandboxes,
    verify_evaluation,
    verify_run,
    work_of_evaluation,
    work_of_run,
)

TOLD_EVERY_SECONDS = 0.2

STUDIED = re.compile(r" [\w-]+/[\d.]+/\d+")
"""What follows the name of a study in the name of a run: arm, share of rewarded prompts, seed."""


class Progress:
    def __init__(self) -> None:
        self.done, self.total, self.about = 0, 0, ""
        self._told = 0.0

    def advance(self, by: int) -> None:
        self.done += by
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY_SECONDS:
            self._told = now
            done = min(self.done, self.total)
            tell({"progress": {"done": done, "total": self.total, "about": self.about}})


def tell(said: Record) -> None:
    sys.stdout.write(f"{json.dumps(said, ensure_ascii=False)}\n")
    sys.stdout.flush()


def targets(lab: Lab, named: list[str]) -> list[tuple[str, str]]:
    """What to verify, as (kind, id): runs before evaluations, each once."""
    runs = lab.rows("SELECT id, name FROM runs ORDER BY created_at, id")
    evaluations = lab.rows("SELECT id, run_id FROM evaluations ORDER BY key")
    chosen: list[tuple[str, str]] = []
    wanted: list[str | None] = [*named] or [None]
    for name in wanted:
        mine = [run["id"] for run in runs if name is None or _is_of(name, run)]
        found = [("run", each) for each in mine]
        found += [
            ("evaluation", each["id"])
            for each in evaluations
            if name in (None, each["id"]) or each["run_id"] in mine
        ]
        if name is not None and not found:
            raise WrongRequest(f'There is no run, experiment or evaluation "{name}" in this lab.')
        chosen += [each for each in found if each not in chosen]
    if not chosen:
        raise WrongRequest(
            "This lab has no runs and no evaluations, so there is nothing to verify."
        )
    return chosen


def _is_of(name: str, run: sqlite3.Row) -> bool:
    """An experiment names its runs by its own name and the arm: after a colon, or, as the study
    does, with share and seed (`study alone/0.25/101`)."""
    if run["id"] == name:
        return True
    head, is_named, place = str(run["name"]).partition(name)
    if head != "" or not is_named:
        return False
    return place.startswith(": ") or STUDIED.fullmatch(place) is not None


def main() -> int:
    parser = argparse.ArgumentParser(prog="anchor_verify")
    parser.add_argument("--lab", type=Path, required=True)
    parser.add_argument("--resources", type=Path, required=True)
    parser.add_argument("--broker", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=24)
    parser.add_argument("ids", nargs="*")
    asked = parser.parse_args()
    begun = time.monotonic()
    progress = Progress()
    sandboxes = Sandboxes(asked.broker)
    try:
        lab = Lab(asked.lab)
        request = Request(lab, asked.resources, sandboxes, asked.sample, progress.advance)
        chosen = targets(lab, asked.ids)
        work = {"run": work_of_run, "evaluation": work_of_evaluation}
        progress.total = sum(work[kind](request, each) for kind, each in chosen)
        reports = []
        for kind, each in chosen:
            progress.about = each
            progress.advance(0)
            verify = verify_run if kind == "run" else verify_evaluation
            reports.append(verify(request, each))
    except (WrongRequest, SandboxLost) as error:
        tell({"wrong": str(error)})
        return 2
    except sqlite3.DatabaseError as error:
        tell({"wrong": f"The database cannot be read: {error}; anchor check says what is damaged."})
        return 2
    finally:
        sandboxes.close()
    differing = sum(report["differing"] for report in reports)
    seconds = time.monotonic() - begun
    tell({"report": {"reports": reports, "differing": differing, "seconds": seconds}})
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
