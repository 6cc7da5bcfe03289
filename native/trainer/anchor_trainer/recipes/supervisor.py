"""Train the supervisor: the policy's weights, fine-tuned on review records."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from .evaluation.asking import Subject
from .evaluation.card import write_supervisor_card
from .evaluation.run import load_subject
from .fine_tuning import CPU, SMOKE, FineTuning, fine_tune
from .reviewing.agreement import Agreement, agreements
from .reviewing.question_items import question_item, question_rollout_items
from .reviewing.raw_items import RawItem, raw_item
from .reviewing.records import ReviewRecord, load_records, review_records, save_records
from .reviewing.rollout_items import rollout_items
from .training.loop import prepare_cpu
from .training.presets import Preset

SEED = 404
FILE_NAME = "supervisor.f16.gguf"


@dataclass(frozen=True)
class SupervisorPreset:
    """`written` items have injected defects, `rollouts` are completions of the policy itself.

    `questions` of a hundred items are of R-Zero's questions and answers.
    """

    name: str
    written: int
    rollouts: int
    held_out: int
    training: Preset
    questions: int = 0


SUPERVISOR_PRESETS = {
    "smoke": SupervisorPreset(
        "smoke", 300, 20, 60, replace(SMOKE, name="supervisor-smoke", seed=SEED)
    ),
    "cpu": SupervisorPreset(
        "cpu", 14_000, 3_000, 1_500, replace(CPU, name="supervisor-cpu", seed=SEED)
    ),
    # For a policy that was taught questions as well.
    "cpu-questions": SupervisorPreset(
        "cpu-questions",
        16_000,
        4_000,
        1_500,
        replace(CPU, name="supervisor-cpu-questions", tokens=2_600_000, seed=SEED),
        questions=45,
    ),
    "cuda": SupervisorPreset(
        "cuda",
        60_000,
        6_000,
        1_500,
        replace(
            CPU,
            name="supervisor-cuda",
            tokens=20_000_000,
            batch_tokens=16_000,
            chunk_samples=20_000,
            seed=SEED,
        ),
    ),
}


@dataclass(frozen=True)
class SupervisorRun:
    preset: SupervisorPreset
    device: str
    policy: Path
    out: Path
    work: Path
    # Exported checkpoints of runs that started from `policy`: whose texts agreement is measured on.
    evolved: tuple[Path, ...] = ()

    @property
    def job(self) -> FineTuning:
        return FineTuning(
            "supervisor",
            self.preset.name,
            self.preset.training,
            self.device,
            self.policy,
            self.work,
            self.out / FILE_NAME,
        )

    @property
    def seen(self) -> Path:
        """The records trained on, so that a measurement keeps clear of them."""
        return self.work / "records.jsonl"


def _written(draw: str, count: int, questions: int = 0) -> list[RawItem]:
    rng = Random(f"{SEED}/{draw}")
    if questions == 0:
        return [raw_item(rng) for _ in range(count)]
    return [
        (question_item if rng.random() * 100 < questions else raw_item)(rng) for _ in range(count)
    ]


def _rollouts(subject: Subject, draw: str, count: int, questions: int = 0) -> list[RawItem]:
    of_questions = count * questions // 100
    return [
        *rollout_items(subject, draw, count - of_questions),
        *question_rollout_items(subject, f"{draw}/questions", of_questions),
    ]


def fresh_records(count: int, preset: SupervisorPreset) -> list[ReviewRecord]:
    """At most `count` records with injected defects, without texts that the training of `preset`
    draws the same way."""
    trained = _written("written", preset.written, preset.questions)
    known = {record.user for record in review_records(trained)}
    drawn = review_records(_written("fresh", count, preset.questions))
    return [record for record in drawn if record.user not in known]


def training_records(run: SupervisorRun) -> list[ReviewRecord]:
    preset = run.preset
    items = _written("written", preset.written, preset.questions)
    subject, _ = load_subject(run.policy, run.device)
    written = _rollouts(subject, f"{SEED}/rollouts", preset.rollouts, preset.questions)
    return review_records(items + written)


def held_out_records(run: SupervisorRun) -> dict[str, list[ReviewRecord]]:
    """Records of fresh draws by origin, without texts seen in training."""
    known = {record.user for record in load_records(run.seen)}
    subject, _ = load_subject(run.policy, run.device)
    preset = run.preset
    drawn = {
        "injected": _written("held-out", preset.held_out, preset.questions),
        "policy-written": _rollouts(
            subject, f"{SEED}/held-out-rollouts", preset.held_out // 2, preset.questions
        ),
    }
    if run.evolved:
        each = run.preset.held_out // len(run.evolved)
        drawn["evolving policy"] = [
            item
            for folder in run.evolved
            for item in _rollouts(
                load_subject(folder, run.device)[0],
                f"{SEED}/evolved/{folder.name}",
                each,
                preset.questions,
            )
        ]
    return {
        name: [record for record in review_records(items) if record.user not in known]
        for name, items in drawn.items()
    }


def train_supervisor(
    run: SupervisorRun, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> None:
    """Draw and label records, fine-tune, export the model folder and its f16 GGUF."""
    prepare_cpu()
    if not run.seen.exists():
        save_records(run.seen, training_records(run))
    fine_tune(run.job, load_records(run.seen), say, clock)


def describe_supervisor(
    run: SupervisorRun, say: Callable[[str], None]
) -> dict[str, list[Agreement]]:
    """Measure the trained folder against the rubric on held-out records and write its card."""
    subject, facts = load_subject(run.job.folder, run.device)
    found = {}
    for name, records in held_out_records(run).items():
        found[name] = list(agreements(subject, records))
        for agreement in found[name]:
            say(f"{name:15} {agreement.name:42} {agreement.share}")
    write_supervisor_card(run.out, FILE_NAME, facts, len(load_records(run.seen)), found)
    return found
