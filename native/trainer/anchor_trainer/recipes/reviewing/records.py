"""Review records: raw items go through the production rubric and prompt, records come back.

The conversion is the application's own command, so that the supervisor learns the very text it
will see; it needs Node, like the application itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from ..corpus.prompts import END_OF_TURN, REPOSITORY, chat
from ..corpus.samples import Sample
from ..training.files import write_text
from .raw_items import RawItem

COMMAND = REPOSITORY / "electron" / "cli" / "review-records.ts"


@dataclass(frozen=True)
class ReviewRecord:
    """A review at a phase, or a `summary` or `merge`: what is read and what the rule answers."""

    phase: str
    issues: tuple[str, ...]
    system: str
    user: str
    label: str

    def sample(self) -> Sample:
        return Sample(
            f"review-{self.phase}", chat(self.system, self.user), self.label + END_OF_TURN
        )


def node_program() -> str:
    """Node of this checkout, else of the machine; FileNotFoundError says what to do."""
    local = REPOSITORY / "node_modules" / ".bin" / "node"
    found = str(local) if local.exists() else shutil.which("node")
    if found is None:
        raise FileNotFoundError("Node is needed to label review records; run `npm install` first")
    return found


def review_records(items: list[RawItem]) -> list[ReviewRecord]:
    """Records in the order of the items; ValueError with the command's own sentence on failure."""
    with tempfile.TemporaryDirectory() as folder:
        raw, out = Path(folder, "raw.jsonl"), Path(folder, "records.jsonl")
        raw.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
        done = subprocess.run(
            [node_program(), str(COMMAND), "--in", str(raw), "--out", str(out)],
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ),
        )
        if done.returncode != 0:
            raise ValueError(f"labelling review records failed: {done.stderr.strip()}")
        lines = out.read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines)
    return [
        ReviewRecord(row["phase"], tuple(row["issues"]), row["system"], row["user"], row["label"])
        for row in rows
    ]


def save_records(path: Path, records: list[ReviewRecord]) -> None:
    write_text(path, "".join(json.dumps(asdict(record)) + "\n" for record in records))


def load_records(path: Path) -> list[ReviewRecord]:
    """What `save_records` wrote; FileNotFoundError names the path."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [ReviewRecord(**row | {"issues": tuple(row["issues"])}) for row in rows]
