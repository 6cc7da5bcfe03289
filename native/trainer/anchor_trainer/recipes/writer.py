"""Train the writer: the policy's weights, fine-tuned on wording findings and merging lines.

It belongs to the embedded supervisor and has weights of its own, so that reviews stay what they
were before it learned to write (and runs that merge by rule repeat to the bit).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from .evaluation.card import write_writer_card
from .evaluation.intervals import share
from .evaluation.run import load_subject
from .fine_tuning import CPU, SMOKE, FineTuning, fine_tune
from .reviewing.agreement import Agreement
from .reviewing.raw_wordings import KINDS, raw_wording
from .reviewing.records import ReviewRecord, load_records, review_records, save_records
from .training.loop import prepare_cpu
from .training.presets import Preset

SEED = 505
FILE_NAME = "writer.f16.gguf"
MEASURED = {
    "named": "one line for a finding with a name",
    "free": "a finding without a name, in words not trained together",
    "guidance": "lines of the vocabulary, the newer stays",
    "composed": "lines in words not trained together, the newer stays",
}


@dataclass(frozen=True)
class WriterPreset:
    name: str
    written: int
    held_out: int
    training: Preset


WRITER_PRESETS = {
    "smoke": WriterPreset("smoke", 300, 20, replace(SMOKE, name="writer-smoke", seed=SEED)),
    "cpu": WriterPreset(
        "cpu", 40_000, 500, replace(CPU, name="writer-cpu", tokens=5_000_000, seed=SEED)
    ),
}


@dataclass(frozen=True)
class WriterRun:
    preset: WriterPreset
    policy: Path
    out: Path
    work: Path

    @property
    def job(self) -> FineTuning:
        return FineTuning(
            "writer",
            self.preset.name,
            self.preset.training,
            "cpu",
            self.policy,
            self.work,
            self.out / FILE_NAME,
        )

    @property
    def seen(self) -> Path:
        return self.work / "records.jsonl"


def training_records(preset: WriterPreset) -> list[ReviewRecord]:
    rng = Random(f"{SEED}/written")
    return review_records([raw_wording(rng) for _ in range(preset.written)])


def held_out_records(preset: WriterPreset) -> dict[str, list[ReviewRecord]]:
    """By kind; the composed sentences are those that training never sees."""
    found = {}
    for kind in KINDS:
        rng = Random(f"{SEED}/held-out/{kind}")
        drawn = [raw_wording(rng, kind, held_out=True) for _ in range(preset.held_out)]
        found[kind] = review_records(drawn)
    return found


def train_writer(
    run: WriterRun, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> None:
    """Draw and label records, fine-tune, export the model folder and its f16 GGUF."""
    prepare_cpu()
    if not run.seen.exists():
        save_records(run.seen, training_records(run.preset))
    fine_tune(run.job, load_records(run.seen), say, clock)


def describe_writer(run: WriterRun, say: Callable[[str], None]) -> list[Agreement]:
    """Measure the trained folder against the rule on held-out questions and write its card."""
    subject, facts = load_subject(run.job.folder)
    found = []
    for kind, records in held_out_records(run.preset).items():
        texts = subject.answer([record.sample().prompt for record in records], temperature=0.0)
        same = [
            text.removesuffix("<|im_end|>") == record.label
            for text, record in zip(texts, records, strict=True)
        ]
        found.append(Agreement(MEASURED[kind], share(same)))
        say(f"{kind:10} {found[-1].share}")
    write_writer_card(run.out, FILE_NAME, facts, len(load_records(run.seen)), found)
    return found
